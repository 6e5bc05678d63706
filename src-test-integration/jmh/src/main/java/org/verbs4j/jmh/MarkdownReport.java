package org.verbs4j.jmh;

import java.util.List;
import java.util.Locale;
import java.util.Optional;

/** The tables of the report, as README includes them. */
final class MarkdownReport {
    static final String BEGIN = "<!-- bench: made by ./verbs bench --update-readme -->";
    static final String END = "<!-- end of bench -->";

    private final StringBuilder text = new StringBuilder();

    private MarkdownReport() {}

    static String of(BenchData data) {
        MarkdownReport report = new MarkdownReport();
        report.nullDevice(data);
        report.device(data);
        report.startUp(data);
        return report.text.toString();
    }

    /**
     * A document with the tables between its markers.
     *
     * @throws IllegalArgumentException when it has no markers
     */
    static String include(String document, String tables) {
        int begin = document.indexOf(BEGIN);
        int end = document.indexOf(END);
        if (begin < 0 || end < begin) {
            throw new IllegalArgumentException("no place for the tables: " + BEGIN + " ... " + END);
        }
        return document.substring(0, begin + BEGIN.length())
                + "\n\n"
                + tables
                + "\n"
                + document.substring(end);
    }

    @SuppressWarnings("AnnotateFormatMethod") // the formats are below
    private void line(String format, Object... arguments) {
        text.append(String.format(Locale.ROOT, format, arguments)).append('\n');
    }

    private static String ratio(List<Row> rows, Measured operation, Contender who) {
        return find(rows, operation, who).map(row -> row.toC().toString()).orElse("");
    }

    private static Optional<Row> find(List<Row> rows, Measured operation, Contender who) {
        return rows.stream()
                .filter(row -> row.operation() == operation && row.contender() == who)
                .findFirst();
    }

    private static String nanos(List<Row> rows, Measured operation, Contender who) {
        return find(rows, operation, who)
                .map(row -> String.format(Locale.ROOT, "%.1f", row.nanos()))
                .orElse("");
    }

    private static String limit(Measured operation, Contender who) {
        return Gates.all().stream()
                .filter(gate -> gate.operation() == operation && gate.contender() == who)
                .filter(gate -> gate.baseline() == Contender.C)
                .map(gate -> String.format(Locale.ROOT, " (limit %.2f)", gate.limit()))
                .findFirst()
                .orElse("");
    }

    private void nullDevice(BenchData data) {
        List<Row> rows = data.nullRows();
        if (rows.isEmpty()) {
            return;
        }
        line(
                "Time by the C twin's of the same JVM, median of %d JVMs [least..greatest], null"
                        + " device:",
                data.nullDevice.size());
        line("");
        line("| operation | C, ns | verbs4j | bindings, unchecked | JNI | B/op |");
        line("|---|---|---|---|---|---|");
        for (Operation operation : Operation.values()) {
            if (find(rows, operation, Contender.C).isEmpty()) {
                continue;
            }
            boolean plain = operation == Operation.SYSCALL_PAIR;
            Contender api = plain ? Contender.API_PLAIN : Contender.API;
            Contender bindings = plain ? Contender.BINDINGS_PLAIN : Contender.BINDINGS;
            long allocated =
                    rows.stream()
                            .filter(row -> row.operation() == operation && row.contender() == api)
                            .mapToLong(Row::allocatedBytes)
                            .sum();
            line(
                    "| %s | %s | %s%s | %s%s | %s | %d |",
                    operation.title() + (plain ? ", plain post" : ""),
                    nanos(rows, operation, Contender.C),
                    ratio(rows, operation, api),
                    limit(operation, api),
                    ratio(rows, operation, bindings),
                    limit(operation, bindings),
                    ratio(rows, operation, Contender.JNI),
                    allocated);
        }
        line("");
    }

    private void device(BenchData data) {
        List<Row> rows = data.deviceRows();
        if (rows.isEmpty()) {
            return;
        }
        line(
                "On soft-RoCE (%s), %d JVMs:",
                data.facts.getOrDefault("device", "a device"), data.device.size());
        line("");
        line("| operation | C, µs | verbs4j / C | sockets, µs |");
        line("|---|---|---|---|");
        for (DeviceOperation operation : DeviceOperation.values()) {
            Optional<Row> c = find(rows, operation, Contender.C);
            if (c.isEmpty()) {
                continue;
            }
            line(
                    "| %s | %.2f | %s%s | %s |",
                    operation.title(),
                    c.get().nanos() / 1000,
                    ratio(rows, operation, Contender.API),
                    limit(operation, Contender.API),
                    find(rows, operation, Contender.SOCKETS)
                            .map(row -> String.format(Locale.ROOT, "%.2f", row.nanos() / 1000))
                            .orElse(""));
        }
        line("");
        if (!data.perftest.isEmpty()) {
            line("| perftest in the same place | |");
            line("|---|---|");
            data.perftest.forEach((tool, micros) -> line("| %s | %.2f |", tool, micros));
            line("");
        }
    }

    private void startUp(BenchData data) {
        StartUp.Result startUp = data.startUp;
        if (startUp == null) {
            return;
        }
        line("Start to first completion, whole process, median of %d:", startUp.runs());
        line("");
        line("| | ms |");
        line("|---|---|");
        startUp.millis().forEach((what, millis) -> line("| %s | %.0f |", what, millis));
        line("");
        line(
                "%d foreign-call shapes linked (limit %d); AOT cache %.1f MB.",
                startUp.shapes(), StartUp.MAX_SHAPES, startUp.cacheBytes() / 1e6);
    }
}
