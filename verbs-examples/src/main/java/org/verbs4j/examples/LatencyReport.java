package org.verbs4j.examples;

import java.util.Arrays;
import java.util.Locale;

/**
 * What a latency test of one size came to, by the definitions of perftest: of the times between
 * posting one message and the next the two longest do not count, and where messages go both ways
 * half the time is one way's. The standard deviation is the exact one, where perftest cuts each
 * difference off to whole microseconds.
 */
final class LatencyReport {
    static final String LINE =
            "---------------------------------------------------------------------------------------";

    private static final int TAIL = 2;
    private static final double NANOS = 1000;
    private static final double NANOS_PER_SECOND = 1e9;

    private final long size;
    private final long iterations;
    private final double[] nanos;
    private final double averageMicros;
    private final double perSecond;

    private LatencyReport(
            long size, long iterations, double[] nanos, double averageMicros, double perSecond) {
        this.size = size;
        this.iterations = iterations;
        this.nanos = nanos;
        this.averageMicros = averageMicros;
        this.perSecond = perSecond;
    }

    /** Out of the moments at which messages were posted. */
    static LatencyReport of(PerfVerb verb, long size, long[] posted) {
        double[] nanos = new double[posted.length - 1];
        int ways = verb.isRoundTrip() ? 1 : 2;
        for (int i = 0; i < nanos.length; i++) {
            nanos[i] = (double) (posted[i + 1] - posted[i]) / ways;
        }
        Arrays.sort(nanos);
        double average =
                Arrays.stream(nanos, 0, nanos.length - TAIL).average().orElseThrow() / NANOS;
        return new LatencyReport(size, posted.length, nanos, average, 0);
    }

    /** Out of a run with {@code -D}. */
    static LatencyReport of(PerfVerb verb, long size, long messages, long elapsed) {
        int ways = verb.isRoundTrip() ? 1 : 2;
        return new LatencyReport(
                size,
                messages,
                new double[0],
                elapsed / NANOS / ways / messages,
                messages * NANOS_PER_SECOND / elapsed);
    }

    /** Bytes of a message. */
    long size() {
        return size;
    }

    long iterations() {
        return iterations;
    }

    /** How many times there are: none of a run with {@code -D}. */
    int times() {
        return nanos.length;
    }

    /**
     * One way's time of a message, of all in order.
     *
     * @param rank 0 is the shortest
     */
    double nanos(int rank) {
        return nanos[rank];
    }

    /** Of those that count. */
    double averageMicros() {
        return averageMicros;
    }

    /** Messages a second; of a run with {@code -D} only. */
    double perSecond() {
        return perSecond;
    }

    boolean isTimed() {
        return nanos.length == 0;
    }

    static String head(boolean timed) {
        return timed
                ? " #bytes        #iterations       t_avg[usec]    tps average"
                : " #bytes #iterations    t_min[usec]    t_max[usec]  t_typical[usec]   "
                        + " t_avg[usec]    t_stdev[usec]   99% percentile[usec]   99.9%"
                        + " percentile[usec] ";
    }

    private int counted() {
        return nanos.length - TAIL;
    }

    double min() {
        return nanos[0] / NANOS;
    }

    double max() {
        return nanos[counted()] / NANOS;
    }

    double median() {
        int n = counted();
        double upper = nanos[n / 2];
        return (n % 2 == 0 ? (upper + nanos[n / 2 - 1]) / 2 : upper) / NANOS;
    }

    double standardDeviation() {
        double sum = 0;
        for (int i = 0; i < counted(); i++) {
            double difference = nanos[i] / NANOS - averageMicros;
            sum += difference * difference;
        }
        return Math.sqrt(sum / counted());
    }

    /** Microseconds that so large a part of the messages did not exceed. */
    double percentile(double part) {
        return nanos[(int) Math.ceil(counted() * part)] / NANOS;
    }

    /** The line of the table. */
    String row() {
        if (isTimed()) {
            return String.format(
                    Locale.ROOT,
                    " %-7d       %d            %-7.2f        %-7.2f",
                    size,
                    iterations,
                    averageMicros,
                    perSecond);
        }
        return String.format(
                Locale.ROOT,
                " %-7d %d          %-7.2f        %-7.2f      %-7.2f  \t       %-7.2f     \t%-7.2f"
                        + "\t\t%-7.2f \t\t%-7.2f",
                size,
                iterations,
                min(),
                max(),
                median(),
                averageMicros,
                standardDeviation(),
                percentile(0.99),
                percentile(0.999));
    }
}
