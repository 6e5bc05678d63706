package org.verbs4j;

import org.verbs4j.bindings.ContextVerbs;
import org.verbs4j.bindings.Posix;
import org.verbs4j.bindings.Verbs;
import org.verbs4j.bindings.ibv_device_attr_ex;
import org.verbs4j.bindings.ibv_values_ex;
import org.verbs4j.bindings.timespec;
import org.verbs4j.bindings.verbs_context;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.concurrent.TimeUnit;

/**
 * The clock that a device stamps completions with, {@code ibv_query_rt_values_ex(3)}, see {@link
 * ExtendedCompletion#timestamp()}. Any thread may use it.
 */
public final class DeviceClock {
    private static final long NANOS_PER_MILLI = TimeUnit.MILLISECONDS.toNanos(1);

    private final DeviceContext context;
    private final long kiloHertz;
    private final long mask;

    DeviceClock(DeviceContext context, long kiloHertz, long mask) {
        this.context = context;
        this.kiloHertz = kiloHertz;
        this.mask = mask;
    }

    static DeviceClock of(DeviceContext context) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment attr = arena.allocate(ibv_device_attr_ex.layout());
            int errno =
                    ContextVerbs.ibv_query_device_ex(context.handle().address(), 0, attr.address());
            String what = "the clock of " + context.device().name();
            if (errno != 0) {
                throw UnsupportedVerbs.failure("ibv_query_device_ex", errno, context, what);
            }
            long kiloHertz = ibv_device_attr_ex.hca_core_clock(attr);
            long mask = ibv_device_attr_ex.completion_timestamp_mask(attr);
            if (kiloHertz <= 0 || mask == 0) {
                throw new UnsupportedVerbException(
                        "ibv_query_device_ex",
                        Posix.EOPNOTSUPP(),
                        what + ": the device does not stamp completions");
            }
            return new DeviceClock(context, kiloHertz, mask);
        }
    }

    /** How often it ticks, in kilohertz: {@code hca_core_clock}. */
    public long kiloHertz() {
        return kiloHertz;
    }

    /**
     * The bits that it counts in; a time stamp has no others: {@code completion_timestamp_mask}.
     */
    public long mask() {
        return mask;
    }

    /**
     * What it shows now, in ticks, {@code ibv_query_rt_values_ex(3)}.
     *
     * @throws UnsupportedVerbException when the device cannot be asked
     * @throws IllegalStateException when the context is closed
     */
    public long now() {
        return context.life()
                .whileOpen(
                        () -> {
                            try (Arena arena = Arena.ofConfined()) {
                                return read(arena.allocate(ibv_values_ex.layout()));
                            }
                        });
    }

    private long read(MemorySegment values) {
        ibv_values_ex.comp_mask(values, Verbs.IBV_VALUES_MASK_RAW_CLOCK());
        int errno = ContextVerbs.ibv_query_rt_values_ex(context.address(), values.address());
        String what = "reading the clock of " + context.device().name();
        if (errno != 0) {
            throw UnsupportedVerbs.failure(
                    "ibv_query_rt_values_ex",
                    errno,
                    context,
                    verbs_context.query_rt_values$offset(),
                    what);
        }
        if ((ibv_values_ex.comp_mask(values) & Verbs.IBV_VALUES_MASK_RAW_CLOCK()) == 0) {
            throw new UnsupportedVerbException(
                    "ibv_query_rt_values_ex",
                    Posix.EOPNOTSUPP(),
                    what + ": the provider " + context.provider() + " left it out");
        }
        // Ticks in the shape of a timespec: mlx5 puts all of them into the nanoseconds.
        MemorySegment raw = ibv_values_ex.raw_clock(values);
        return timespec.tv_sec(raw) * TimeUnit.SECONDS.toNanos(1) + timespec.tv_nsec(raw);
    }

    /**
     * The time between two readings or time stamps, in nanoseconds; right across one wrap of the
     * clock.
     *
     * @param earlier in ticks
     * @param later in ticks
     */
    public long nanosBetween(long earlier, long later) {
        long ticks = (later - earlier) & mask;
        return Long.divideUnsigned(ticks, kiloHertz) * NANOS_PER_MILLI
                + Long.remainderUnsigned(ticks, kiloHertz) * NANOS_PER_MILLI / kiloHertz;
    }
}
