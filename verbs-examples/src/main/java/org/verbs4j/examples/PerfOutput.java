package org.verbs4j.examples;

import org.HdrHistogram.Histogram;
import org.jspecify.annotations.Nullable;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** What a run leaves in files: {@code --histogram}, {@code --plot} and {@code --json}. */
final class PerfOutput {
    private static final int DIGITS = 3;
    private static final double MICROS = 1000;

    private final String tool;
    private final PerfPlan plan;
    private final List<LatencyReport> latencies = new ArrayList<>();
    private final List<BandwidthReport> bandwidths = new ArrayList<>();

    PerfOutput(String tool, PerfPlan plan) {
        this.tool = tool;
        this.plan = plan;
    }

    /** Better before a long run than after it. */
    void requireWritable() {
        requireWritable(plan.options().histogram);
        requireWritable(plan.options().plot);
        requireWritable(plan.options().json);
    }

    private static void requireWritable(@Nullable Path file) {
        if (file == null) {
            return;
        }
        Path directory = file.toAbsolutePath().getParent();
        boolean possible =
                Files.exists(file)
                        ? Files.isRegularFile(file) && Files.isWritable(file)
                        : directory != null
                                && Files.isDirectory(directory)
                                && Files.isWritable(directory);
        if (!possible) {
            throw new ToolFailure("cannot write " + file);
        }
    }

    void add(LatencyReport report) {
        latencies.add(report);
    }

    void add(BandwidthReport report) {
        bandwidths.add(report);
    }

    /** After the run. */
    void write() {
        PerfOptions options = plan.options();
        if (options.histogram != null) {
            for (LatencyReport report : latencies) {
                write(histogramFile(options.histogram, report.size()), percentiles(report));
            }
        }
        if (options.plot != null) {
            write(options.plot, new PercentilePlot(tool, latencies).svg());
        }
        if (options.json != null) {
            write(options.json, json());
        }
    }

    /** With {@code -a} the size stands in front of the extension. */
    private Path histogramFile(Path file, long size) {
        if (!plan.options().all) {
            return file;
        }
        String name = file.getFileName().toString();
        int dot = name.lastIndexOf('.');
        return file.resolveSibling(
                dot <= 0
                        ? name + "-" + size
                        : name.substring(0, dot) + "-" + size + name.substring(dot));
    }

    /** One way's time of every message, in microseconds: HdrHistogram's own form. */
    private static byte[] percentiles(LatencyReport report) {
        Histogram histogram = new Histogram(DIGITS);
        for (int i = 0; i < report.times(); i++) {
            histogram.recordValue(Math.round(report.nanos(i)));
        }
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (PrintStream out = new PrintStream(bytes, false, StandardCharsets.US_ASCII)) {
            histogram.outputPercentileDistribution(out, MICROS);
        }
        return bytes.toByteArray();
    }

    private byte[] json() {
        PerfOptions options = plan.options();
        Map<String, Object> all = new LinkedHashMap<>();
        all.put("tool", tool);
        all.put("side", plan.isClient() ? "client" : "server");
        all.put("connection", plan.transport());
        all.put("queuePairs", options.pairs);
        all.put("txDepth", plan.sendDepth());
        all.put("rxDepth", plan.verb() == PerfVerb.SEND ? plan.receiveDepth() : 1);
        all.put("events", options.events);
        all.put("bidirectional", options.duplex);
        all.put("seconds", options.seconds);
        List<Map<String, Object>> results = new ArrayList<>();
        latencies.forEach(report -> results.add(fields(report)));
        bandwidths.forEach(report -> results.add(fields(report)));
        all.put("results", results);
        return (Json.of(all) + "\n").getBytes(StandardCharsets.UTF_8);
    }

    private static Map<String, Object> fields(LatencyReport report) {
        Map<String, Object> fields = new LinkedHashMap<>();
        fields.put("bytes", report.size());
        fields.put("iterations", report.iterations());
        fields.put("averageMicros", report.averageMicros());
        if (report.isTimed()) {
            fields.put("perSecond", report.perSecond());
        } else {
            fields.put("minMicros", report.min());
            fields.put("maxMicros", report.max());
            fields.put("medianMicros", report.median());
            fields.put("standardDeviationMicros", report.standardDeviation());
            fields.put("percentile99Micros", report.percentile(0.99));
            fields.put("percentile99_9Micros", report.percentile(0.999));
        }
        return fields;
    }

    private Map<String, Object> fields(BandwidthReport report) {
        String unit = plan.options().gigabits ? "Gbits" : "Megabytes";
        Map<String, Object> fields = new LinkedHashMap<>();
        fields.put("bytes", report.size());
        fields.put("iterations", report.iterations());
        fields.put("peak" + unit + "PerSecond", report.peak());
        fields.put("average" + unit + "PerSecond", report.average());
        fields.put("millionMessagesPerSecond", report.rate());
        return fields;
    }

    private static void write(Path file, byte[] bytes) {
        try {
            Files.write(file, bytes);
        } catch (IOException e) {
            throw new ToolFailure("cannot write " + file + ": " + e.getMessage(), e);
        }
    }
}
