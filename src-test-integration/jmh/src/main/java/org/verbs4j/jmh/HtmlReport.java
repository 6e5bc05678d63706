package org.verbs4j.jmh;

import java.util.ArrayList;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** The report as one HTML file, pictures included. */
final class HtmlReport {
    private static final String HEAD =
            """
            <!DOCTYPE html>
            <html lang="en"><head><meta charset="utf-8"><title>verbs4j benchmarks</title>
            <style>
            body { font: 15px/1.5 sans-serif; max-width: 1200px; margin: 2em auto; padding: 0 1em; color: #222; }
            img { max-width: 100%; border: 1px solid #ddd; margin: 1em 0 .3em; }
            table { border-collapse: collapse; margin: 1em 0; }
            th, td { border: 1px solid #ccc; padding: .25em .6em; text-align: right; }
            th:first-child, td:first-child { text-align: left; }
            .fail { color: #b00; font-weight: bold; } .ok { color: #060; }
            p.note { color: #555; margin-top: 0; }
            </style></head><body>
            <h1>verbs4j benchmarks</h1>
            """;

    private final StringBuilder html = new StringBuilder(HEAD);
    private final BenchData data;

    private HtmlReport(BenchData data) {
        this.data = data;
    }

    static String of(BenchData data, List<Gates.Verdict> verdicts) {
        HtmlReport report = new HtmlReport(data);
        report.facts();
        report.verdicts(verdicts);
        report.nullDevice();
        report.device();
        report.startUp();
        return report.html.append("</body></html>\n").toString();
    }

    private static String escape(Object text) {
        return text.toString().replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;");
    }

    private void heading(String text) {
        html.append("<h2>").append(escape(text)).append("</h2>\n");
    }

    private void note(String text) {
        html.append("<p class=\"note\">").append(escape(text)).append("</p>\n");
    }

    private void picture(byte[] png, String alternative) {
        html.append("<img alt=\"")
                .append(escape(alternative))
                .append("\" src=\"data:image/png;base64,")
                .append(Base64.getEncoder().encodeToString(png))
                .append("\">\n");
    }

    private void table(List<String> head, List<List<String>> rows) {
        html.append("<table><tr>");
        head.forEach(cell -> html.append("<th>").append(escape(cell)).append("</th>"));
        html.append("</tr>\n");
        for (List<String> row : rows) {
            html.append("<tr>");
            row.forEach(cell -> html.append("<td>").append(escape(cell)).append("</td>"));
            html.append("</tr>\n");
        }
        html.append("</table>\n");
    }

    private void facts() {
        List<List<String>> rows = new ArrayList<>();
        data.facts.forEach((name, value) -> rows.add(List.of(name, value)));
        table(List.of("where", ""), rows);
    }

    private void verdicts(List<Gates.Verdict> verdicts) {
        heading("Gates");
        html.append(
                "<table><tr><th>ratio of"
                    + " medians</th><th>measured</th><th>target</th><th>limit</th><th></th></tr>\n");
        for (Gates.Verdict verdict : verdicts) {
            Gates.Gate gate = verdict.gate();
            html.append("<tr><td>")
                    .append(escape(gate.title()))
                    .append("</td><td>")
                    .append(escape(verdict.measured().map(Ratio::toString).orElse("not measured")))
                    .append("</td><td>")
                    .append(
                            gate.target() == 0
                                    ? ""
                                    : String.format(Locale.ROOT, "%.2f", gate.target()))
                    .append(String.format(Locale.ROOT, "</td><td>%.2f</td>", gate.limit()))
                    .append(
                            verdict.passed()
                                    ? "<td class=\"ok\">met</td>"
                                    : "<td class=\"fail\">missed</td>")
                    .append("</tr>\n");
        }
        html.append("</table>\n");
    }

    private void nullDevice() {
        List<Row> rows = data.nullRows();
        if (rows.isEmpty()) {
            return;
        }
        heading("Null device: what a call costs");
        note(
                "A C library that does for every message what a user-space driver does, with no"
                    + " hardware behind it. All contenders take turns in slices of 960 operations"
                    + " in one JVM; the ratio is that of the median slices; bars are the median"
                    + " over JVMs, error bars half of the spread.");
        List<Contender> shown =
                List.of(Contender.API, Contender.BINDINGS, Contender.BINDINGS_PLAIN, Contender.JNI);
        List<Operation> calls =
                List.of(
                        Operation.POST,
                        Operation.POLL_HIT,
                        Operation.POLL_EMPTY,
                        Operation.RECEIVE,
                        Operation.NOTIFY,
                        Operation.PAIR,
                        Operation.FULL_PAIR,
                        Operation.SYSCALL_PAIR);
        picture(
                Charts.ratios("Calls, relative to C", calls, shown, rows, Gates.NULL_DEVICE),
                "ratios of single calls");
        List<Operation> others =
                List.of(
                        Operation.BATCH_4,
                        Operation.BATCH_16,
                        Operation.BATCH_32,
                        Operation.FILL,
                        Operation.READ);
        picture(
                Charts.ratios(
                        "Batches and memory access, relative to C",
                        others,
                        List.of(Contender.API, Contender.BINDINGS, Contender.JNI),
                        rows,
                        Gates.NULL_DEVICE),
                "ratios of batches");
        picture(Charts.batches(rows), "time of a request by batch size");
        picture(
                Charts.bars(
                        "Allocation, after warm-up",
                        "bytes per operation",
                        List.of(
                                Operation.POST,
                                Operation.POLL_HIT,
                                Operation.PAIR,
                                Operation.FULL_PAIR,
                                Operation.BATCH_16),
                        List.of(
                                Contender.API,
                                Contender.BINDINGS,
                                Contender.JNI,
                                Contender.GENERATED),
                        rows,
                        row -> row.allocatedBytes() / 48_000.0),
                "allocation by operation");
        note(
                "\"jextract style\" is what one writes first: segments as arguments, a slice for"
                    + " each struct. It takes part in one operation, to show what the hot path's"
                    + " design is for. Every other bar is 0.");
        contenders();
        nanoseconds(rows);
    }

    private void contenders() {
        List<List<String>> rows = new ArrayList<>();
        for (Contender contender : Contender.values()) {
            rows.add(List.of(contender.title(), contender.meaning()));
        }
        table(List.of("contender", "what it is"), rows);
    }

    private void nanoseconds(List<Row> rows) {
        List<List<String>> cells = new ArrayList<>();
        for (Row row : rows) {
            cells.add(
                    List.of(
                            row.operation().title(),
                            row.contender().title(),
                            String.format(Locale.ROOT, "%.1f", row.nanos()),
                            row.toC().toString(),
                            row.toJni().map(Ratio::toString).orElse(""),
                            String.format(Locale.ROOT, "%d", row.allocatedBytes())));
        }
        table(List.of("operation", "contender", "ns", "/ C", "/ JNI", "bytes in 48,000"), cells);
    }

    private void device() {
        if (data.device.isEmpty()) {
            heading("Real device");
            note(
                    "Not measured: "
                            + (data.withoutDevice == null ? "no device" : data.withoutDevice)
                            + ".");
            return;
        }
        List<Row> rows = data.deviceRows();
        heading("Soft-RoCE: what is left of it on a device");
        note(
                "Java and its C twin in turns on the same queue pair and queue. In a User-Mode"
                        + " Linux guest a system call takes some 25 µs, the clock's too: slices are"
                        + " long beside it, and its cost is subtracted.");
        List<DeviceOperation> latencies =
                List.of(
                        DeviceOperation.WRITE_8,
                        DeviceOperation.WRITE_4K,
                        DeviceOperation.READ_8,
                        DeviceOperation.FETCH_AND_ADD,
                        DeviceOperation.PING_PONG);
        List<DeviceOperation> streams =
                List.of(DeviceOperation.values()).stream()
                        .filter(DeviceOperation::isStream)
                        .toList();
        picture(
                Charts.ratios(
                        "On the device, relative to C",
                        List.of(DeviceOperation.values()),
                        List.of(Contender.API),
                        rows,
                        Gates.DEVICE),
                "ratios on the device");
        picture(
                Charts.bars(
                        "Latency",
                        "µs",
                        latencies,
                        List.of(Contender.C, Contender.API, Contender.SOCKETS),
                        rows,
                        row -> row.nanos() / 1000),
                "latency");
        picture(
                Charts.bars(
                        "Message rate",
                        "thousand messages per second",
                        streams.stream().filter(o -> o.length() == 8).toList(),
                        List.of(Contender.C, Contender.API),
                        rows,
                        row -> 1e6 / row.nanos()),
                "message rate");
        picture(
                Charts.bars(
                        "Bandwidth",
                        "MB/s",
                        streams.stream().filter(o -> o.length() > 8).toList(),
                        List.of(Contender.C, Contender.API, Contender.SOCKETS),
                        rows,
                        row -> row.nanos() == 0 ? 0 : bytes(row) * 1e3 / row.nanos()),
                "bandwidth");
        curves();
        perftest();
    }

    private static int bytes(Row row) {
        return row.operation() instanceof DeviceOperation operation ? operation.length() : 0;
    }

    private void curves() {
        Map<String, List<Curve>> byOperation = new LinkedHashMap<>();
        for (Curve curve : data.device.getLast().curves()) {
            byOperation.computeIfAbsent(curve.operation(), _ -> new ArrayList<>()).add(curve);
        }
        byOperation.forEach(
                (operation, curves) ->
                        picture(
                                Charts.percentiles(Measured.valueOf(operation).title(), curves),
                                "percentiles of " + operation));
        note(
                "Percentiles of slices of 16 operations each, in the last JVM; what stops the whole"
                        + " guest is in them.");
    }

    private void perftest() {
        if (data.perftest.isEmpty()) {
            return;
        }
        List<List<String>> rows = new ArrayList<>();
        data.perftest.forEach(
                (tool, value) ->
                        rows.add(List.of(tool, String.format(Locale.ROOT, "%.2f", value))));
        table(List.of("perftest in the same place", ""), rows);
    }

    private void startUp() {
        StartUp.Result startUp = data.startUp;
        if (startUp == null) {
            return;
        }
        heading("Start-up");
        picture(
                Charts.bars(
                        "From start of the JVM to its end, median of " + startUp.runs(),
                        "ms",
                        startUp.millis()),
                "start-up times");
        note(
                startUp.shapes()
                        + " shapes of foreign calls linked (limit "
                        + StartUp.MAX_SHAPES
                        + "); the AOT cache has "
                        + startUp.cacheBytes() / 1_000_000
                        + " MB.");
    }
}
