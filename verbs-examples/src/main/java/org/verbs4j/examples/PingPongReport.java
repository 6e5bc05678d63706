package org.verbs4j.examples;

import java.util.Locale;

/**
 * The two lines at the end of a ping-pong, rounded as the C tools round: the time is a float of
 * microseconds.
 */
record PingPongReport(long size, int iterations, long nanos) {
    String throughput() {
        float micros = micros();
        long bytes = size * iterations * 2;
        return String.format(
                Locale.ROOT,
                "%d bytes in %.2f seconds = %.2f Mbit/sec",
                bytes,
                micros / 1_000_000.,
                bytes * 8. / micros);
    }

    String latency() {
        float micros = micros();
        return String.format(
                Locale.ROOT,
                "%d iters in %.2f seconds = %.2f usec/iter",
                iterations,
                micros / 1_000_000.,
                micros / iterations);
    }

    private float micros() {
        long whole = nanos / 1000;
        return whole;
    }
}
