package org.verbs4j.it;

import org.junit.platform.engine.TestExecutionResult;
import org.junit.platform.engine.support.descriptor.MethodSource;
import org.junit.platform.launcher.TestExecutionListener;
import org.junit.platform.launcher.TestIdentifier;

import java.io.IOException;
import java.lang.reflect.Method;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * How the facts fared at one place: recorded from the tests as they end, written to a file there,
 * and read again for the table.
 *
 * <p>A file has the place in its first line, and in the others, separated by tabs, a fact's number,
 * the test and its outcome.
 */
final class ConformanceRun implements TestExecutionListener {
    private static final String PASSED = "passed";

    private final String place;

    /** By fact and test; of a test that ran several times, the worst outcome. */
    private final Map<String, Map<String, String>> outcomes = new LinkedHashMap<>();

    /** For what runs here. */
    ConformanceRun() {
        this(TestPlace.engine() + ", Linux " + TestPlace.kernel());
    }

    private ConformanceRun(String place) {
        this.place = place;
    }

    /** The engine and its kernel. */
    String place() {
        return place;
    }

    @Override
    public synchronized void executionFinished(TestIdentifier test, TestExecutionResult result) {
        String outcome =
                switch (result.getStatus()) {
                    case SUCCESSFUL -> PASSED;
                    case ABORTED -> "skipped: " + reason(result);
                    case FAILED -> "FAILED: " + reason(result);
                };
        test.getSource()
                .filter(source -> test.isTest() && source instanceof MethodSource)
                .map(source -> ((MethodSource) source).getJavaMethod())
                .filter(method -> method.isAnnotationPresent(Holds.class))
                .ifPresent(method -> record(method, outcome));
    }

    private static String reason(TestExecutionResult result) {
        String told = result.getThrowable().map(Throwable::getMessage).orElse("no reason given");
        return told.lines().findFirst().orElse("").replace('\t', ' ').strip();
    }

    private void record(Method test, String outcome) {
        for (String id : test.getAnnotation(Holds.class).value()) {
            outcomes.computeIfAbsent(id, _ -> new LinkedHashMap<>())
                    .merge(
                            Conformance.name(test),
                            outcome,
                            (old, now) -> old.equals(PASSED) ? now : old);
        }
    }

    /** How a fact fared: {@code passed}, or what came of the tests that did not. */
    String outcome(String id) {
        Map<String, String> tests = outcomes.getOrDefault(id, Map.of());
        if (tests.isEmpty()) {
            return "not run";
        }
        List<String> others = tests.values().stream().filter(one -> !one.equals(PASSED)).toList();
        return others.isEmpty() ? PASSED : String.join("; ", others);
    }

    void write(Path file) throws IOException {
        List<String> lines = new ArrayList<>(List.of(place));
        outcomes.forEach(
                (id, tests) ->
                        tests.forEach(
                                (test, outcome) -> lines.add(id + "\t" + test + "\t" + outcome)));
        Files.write(file, lines);
    }

    static ConformanceRun read(Path file) throws IOException {
        List<String> lines = Files.readAllLines(file);
        ConformanceRun run = new ConformanceRun(lines.getFirst());
        for (String line : lines.subList(1, lines.size())) {
            String[] parts = line.split("\t", 3);
            run.outcomes
                    .computeIfAbsent(parts[0], _ -> new LinkedHashMap<>())
                    .put(parts[1], parts[2]);
        }
        return run;
    }
}
