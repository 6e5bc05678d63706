package org.verbs4j.jmh;

import java.util.Arrays;
import java.util.Locale;

/** The ratio of two contenders in several JVMs. */
record Ratio(double median, double least, double greatest) {
    static Ratio of(double[] ratios) {
        return new Ratio(
                Duel.median(ratios),
                Arrays.stream(ratios).min().orElseThrow(),
                Arrays.stream(ratios).max().orElseThrow());
    }

    /** Such as {@code 1.23 [1.20..1.25]}. */
    @Override
    public String toString() {
        return String.format(Locale.ROOT, "%.2f [%.2f..%.2f]", median, least, greatest);
    }
}
