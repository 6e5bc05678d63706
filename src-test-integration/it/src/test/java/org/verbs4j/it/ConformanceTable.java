package org.verbs4j.it;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;

/**
 * Makes {@code CONFORMANCE.md}: every fact, what is expected, who holds it, and what came of it in
 * each run that is given as a file.
 */
public final class ConformanceTable {
    static final String FILE = "CONFORMANCE.md";

    private static final String INTRODUCTION =
            """
            # Conformance

            What libibverbs does, fact by fact, and what came of it. Made by
            `src-test-integration/it/run-device-suite --conformance`, which runs the tests named in the last
            column where the others say; not to be edited.

            "soft-RoCE" is Linux' `rdma_rxe` with rdma-core's provider of that name. What it does before Linux 6.12 is
            expected as measured with the C library, what newer kernels and other providers do as the reference says:
            documentation, source code, and measurements on 6.12. Where a device differs from the reference a test is
            skipped and tells so; where it differs from what was measured, it fails. `=` repeats the column before.
            `sender` and `receiver` are the two sides of a transfer, with the status of the completion there.
            """;

    private ConformanceTable() {}

    /** Writes the table; the first argument is its file, the others are files of results. */
    public static void main(String[] args) throws IOException {
        List<ConformanceRun> runs = new ArrayList<>();
        for (String file : Arrays.asList(args).subList(1, args.length)) {
            runs.add(ConformanceRun.read(Path.of(file)));
        }
        Files.writeString(Path.of(args[0]), render(runs));
    }

    static String render(List<ConformanceRun> runs) {
        StringBuilder out = new StringBuilder(INTRODUCTION);
        Map<String, List<String>> holders = Conformance.holders();
        String section = "";
        for (Fact fact : Conformance.facts()) {
            if (!fact.section().equals(section)) {
                section = fact.section();
                out.append("\n## ").append(section).append("\n\n").append(header(runs));
            }
            out.append(row(fact)).append(" |");
            runs.forEach(run -> out.append(' ').append(cell(run.outcome(fact.id()))).append(" |"));
            out.append(' ').append(held(fact, holders)).append(" |\n");
        }
        return out.toString();
    }

    private static String header(List<ConformanceRun> runs) {
        StringBuilder out =
                new StringBuilder(
                        "| | fact | soft-RoCE before 6.12 | soft-RoCE from 6.12 on | others |");
        runs.forEach(run -> out.append(' ').append(run.place()).append(" |"));
        out.append(" held by |\n|---|---|---|---|---|");
        runs.forEach(_ -> out.append("---|"));
        return out.append("---|\n").toString();
    }

    /** What a row begins with, whatever came of it. */
    static String row(Fact fact) {
        return "| %s | %s | %s | %s | %s"
                .formatted(
                        fact.id(),
                        cell(fact.text()),
                        cell(fact.measured()),
                        fact.newer().equals(fact.measured()) ? "=" : cell(fact.newer()),
                        fact.others().equals(fact.newer()) ? "=" : cell(fact.others()));
    }

    /** What a row ends with. */
    static String held(Fact fact, Map<String, List<String>> holders) {
        return String.join("<br>", holders.getOrDefault(fact.id(), List.of("nobody")));
    }

    private static String cell(String text) {
        return text.replace("|", "\\|");
    }
}
