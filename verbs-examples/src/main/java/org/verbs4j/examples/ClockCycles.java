package org.verbs4j.examples;

import java.util.List;
import java.util.Locale;

/**
 * How far receives are apart by the device's clock, as {@code ibv_rc_pingpong -t} tells it. Belongs
 * to one thread.
 */
final class ClockCycles {
    private final long mask;
    private long max;
    private long min = 0xffff_ffffL; // of the C tool
    private long total;
    private long previous;
    private long count = -1;

    /**
     * @param mask the bits of a time stamp that count; it wraps around there
     */
    ClockCycles(long mask) {
        this.mask = mask;
    }

    void add(long timestamp) {
        if (count >= 0) {
            long delta = timestamp - previous & mask;
            max = Math.max(max, delta);
            min = Math.min(min, delta);
            total += delta;
        }
        previous = timestamp;
        count++;
    }

    /** The lines of the C tool: none when there was one receive only. */
    List<String> lines() {
        if (count < 1) {
            return List.of();
        }
        return List.of(
                "Max receive completion clock cycles = " + Long.toUnsignedString(max),
                "Min receive completion clock cycles = " + Long.toUnsignedString(min),
                String.format(
                        Locale.ROOT,
                        "Average receive completion clock cycles = %f",
                        (double) total / count));
    }
}
