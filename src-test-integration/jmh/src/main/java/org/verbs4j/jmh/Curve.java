package org.verbs4j.jmh;

import org.HdrHistogram.Histogram;

import java.text.DecimalFormat;
import java.text.DecimalFormatSymbols;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** A latency distribution: nanoseconds at percentiles. */
record Curve(
        String operation,
        String contender,
        String title,
        List<Double> percentiles,
        List<Long> nanos) {
    private static final double[] PERCENTILES = {0, 50, 75, 90, 95, 99, 99.5, 99.9};

    /** Of slices, each of which gives one value per operation. */
    static Curve of(Measured operation, Contender contender, List<Double> nanosPerOperation) {
        Histogram histogram = new Histogram(3);
        for (double nanos : nanosPerOperation) {
            histogram.recordValue(Math.max(1, Math.round(nanos)));
        }
        List<Double> at = new ArrayList<>();
        List<Long> values = new ArrayList<>();
        for (double percentile : PERCENTILES) {
            at.add(percentile);
            values.add(histogram.getValueAtPercentile(percentile));
        }
        return new Curve(operation.name(), contender.name(), contender.title(), at, values);
    }

    static String name(double percentile) {
        return "p"
                + new DecimalFormat("0.##", DecimalFormatSymbols.getInstance(Locale.ROOT))
                        .format(percentile);
    }

    long at(double percentile) {
        return nanos.get(percentiles.indexOf(percentile));
    }
}
