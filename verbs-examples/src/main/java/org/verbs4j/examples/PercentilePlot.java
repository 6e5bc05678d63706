package org.verbs4j.examples;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.stream.DoubleStream;

/**
 * Latency over percentile, a curve for each size, as SVG: a picture that needs neither fonts nor a
 * graphics library where it is drawn. Each further nine takes the same room, and times go up by the
 * decade.
 */
final class PercentilePlot {
    private static final int WIDTH = 1000;
    private static final int HEIGHT = 560;
    private static final int LEFT = 104;
    private static final int RIGHT = 150;
    private static final int TOP = 56;
    private static final int BOTTOM = 70;

    /** Points of a curve for each nine. */
    private static final int STEPS = 40;

    /** A thousand messages have 999 times: that is close enough to three nines. */
    private static final double ALMOST = 0.01;

    /** Fewer messages beyond a percentile than this say nothing about it. */
    private static final int LEAST_BEYOND = 1;

    private final String title;
    private final List<LatencyReport> reports;
    private final double nines;
    private final double lowest;
    private final double highest;

    /**
     * @param tool what was measured
     * @param reports with percentiles, at least one
     */
    PercentilePlot(String tool, List<LatencyReport> reports) {
        this.title = tool + ": latency of one way by percentile";
        this.reports = List.copyOf(reports);
        this.nines = reports.stream().mapToDouble(PercentilePlot::nines).max().orElse(1);
        this.lowest = decade(micros().min().orElse(1), false);
        this.highest = Math.max(lowest * 10, decade(micros().max().orElse(1), true));
    }

    private DoubleStream micros() {
        return reports.stream()
                .flatMapToDouble(
                        report -> DoubleStream.of(at(report, 0), at(report, nines(report))));
    }

    /** How many nines the number of messages supports. */
    private static double nines(LatencyReport report) {
        return Math.log10((double) report.times() / LEAST_BEYOND);
    }

    /** The power of ten at or beyond. */
    private static double decade(double value, boolean up) {
        double exponent = Math.log10(Math.max(value, 1e-3));
        return Math.pow(10, up ? Math.ceil(exponent) : Math.floor(exponent));
    }

    /** Microseconds that all but 10^-nines of the messages did not exceed. */
    private static double at(LatencyReport report, double nines) {
        int all = report.times();
        int beyond = (int) Math.round(all * Math.pow(10, -nines));
        return report.nanos(Math.clamp(all - Math.max(1, beyond), 0, all - 1)) / 1000;
    }

    byte[] svg() {
        StringBuilder svg = new StringBuilder();
        svg.append(
                """
                <svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" width="%d" height="%d" font-family="sans-serif" font-size="13">
                <rect width="100%%" height="100%%" fill="white"/>
                <text x="%d" y="30" font-size="17" font-weight="bold">%s</text>
                """
                        .formatted(WIDTH, HEIGHT, WIDTH, HEIGHT, LEFT, title));
        addPercentiles(svg);
        addTimes(svg);
        for (int i = 0; i < reports.size(); i++) {
            addCurve(svg, i);
        }
        addLegend(svg);
        return svg.append("</svg>\n").toString().getBytes(StandardCharsets.UTF_8);
    }

    private void addPercentiles(StringBuilder svg) {
        List<String> names = List.of("0", "90", "99", "99.9", "99.99", "99.999", "99.9999");
        for (int nine = 0; nine <= nines + ALMOST && nine < names.size(); nine++) {
            line(svg, x(nine), TOP, x(nine), HEIGHT - BOTTOM);
            text(svg, x(nine), HEIGHT - BOTTOM + 20.0, "middle", names.get(nine) + " %");
        }
        double half = Math.log10(2);
        line(svg, x(half), TOP, x(half), HEIGHT - BOTTOM);
        text(svg, x(half), HEIGHT - BOTTOM + 20.0, "middle", "50 %");
        text(svg, (LEFT + WIDTH - RIGHT) / 2.0, HEIGHT - 22.0, "middle", "percentile of messages");
    }

    private void addTimes(StringBuilder svg) {
        for (double decade = lowest; decade <= highest * 1.001; decade *= 10) {
            line(svg, LEFT, y(decade), WIDTH - RIGHT, y(decade));
            text(svg, LEFT - 8.0, y(decade) + 4, "end", number(decade) + " µs");
        }
    }

    private static String number(double micros) {
        return micros >= 1
                ? String.format(Locale.ROOT, "%,d", Math.round(micros))
                : Double.toString(micros);
    }

    private void addCurve(StringBuilder svg, int index) {
        LatencyReport report = reports.get(index);
        List<String> points = new ArrayList<>();
        double end = nines(report);
        for (int step = 0; step <= end * STEPS; step++) {
            double nine = (double) step / STEPS;
            points.add(String.format(Locale.ROOT, "%.1f,%.1f", x(nine), y(at(report, nine))));
        }
        svg.append(
                "<polyline fill=\"none\" stroke=\"%s\" stroke-width=\"2\" points=\"%s\"/>\n"
                        .formatted(color(index), String.join(" ", points)));
    }

    /** The largest on top, as its curve is. */
    private void addLegend(StringBuilder svg) {
        double x = WIDTH - RIGHT + 18.0;
        for (int i = 0; i < reports.size(); i++) {
            int index = reports.size() - 1 - i;
            double y = TOP + 8.0 + i * 19.0;
            svg.append(
                    String.format(
                            Locale.ROOT,
                            "<line x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\" stroke=\"%s\""
                                    + " stroke-width=\"3\"/>%n",
                            x,
                            y,
                            x + 18,
                            y,
                            color(index)));
            text(svg, x + 26, y + 4, "start", bytes(reports.get(index).size()));
        }
    }

    static String bytes(long size) {
        if (size >= 1 << 20 && size % (1 << 20) == 0) {
            return (size >> 20) + " MiB";
        }
        return size >= 1 << 10 && size % (1 << 10) == 0 ? (size >> 10) + " KiB" : size + " B";
    }

    /** From blue for the smallest to red for the largest. */
    private String color(int index) {
        int hue = reports.size() == 1 ? 210 : 240 - 240 * index / (reports.size() - 1);
        return "hsl(" + hue + ",70%,42%)";
    }

    private double x(double nine) {
        return LEFT + nine / nines * (WIDTH - LEFT - RIGHT);
    }

    private double y(double micros) {
        double part = Math.log10(micros / lowest) / Math.log10(highest / lowest);
        return HEIGHT - BOTTOM - Math.clamp(part, 0, 1) * (HEIGHT - TOP - BOTTOM);
    }

    private static void line(StringBuilder svg, double x1, double y1, double x2, double y2) {
        svg.append(
                String.format(
                        Locale.ROOT,
                        "<line x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\" stroke=\"#ddd\"/>%n",
                        x1,
                        y1,
                        x2,
                        y2));
    }

    private static void text(StringBuilder svg, double x, double y, String anchor, String text) {
        svg.append(
                String.format(
                        Locale.ROOT,
                        "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"%s\" fill=\"#333\">%s</text>%n",
                        x,
                        y,
                        anchor,
                        text));
    }
}
