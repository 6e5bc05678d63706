package org.verbs4j.cm;

import java.time.Duration;

/** When an operation of several steps must be over. */
final class Deadline {
    /** What connecting and accepting may take when nothing else is said. */
    static final Duration DEFAULT = Duration.ofSeconds(10);

    private final Duration timeout;
    private final long end;

    private Deadline(Duration timeout) {
        this.timeout = timeout;
        this.end = System.nanoTime() + EventChannel.nanos(timeout);
    }

    static Deadline in(Duration timeout) {
        return new Deadline(timeout);
    }

    /** Never negative. */
    Duration left() {
        return Duration.ofNanos(Math.max(0, end - System.nanoTime()));
    }

    /** All that there was. */
    Duration timeout() {
        return timeout;
    }
}
