package org.verbs4j.bindings;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;

/**
 * Calls through function pointers that report their own outcome: one handle for each shape of
 * signature, {@code errno} not captured.
 *
 * <p>jextract's function-pointer classes take segments and would link one shape for every typedef.
 * Here the address is the first argument, every pointer is a {@code long}, and the narrow unsigned
 * types travel as the {@code int} they are promoted to, so that shapes are shared and an argument
 * costs no segment check. A shape is linked when it is first called, because linking one takes
 * about 20 ms. A NULL function pointer, which would crash in C, is an {@link
 * IllegalArgumentException}, which the linker throws.
 */
final class PlainCalls {
    private PlainCalls() {}

    private static MethodHandle handle(FunctionDescriptor descriptor) {
        return Linker.nativeLinker().downcallHandle(descriptor);
    }

    private static final class IntOfJ {
        static final MethodHandle HANDLE = handle(FunctionDescriptor.of(JAVA_INT, JAVA_LONG));
    }

    /** {@code int (*)(T *)}: dealloc_mw, wr_complete, next_poll and most of read_*. */
    static int intCall(long function, long a) {
        try {
            return (int) IntOfJ.HANDLE.invokeExact(MemorySegment.ofAddress(function), a);
        } catch (Throwable failure) {
            throw Calls.unexpected(failure);
        }
    }

    private static final class IntOfJI {
        static final MethodHandle HANDLE =
                handle(FunctionDescriptor.of(JAVA_INT, JAVA_LONG, JAVA_INT));
    }

    /** {@code int (*)(T *, int)}: req_notify_cq. */
    static int intCall(long function, long a, int b) {
        try {
            return (int) IntOfJI.HANDLE.invokeExact(MemorySegment.ofAddress(function), a, b);
        } catch (Throwable failure) {
            throw Calls.unexpected(failure);
        }
    }

    private static final class IntOfJJ {
        static final MethodHandle HANDLE =
                handle(FunctionDescriptor.of(JAVA_INT, JAVA_LONG, JAVA_LONG));
    }

    /** {@code int (*)(T *, T *)}: start_poll. */
    static int intCall(long function, long a, long b) {
        try {
            return (int) IntOfJJ.HANDLE.invokeExact(MemorySegment.ofAddress(function), a, b);
        } catch (Throwable failure) {
            throw Calls.unexpected(failure);
        }
    }

    private static final class IntOfJIJ {
        static final MethodHandle HANDLE =
                handle(FunctionDescriptor.of(JAVA_INT, JAVA_LONG, JAVA_INT, JAVA_LONG));
    }

    /** {@code int (*)(T *, int, T *)}: poll_cq. */
    static int intCall(long function, long a, int b, long c) {
        try {
            return (int) IntOfJIJ.HANDLE.invokeExact(MemorySegment.ofAddress(function), a, b, c);
        } catch (Throwable failure) {
            throw Calls.unexpected(failure);
        }
    }

    private static final class IntOfJJJ {
        static final MethodHandle HANDLE =
                handle(FunctionDescriptor.of(JAVA_INT, JAVA_LONG, JAVA_LONG, JAVA_LONG));
    }

    /**
     * {@code int (*)(T *, T *, T *)}: post_send, post_recv, post_srq_recv, bind_mw, the post_recv
     * of a work queue.
     */
    static int intCall(long function, long a, long b, long c) {
        try {
            return (int) IntOfJJJ.HANDLE.invokeExact(MemorySegment.ofAddress(function), a, b, c);
        } catch (Throwable failure) {
            throw Calls.unexpected(failure);
        }
    }

    private static final class IntOfJJJJ {
        static final MethodHandle HANDLE =
                handle(FunctionDescriptor.of(JAVA_INT, JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_LONG));
    }

    /** {@code int (*)(T *, uint64_t, T *, size_t)}: memcpy_to_dm, memcpy_from_dm. */
    static int intCall(long function, long a, long b, long c, long d) {
        try {
            return (int)
                    IntOfJJJJ.HANDLE.invokeExact(MemorySegment.ofAddress(function), a, b, c, d);
        } catch (Throwable failure) {
            throw Calls.unexpected(failure);
        }
    }

    private static final class LongOfJ {
        static final MethodHandle HANDLE = handle(FunctionDescriptor.of(JAVA_LONG, JAVA_LONG));
    }

    /** {@code uint64_t (*)(T *)}: read_completion_ts, read_completion_wallclock_ns. */
    static long longCall(long function, long a) {
        try {
            return (long) LongOfJ.HANDLE.invokeExact(MemorySegment.ofAddress(function), a);
        } catch (Throwable failure) {
            throw Calls.unexpected(failure);
        }
    }

    private static final class VoidOfJ {
        static final MethodHandle HANDLE = handle(FunctionDescriptor.ofVoid(JAVA_LONG));
    }

    /** {@code void (*)(T *)}: wr_start, wr_abort, wr_send, end_poll. */
    static void voidCall(long function, long a) {
        try {
            VoidOfJ.HANDLE.invokeExact(MemorySegment.ofAddress(function), a);
        } catch (Throwable failure) {
            throw Calls.unexpected(failure);
        }
    }

    private static final class VoidOfJI {
        static final MethodHandle HANDLE = handle(FunctionDescriptor.ofVoid(JAVA_LONG, JAVA_INT));
    }

    /** {@code void (*)(T *, uint32_t)}: wr_send_imm, wr_send_inv, wr_local_inv, wr_set_xrc_srqn. */
    static void voidCall(long function, long a, int b) {
        try {
            VoidOfJI.HANDLE.invokeExact(MemorySegment.ofAddress(function), a, b);
        } catch (Throwable failure) {
            throw Calls.unexpected(failure);
        }
    }

    private static final class VoidOfJJ {
        static final MethodHandle HANDLE = handle(FunctionDescriptor.ofVoid(JAVA_LONG, JAVA_LONG));
    }

    /** {@code void (*)(T *, T *)}: read_tm_info. */
    static void voidCall(long function, long a, long b) {
        try {
            VoidOfJJ.HANDLE.invokeExact(MemorySegment.ofAddress(function), a, b);
        } catch (Throwable failure) {
            throw Calls.unexpected(failure);
        }
    }

    private static final class VoidOfJIJ {
        static final MethodHandle HANDLE =
                handle(FunctionDescriptor.ofVoid(JAVA_LONG, JAVA_INT, JAVA_LONG));
    }

    /** {@code void (*)(T *, uint32_t, uint64_t)}: wr_rdma_read, wr_rdma_write. */
    static void voidCall(long function, long a, int b, long c) {
        try {
            VoidOfJIJ.HANDLE.invokeExact(MemorySegment.ofAddress(function), a, b, c);
        } catch (Throwable failure) {
            throw Calls.unexpected(failure);
        }
    }

    private static final class VoidOfJJJ {
        static final MethodHandle HANDLE =
                handle(FunctionDescriptor.ofVoid(JAVA_LONG, JAVA_LONG, JAVA_LONG));
    }

    /**
     * {@code void (*)(T *, T *, size_t)}: wr_set_inline_data, wr_set_inline_data_list,
     * wr_set_sge_list.
     */
    static void voidCall(long function, long a, long b, long c) {
        try {
            VoidOfJJJ.HANDLE.invokeExact(MemorySegment.ofAddress(function), a, b, c);
        } catch (Throwable failure) {
            throw Calls.unexpected(failure);
        }
    }

    private static final class VoidOfJIJI {
        static final MethodHandle HANDLE =
                handle(FunctionDescriptor.ofVoid(JAVA_LONG, JAVA_INT, JAVA_LONG, JAVA_INT));
    }

    /** {@code void (*)(T *, uint32_t, uint64_t, uint32_t)}: wr_rdma_write_imm, wr_set_sge. */
    static void voidCall(long function, long a, int b, long c, int d) {
        try {
            VoidOfJIJI.HANDLE.invokeExact(MemorySegment.ofAddress(function), a, b, c, d);
        } catch (Throwable failure) {
            throw Calls.unexpected(failure);
        }
    }

    private static final class VoidOfJIJJ {
        static final MethodHandle HANDLE =
                handle(FunctionDescriptor.ofVoid(JAVA_LONG, JAVA_INT, JAVA_LONG, JAVA_LONG));
    }

    /**
     * {@code void (*)(T *, uint32_t, uint64_t, uint64_t)}: wr_atomic_fetch_add, wr_atomic_write.
     */
    static void voidCall(long function, long a, int b, long c, long d) {
        try {
            VoidOfJIJJ.HANDLE.invokeExact(MemorySegment.ofAddress(function), a, b, c, d);
        } catch (Throwable failure) {
            throw Calls.unexpected(failure);
        }
    }

    private static final class VoidOfJJII {
        static final MethodHandle HANDLE =
                handle(FunctionDescriptor.ofVoid(JAVA_LONG, JAVA_LONG, JAVA_INT, JAVA_INT));
    }

    /** {@code void (*)(T *, T *, uint32_t, uint32_t)}: wr_set_ud_addr, wr_send_tso. */
    static void voidCall(long function, long a, long b, int c, int d) {
        try {
            VoidOfJJII.HANDLE.invokeExact(MemorySegment.ofAddress(function), a, b, c, d);
        } catch (Throwable failure) {
            throw Calls.unexpected(failure);
        }
    }

    private static final class VoidOfJJIJ {
        static final MethodHandle HANDLE =
                handle(FunctionDescriptor.ofVoid(JAVA_LONG, JAVA_LONG, JAVA_INT, JAVA_LONG));
    }

    /** {@code void (*)(T *, T *, uint32_t, T *)}: wr_bind_mw. */
    static void voidCall(long function, long a, long b, int c, long d) {
        try {
            VoidOfJJIJ.HANDLE.invokeExact(MemorySegment.ofAddress(function), a, b, c, d);
        } catch (Throwable failure) {
            throw Calls.unexpected(failure);
        }
    }

    private static final class VoidOfJIJJJ {
        static final MethodHandle HANDLE =
                handle(
                        FunctionDescriptor.ofVoid(
                                JAVA_LONG, JAVA_INT, JAVA_LONG, JAVA_LONG, JAVA_LONG));
    }

    /** {@code void (*)(T *, uint32_t, uint64_t, uint64_t, uint64_t)}: wr_atomic_cmp_swp. */
    static void voidCall(long function, long a, int b, long c, long d, long e) {
        try {
            VoidOfJIJJJ.HANDLE.invokeExact(MemorySegment.ofAddress(function), a, b, c, d, e);
        } catch (Throwable failure) {
            throw Calls.unexpected(failure);
        }
    }
}
