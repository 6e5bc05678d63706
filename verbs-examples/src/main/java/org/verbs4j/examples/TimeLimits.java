package org.verbs4j.examples;

import java.time.Duration;

/**
 * Every wait of a tool has a limit. The environment variable {@code VERBS4J_TIME_SCALE} stretches
 * all of them where the machine is slow, such as 10 in an emulated guest.
 */
final class TimeLimits {
    private static final double SCALE = scale(System.getenv("VERBS4J_TIME_SCALE"));

    /** One step of an exchange over TCP, once connected. */
    static final Duration EXCHANGE = scaled(Duration.ofSeconds(10));

    /** Traffic that makes no progress. */
    static final Duration COMPLETION = scaled(Duration.ofSeconds(10));

    private TimeLimits() {}

    static Duration scaled(Duration limit) {
        return Duration.ofNanos((long) (limit.toNanos() * SCALE));
    }

    /** Anything but a number of at least one means one: a limit is never shortened by accident. */
    static double scale(@org.jspecify.annotations.Nullable String text) {
        try {
            double scale = text == null ? 1 : Double.parseDouble(text);
            return scale >= 1 && scale <= 1000 ? scale : 1;
        } catch (NumberFormatException e) {
            return 1;
        }
    }

    static String text(Duration limit) {
        return limit.toMillis() % 1000 == 0 ? limit.toSeconds() + " s" : limit.toMillis() + " ms";
    }
}
