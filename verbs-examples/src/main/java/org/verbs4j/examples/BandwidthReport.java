package org.verbs4j.examples;

import java.util.Locale;

/**
 * What a bandwidth test of one size came to, in bytes a second whatever the peer counts in.
 *
 * @param size bytes of a message
 * @param iterations messages
 * @param peak of the best stretch in MB or Gbit a second, 0 when it was not looked for
 * @param average in MB or Gbit a second
 * @param rate million messages a second
 */
record BandwidthReport(long size, long iterations, double peak, double average, double rate) {
    private static final double MEGABYTE = 1 << 20;
    private static final double GIGABIT = 125e6;
    private static final double NANOS_PER_SECOND = 1e9;
    private static final double MILLION = 1e6;

    /** Below, two digits behind the point say nothing. */
    private static final double TINY = 0.1;

    /** What a side that only waits has to say. */
    static final BandwidthReport NOTHING = new BandwidthReport(0, 0, 0, 0, 0);

    /**
     * @param peakNanos of a message in the best stretch, 0 when it was not looked for
     * @param nanos of all messages
     */
    static BandwidthReport of(
            PerfPlan plan, long size, long messages, double peakNanos, long nanos) {
        double unit = plan.options().gigabits ? GIGABIT : MEGABYTE;
        double perSecond = messages * NANOS_PER_SECOND / Math.max(1, nanos);
        return new BandwidthReport(
                size,
                messages,
                peakNanos == 0 ? 0 : size * NANOS_PER_SECOND / peakNanos / unit,
                size * perSecond / unit,
                perSecond / MILLION);
    }

    /** Of both directions. */
    BandwidthReport plus(BandwidthReport other) {
        return new BandwidthReport(
                size, iterations, peak + other.peak, average + other.average, rate + other.rate);
    }

    static String head(boolean gigabits) {
        String unit = gigabits ? "Gb/sec" : "MB/sec";
        return " #bytes     #iterations    BW peak[%s]    BW average[%s]   MsgRate[Mpps]"
                .formatted(unit, unit);
    }

    /** The line of the table. */
    String row(boolean gigabits) {
        return String.format(
                Locale.ROOT,
                gigabits && average < TINY
                        ? " %-7d    %d           %-7.6f            %-7.6f            %-7.6f"
                        : " %-7d    %-10d       %-7.2f            %-7.2f\t\t   %-7.6f",
                size,
                iterations,
                peak,
                average,
                rate);
    }
}
