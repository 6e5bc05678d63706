package org.verbs4j.jmh;

import com.google.gson.Gson;
import com.google.gson.GsonBuilder;
import com.google.gson.reflect.TypeToken;

import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;

/** {@code ./verbs bench}: measures, judges, reports. */
@Command(
        name = "bench",
        mixinStandardHelpOptions = true,
        sortOptions = false,
        description = {
            "Measures verbs4j against its C twins and writes report.html, report.md and"
                    + " results.json.",
            "Exit status 1 when a ratio is past its gate or a hot operation allocates."
        })
final class Bench implements Callable<Integer> {
    /** More JVMs for the operations that missed a gate, before the miss counts. */
    private static final int SECOND_LOOK = 6;

    @Option(names = "--quick", description = "Fewer JVMs and rounds: under 8 minutes, for CI.")
    boolean quick;

    @Option(
            names = "--jvms",
            paramLabel = "N",
            description = "JVMs to measure in (default: 5, quick 3).")
    int jvms;

    @Option(names = "--no-device", description = "The null device only.")
    boolean withoutDevice;

    @Option(names = "--no-start-up", description = "No start-up times.")
    boolean withoutStartUp;

    @Option(
            names = "--into",
            paramLabel = "DIR",
            description = "Where the report goes (default: ${DEFAULT-VALUE}).")
    Path into = Path.of("target/bench");

    @Option(
            names = "--from",
            paramLabel = "FILE",
            description = "Judges and reports an earlier run's results.json instead of measuring.")
    @org.jspecify.annotations.Nullable
    Path from;

    @Option(
            names = "--update-readme",
            paramLabel = "FILE",
            arity = "0..1",
            fallbackValue = "README.md",
            description = "Puts the tables between the file's markers (default: README.md).")
    @org.jspecify.annotations.Nullable
    Path readme;

    private final Gson gson = new GsonBuilder().setPrettyPrinting().disableHtmlEscaping().create();

    public static void main(String[] args) {
        System.exit(new CommandLine(new Bench()).execute(args));
    }

    @Override
    public Integer call() throws IOException {
        Path source = from;
        BenchData data =
                source == null
                        ? measure()
                        : gson.fromJson(Files.readString(source), BenchData.class);
        return report(data);
    }

    private BenchData measure() throws IOException {
        Instant begin = Instant.now();
        Files.createDirectories(into.resolve("raw"));
        NativeParts parts = NativeParts.build();
        BenchData data = new BenchData();
        data.facts.putAll(Facts.ofThisMachine());
        int count = jvms > 0 ? jvms : quick ? 3 : 5;
        for (int jvm = 1; jvm <= count; jvm++) {
            say("null device, JVM %d of %d", jvm, count);
            data.nullDevice.add(nullDuels(parts, jvm, List.of()));
        }
        secondLook(parts, data);
        if (!withoutStartUp) {
            say("start-up");
            data.startUp =
                    StartUp.measure(
                            parts, into.resolve("start-up").toAbsolutePath(), quick ? 5 : 9);
        }
        if (!withoutDevice) {
            say("on the device");
            new DeviceRun(parts, into.toAbsolutePath(), quick).measure(count, data);
        }
        data.facts.put("duration", Duration.between(begin, Instant.now()).toSeconds() + " s");
        Files.writeString(into.resolve("results.json"), gson.toJson(data));
        return data;
    }

    private List<Measurement> nullDuels(NativeParts parts, int jvm, List<Operation> operations)
            throws IOException {
        Path result = into.resolve("raw/null-" + jvm + ".json").toAbsolutePath();
        List<String> arguments =
                new ArrayList<>(
                        List.of(
                                parts.directory().toString(),
                                result.toString(),
                                quick ? "quick" : "full",
                                Integer.toString(jvm)));
        operations.forEach(operation -> arguments.add(operation.name()));
        // Compiling in the foreground: a starved compiler thread must not leave slow code in the
        // measurement.
        JavaProcess process =
                new JavaProcess().onNullDevice(parts).option("-Xbatch").option("-Xms256m");
        JavaProcess.run(process.command(NullDuels.class, arguments.toArray(String[]::new)));
        return gson.fromJson(
                Files.readString(result), new TypeToken<List<Measurement>>() {}.getType());
    }

    /**
     * A machine that other work disturbs can push one JVM past a gate: what missed it is measured
     * again.
     */
    private void secondLook(NativeParts parts, BenchData data) throws IOException {
        List<Operation> missed =
                Gates.judge(Gates.NULL_DEVICE, data.nullRows()).stream()
                        .filter(verdict -> !verdict.passed())
                        .map(verdict -> (Operation) verdict.gate().operation())
                        .distinct()
                        .toList();
        for (int jvm = 0; !missed.isEmpty() && jvm < SECOND_LOOK; jvm++) {
            say("a second look at %s", missed);
            data.nullDevice.add(nullDuels(parts, 100 + jvm, missed));
        }
    }

    private int report(BenchData data) throws IOException {
        Files.createDirectories(into);
        List<Gates.Verdict> verdicts =
                new ArrayList<>(Gates.judge(Gates.NULL_DEVICE, data.nullRows()));
        if (!data.device.isEmpty()) {
            verdicts.addAll(Gates.judge(Gates.DEVICE, data.deviceRows()));
        }
        Files.writeString(into.resolve("report.html"), HtmlReport.of(data, verdicts));
        String markdown = MarkdownReport.of(data);
        Files.writeString(into.resolve("report.md"), markdown);
        Path target = readme;
        if (target != null) {
            Files.writeString(target, MarkdownReport.include(Files.readString(target), markdown));
        }
        boolean passed = true;
        for (Gates.Verdict verdict : verdicts) {
            say("%s", verdict);
            passed &= verdict.passed();
        }
        for (Row row : Gates.allocating(data.nullRows())) {
            say(
                    "FAIL %s, %s: allocated %d B",
                    row.operation().title(), row.contender().title(), row.allocatedBytes());
            passed = false;
        }
        StartUp.Result startUp = data.startUp;
        if (startUp != null && startUp.shapes() > StartUp.MAX_SHAPES) {
            say(
                    "FAIL %d foreign-call shapes linked, limit %d",
                    startUp.shapes(), StartUp.MAX_SHAPES);
            passed = false;
        }
        say("%s: %s", passed ? "all gates met" : "a gate was missed", into.resolve("report.html"));
        return passed ? 0 : 1;
    }

    @SuppressWarnings("AnnotateFormatMethod") // checked by what the tests print
    static void say(String format, Object... arguments) {
        System.out.println("bench: " + String.format(Locale.ROOT, format, arguments));
    }
}
