package org.verbs4j.examples;

import org.jspecify.annotations.Nullable;

import java.time.Duration;

/**
 * Every wait of a tool has a limit. The environment variable {@code VERBS4J_TIME_SCALE} stretches
 * all of them where the machine is slow: 10 in an emulated guest, for example.
 */
public final class TimeLimits {
    private static final double SCALE = scale(System.getenv("VERBS4J_TIME_SCALE"));

    private TimeLimits() {}

    public static Duration scaled(Duration limit) {
        return Duration.ofNanos((long) (limit.toNanos() * SCALE));
    }

    /** Anything but a number of at least one means one: a limit is never shortened by accident. */
    static double scale(@Nullable String text) {
        try {
            double scale = text == null ? 1 : Double.parseDouble(text);
            return scale >= 1 && scale <= 1000 ? scale : 1;
        } catch (NumberFormatException e) {
            return 1;
        }
    }

    public static String text(Duration limit) {
        return limit.toMillis() % 1000 == 0 ? limit.toSeconds() + " s" : limit.toMillis() + " ms";
    }
}
