package org.verbs4j.jmh;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.SymbolLookup;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.nio.file.Path;
import java.util.concurrent.locks.LockSupport;

/**
 * The C loops over one loopback's queue pair, queue and region. Not thread-safe; close it before
 * the loopback.
 *
 * <p>A slice is one foreign call, so its cost does not count.
 */
final class CTwin implements AutoCloseable {
    private static final MethodHandle LOOP =
            Linker.nativeLinker()
                    .downcallHandle(
                            FunctionDescriptor.of(
                                    ValueLayout.JAVA_LONG,
                                    ValueLayout.JAVA_LONG,
                                    ValueLayout.JAVA_LONG,
                                    ValueLayout.JAVA_LONG,
                                    ValueLayout.JAVA_LONG,
                                    ValueLayout.JAVA_LONG));
    private static final MethodHandle NEW =
            Linker.nativeLinker()
                    .downcallHandle(
                            FunctionDescriptor.of(
                                    ValueLayout.JAVA_LONG,
                                    ValueLayout.JAVA_LONG,
                                    ValueLayout.JAVA_LONG,
                                    ValueLayout.JAVA_LONG,
                                    ValueLayout.JAVA_INT,
                                    ValueLayout.JAVA_INT,
                                    ValueLayout.JAVA_LONG,
                                    ValueLayout.JAVA_INT));

    /** Long beside what reading a clock takes. */
    private static final long CLOCK_NANOS = 100_000_000;

    private final SymbolLookup library;
    private final long twin;

    CTwin(Path library, Loopback loopback) {
        this.library = SymbolLookup.libraryLookup(library, Arena.global());
        try {
            twin =
                    (long)
                            NEW.invokeExact(
                                    address("twin_new"),
                                    loopback.pair().handle().address(),
                                    loopback.queue().handle().address(),
                                    loopback.region().address(),
                                    loopback.length(),
                                    loopback.region().lkey(),
                                    loopback.remote().address(),
                                    loopback.remote().rkey());
        } catch (Throwable e) {
            throw new AssertionError(e);
        }
    }

    private MemorySegment address(String function) {
        return library.findOrThrow(function);
    }

    /** The loop of that name; surplus arguments are ignored by the callee, as the ABI has it. */
    Slice loop(String name) {
        return loop(name, 0, 0, 0);
    }

    Slice loop(String name, long first, long second) {
        return loop(name, first, second, 0);
    }

    Slice loop(String name, long first, long second, long third) {
        MemorySegment function = address("twin_" + name);
        return operations -> {
            long result = call(function, operations, first, second, third);
            if (result < 0) {
                throw new IllegalStateException(
                        "an operation of the C twin's loop " + name + " failed");
            }
            return result;
        };
    }

    Slice of(Operation operation) {
        return loop(
                switch (operation) {
                    case POST -> "post";
                    case POLL_HIT -> "poll_hit";
                    case POLL_EMPTY -> "poll_empty";
                    case NOTIFY -> "notify";
                    case RECEIVE -> "receive";
                    case PAIR, SYSCALL_PAIR -> "pair";
                    case FULL_PAIR -> "full_pair";
                    case BATCH_4 -> "batch4";
                    case BATCH_16 -> "batch16";
                    case BATCH_32 -> "batch32";
                    case FILL -> "fill";
                    case READ -> "read";
                });
    }

    /** An opcode of {@code ibv_wr_opcode} for all of the twin's requests. */
    void opcode(int opcode) {
        call(address("twin_set_opcode"), opcode, 0, 0, 0);
    }

    /** Ticks of the clock that perftest counts, in a microsecond; 0 where it has none. */
    double cyclesPerMicro() {
        MemorySegment cycles = address("twin_cycles");
        long begin = System.nanoTime();
        long first = call(cycles, 0, 0, 0, 0);
        LockSupport.parkNanos(CLOCK_NANOS);
        long last = call(cycles, 0, 0, 0, 0);
        return (last - first) * 1e3 / (System.nanoTime() - begin);
    }

    /** The other end of a ping-pong. */
    void peer(Loopback other) {
        call(
                address("twin_set_peer"),
                other.pair().handle().address(),
                other.queue().handle().address(),
                0,
                0);
    }

    private long call(MemorySegment function, long a, long b, long c, long d) {
        try {
            return (long) LOOP.invokeExact(function, twin, a, b, c, d);
        } catch (Throwable e) {
            throw new AssertionError(e);
        }
    }

    @Override
    public void close() {
        call(address("twin_free"), 0, 0, 0, 0);
    }
}
