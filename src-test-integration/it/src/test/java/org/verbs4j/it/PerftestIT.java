package org.verbs4j.it;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.ThreadMXBean;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.verbs4j.it.Perftest.Result;
import org.verbs4j.it.Perftest.Row;
import org.verbs4j.it.PingPong.Pairing;
import org.verbs4j.it.PingPong.Player;

import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/** Java and C measure latency and bandwidth together, in every pairing, by every flag. */
class PerftestIT {
    private static final ThreadMXBean ALLOCATION =
            (ThreadMXBean) ManagementFactory.getThreadMXBean();

    private static final List<String> LATENCIES =
            List.of(
                    "send-lat -n 20",
                    "send-lat -n 100 -e",
                    "send-lat -n 20 -e -s 4096 -r 10 -t 4 -m 1024",
                    "send-lat -n 20 -e -c UC -s 1K",
                    "send-lat -n 20 -e -c UD",
                    "send-lat -n 100 -e -R",
                    "send-lat -n 20 -R -c UD",
                    "send-lat -n 20 -e -R -c UD -s 1024",
                    "send-lat -D 1",
                    "write-lat -n 20",
                    "write-lat -n 10 -c UC -s 65536 -u 15",
                    "write-lat -n 20 -R",
                    "read-lat -n 20",
                    "read-lat -n 20 -e -s 100000 -o 1",
                    "read-lat -n 20 -R",
                    "read-lat -D 1",
                    "atomic-lat -n 20",
                    "atomic-lat -n 20 -e -A CMP_AND_SWAP",
                    "atomic-lat -n 20 -R");

    private static final List<String> BANDWIDTHS =
            List.of(
                    "send-bw -n 200",
                    "send-bw -n 100 -e -q 4 -s 64 -t 16 -Q 4 -r 40",
                    "send-bw -n 100 -b -s 1K -q 3",
                    "send-bw -n 100 -c UC -l 10",
                    "send-bw -n 100 -c UD -s 1024",
                    "send-bw -n 100 -R",
                    "send-bw -n 100 -R -c UD -s 1024",
                    "send-bw -n 100 -e -b -R -c UD -s 256",
                    "send-bw -n 40 -R -c UD -s 256 -q 3",
                    "send-bw -D 1 -s 256",
                    "write-bw -n 100 -b -s 256 -l 10 -Q 5",
                    "write-bw -n 105 -t 30 -Q 7 -q 2 -s 2K --report_gbits",
                    "write-bw -n 100 -c UC",
                    "write-bw -n 50 -R -q 2",
                    "write-bw -D 1",
                    "read-bw -n 100 -N",
                    "read-bw -n 100 -e -o 4 -s 8192",
                    "read-bw -n 100 -b -s 8192",
                    "read-bw -n 50 -R",
                    "atomic-bw -n 100 -b -q 2",
                    "atomic-bw -n 100 -e -A CMP_AND_SWAP",
                    "atomic-bw -n 50 -R");

    static Stream<Arguments> latencies() {
        return matrix(LATENCIES);
    }

    static Stream<Arguments> bandwidths() {
        return matrix(BANDWIDTHS);
    }

    private static Stream<Arguments> matrix(List<String> lines) {
        List<Arguments> all = new ArrayList<>();
        for (String line : lines) {
            for (Pairing pairing : Pairing.values()) {
                all.add(Arguments.of(line, pairing));
            }
        }
        return all.stream();
    }

    private static Result runWell(String line, Pairing pairing) throws InterruptedException {
        List<String> words = List.of(line.split(" "));
        String[] flags = words.subList(1, words.size()).toArray(String[]::new);
        return Perftest.runWell(words.getFirst(), pairing, flags);
    }

    private static boolean isRoundTrip(String line) {
        return line.startsWith("read") || line.startsWith("atomic");
    }

    private static String flag(String line, String letter, String otherwise) {
        List<String> words = List.of(line.split(" "));
        int at = words.indexOf(letter);
        return at < 0 ? otherwise : words.get(at + 1);
    }

    @ParameterizedTest
    @MethodSource("latencies")
    void latency(String line, Pairing pairing) throws InterruptedException {
        Result result = runWell(line, pairing);

        assertLatency(line, pairing.client, Perftest.rows(result.client()));
        if (isRoundTrip(line)) {
            assertThat(Perftest.rows(result.server())).isEmpty();
        } else {
            assertLatency(line, pairing.server, Perftest.rows(result.server()));
        }
    }

    private static void assertLatency(String line, Player player, List<Row> rows) {
        assertThat(rows).hasSize(1);
        Row row = rows.getFirst();
        boolean timed = line.contains("-D");
        assertThat(row.figures()).hasSize(timed ? 2 : 7);
        if (!timed) {
            assertThat(row.iterations()).isEqualTo(Long.parseLong(flag(line, "-n", "")));
        }
        if (player != Player.C) { // which needs a cycle counter for figures
            assertThat(row.iterations()).isPositive();
            assertThat(row.figures()).allMatch(figure -> figure >= 0 && !figure.isInfinite());
        }
    }

    @ParameterizedTest
    @MethodSource("bandwidths")
    void bandwidth(String line, Pairing pairing) throws InterruptedException {
        Result result = runWell(line, pairing);

        List<Row> client = Perftest.rows(result.client());
        assertThat(client).hasSize(1);
        assertThat(Perftest.rows(result.server())).hasSize(1);
        if (!line.contains("-D")) {
            long messages =
                    Long.parseLong(flag(line, "-n", "")) * Long.parseLong(flag(line, "-q", "1"));
            assertThat(client.getFirst().iterations()).isEqualTo(messages);
            assertThat(Perftest.rows(result.server()).getFirst().iterations()).isEqualTo(messages);
        }
        if (pairing.client != Player.C && !line.contains(" -b")) {
            assertThat(client.getFirst().figures().get(1)).isPositive().isFinite();
        }
        if (pairing == Pairing.JAVA_SERVES_JAVA && !line.startsWith("send")) {
            assertThat(Perftest.rows(result.server())).isEqualTo(client);
        }
    }

    static Stream<Arguments> allSizes() {
        return matrix(
                List.of(
                        "send-lat -n 5 -a -e",
                        "write-lat -n 5 -a",
                        "read-lat -n 5 -a -e",
                        "send-bw -n 10 -a -t 5 -b",
                        "write-bw -n 10 -a -t 5",
                        "read-bw -n 5 -a"));
    }

    @ParameterizedTest
    @MethodSource("allSizes")
    void everySizeFrom2To8388608(String line, Pairing pairing) throws InterruptedException {
        Result result = runWell(line, pairing);

        List<Long> sizes = Stream.iterate(2L, size -> size * 2).limit(23).toList();
        assertThat(Perftest.rows(result.client())).extracting(Row::bytes).isEqualTo(sizes);
        if ((line.contains("lat") && !isRoundTrip(line)) || line.contains(" -b")) {
            assertThat(Perftest.rows(result.server())).extracting(Row::bytes).isEqualTo(sizes);
        }
    }

    @ParameterizedTest
    @EnumSource
    void datagramsOfEverySizeUpToTheMtu(Pairing pairing) throws InterruptedException {
        Result result = runWell("send-lat -n 5 -a -e -c UD", pairing);

        int mtu = PingPong.SERVER.port().activeMtu().bytes();
        assertThat(Perftest.rows(result.client()))
                .last()
                .extracting(Row::bytes)
                .isEqualTo((long) mtu);
        assertThat(Perftest.rows(result.server()))
                .last()
                .extracting(Row::bytes)
                .isEqualTo((long) mtu);
    }

    @Test
    void theJarMeasuresAndLeavesItsFiles(@TempDir Path directory)
            throws InterruptedException, IOException {
        Path histogram = directory.resolve("lat.hgrm");
        Path plot = directory.resolve("lat.svg");
        Path json = directory.resolve("lat.json");
        List<String> flags = List.of("-n", "50", "-a", "-e");
        Result result =
                Perftest.run(
                        "send-lat",
                        Player.JAVA,
                        "send-lat",
                        Player.JAR,
                        flags,
                        PingPong.with(
                                flags,
                                "--histogram",
                                histogram.toString(),
                                "--plot",
                                plot.toString(),
                                "--json",
                                json.toString(),
                                "--progress"));

        assertThat(result.client().status()).as("%s", result.client()).isZero();
        assertThat(result.client().err()).containsPattern("\\d+ bytes: \\d+ of 50 after \\d+ s\n");
        assertThat(Files.readString(directory.resolve("lat-8388608.hgrm")))
                .contains("Percentile", "#[Mean", "Total count    =           49");
        assertThat(Files.readString(plot)).startsWith("<svg ").contains("8 MiB", "90 %");
        assertThat(Files.readString(json))
                .contains("\"tool\": \"send-lat\"", "\"bytes\": 8388608", "\"percentile99Micros\"");
    }

    @Test
    void theWarmUpIsInTheHeader() throws InterruptedException {
        Result result = runWell("read-lat -n 20", Pairing.JAVA_SERVES_JAVA);

        assertThat(result.client().out())
                .containsPattern(
                        " JIT warm-up     : 20 exchanges with itself in \\d+\\.\\d\\d s\n");
    }

    /** Counted by the virtual machine while messages go to and fro. */
    @ParameterizedTest
    @ValueSource(strings = {"send-lat", "write-lat", "read-lat", "send-bw", "write-bw"})
    void aMessageIsNoGarbage(String tool) throws InterruptedException {
        Garbage.assumeRemoved();
        List<String> lasting = List.of("-D", "5", "--warm-up", "20000");
        int port = TcpPorts.free();
        try (ToolRun server = Perftest.start(tool, Player.JAVA, PingPong.SERVER, port, lasting)) {
            TcpPorts.awaitListening(port, server);
            List<String> call = PingPong.with(lasting, "127.0.0.1");
            try (ToolRun client = Perftest.start(tool, Player.JAVA, PingPong.CLIENT, port, call)) {
                Waits.until("traffic", () -> client.outSoFar().contains("#bytes"));
                Thread.sleep(2500);
                Thread measuring = thread(tool, "127.0.0.1");
                long before = ALLOCATION.getThreadAllocatedBytes(measuring.threadId());
                Thread.sleep(1000);
                long after = ALLOCATION.getThreadAllocatedBytes(measuring.threadId());

                assertThat(client.hasEnded()).isFalse();
                assertThat(after - before).as("bytes in a second").isZero();
                assertThat(client.await(Perftest.LIMIT).status()).isZero();
                assertThat(server.await(Perftest.LIMIT).status()).isZero();
            }
        }
    }

    private static Thread thread(String tool, String host) {
        return Thread.getAllStackTraces().keySet().stream()
                .filter(thread -> thread.getName().startsWith(tool + " "))
                .filter(thread -> thread.getName().contains(host))
                .findFirst()
                .orElseThrow();
    }
}
