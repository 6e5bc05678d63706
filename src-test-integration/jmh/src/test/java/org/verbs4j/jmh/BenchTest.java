package org.verbs4j.jmh;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.Gson;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.FieldSource;

import picocli.CommandLine;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Objects;

class BenchTest {
    @TempDir Path directory;

    private int judge(BenchData data, String... more) throws IOException {
        Path results = directory.resolve("given.json");
        Files.writeString(results, new Gson().toJson(data));
        CommandLine bench = new CommandLine(new Bench());
        String[] arguments = {"--from", results.toString(), "--into", directory.toString()};
        return bench.execute(
                java.util.stream.Stream.of(arguments, more)
                        .flatMap(java.util.Arrays::stream)
                        .toArray(String[]::new));
    }

    @Test
    void resultsWithinTheirGatesPassAndAreReported() throws IOException {
        assertThat(judge(Samples.meetingEveryGate())).isZero();

        assertThat(directory.resolve("report.html"))
                .content()
                .contains("<img", "met")
                .doesNotContain("missed");
        assertThat(directory.resolve("report.md")).content().contains("| post_send, 1 request |");
    }

    @ParameterizedTest
    @FieldSource("org.verbs4j.jmh.Gates#NULL_DEVICE")
    void aResultPastItsGateFails(Gates.Gate gate) throws IOException {
        BenchData data = Samples.meetingEveryGate();
        // Past the limit whichever the baseline: JNI is 2.1 of C here.
        Samples.doctor(
                data,
                gate.operation(),
                gate.contender(),
                gate.baseline() == Contender.C ? 1.1 : 2,
                0);

        assertThat(judge(data)).isOne();
        assertThat(directory.resolve("report.html")).content().contains("missed");
    }

    @Test
    void oneJvmPastAGateIsForgivenWhenTheMedianIsNot() throws IOException {
        BenchData data = Samples.meetingEveryGate();
        BenchData worse = Samples.meetingEveryGate();
        Samples.doctor(worse, Operation.PAIR, Contender.BINDINGS, 1.5, 0);
        data.nullDevice.set(0, worse.nullDevice.getFirst());

        assertThat(judge(data)).isZero();
    }

    @Test
    void aGateWithoutItsMeasurementFails() throws IOException {
        BenchData data = Samples.meetingEveryGate();
        data.nullDevice.forEach(
                jvm -> jvm.removeIf(m -> m.operation().equals(Operation.FILL.name())));

        assertThat(judge(data)).isOne();
    }

    @Test
    void aSingleAllocatedObjectFails() throws IOException {
        BenchData data = Samples.meetingEveryGate();
        Samples.doctor(data, Operation.PAIR, Contender.BINDINGS, 1, 16);

        assertThat(judge(data)).isOne();
    }

    @Test
    void moreShapesThanAllowedFail() throws IOException {
        BenchData data = Samples.meetingEveryGate();
        StartUp.Result startUp = Objects.requireNonNull(data.startUp);
        data.startUp =
                new StartUp.Result(
                        startUp.millis(), StartUp.MAX_SHAPES + 1, startUp.cacheBytes(), 5);

        assertThat(judge(data)).isOne();
    }

    @Test
    void theReadmeTakesTheTablesBetweenItsMarkers() throws IOException {
        Path readme = directory.resolve("README.md");
        Files.writeString(
                readme,
                "before\n" + MarkdownReport.BEGIN + "\nold\n" + MarkdownReport.END + "\nafter\n");

        assertThat(judge(Samples.meetingEveryGate(), "--update-readme", readme.toString()))
                .isZero();
        assertThat(readme)
                .content()
                .startsWith("before\n")
                .endsWith("after\n")
                .contains("| poll_cq(1), hit |");
        assertThat(readme).content().doesNotContain("old");
    }
}
