package org.verbs4j.bindings;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;

/**
 * Calls of exported functions and of {@code verbs_context} operations, which may leave their reason
 * in {@code errno}: as {@link PlainCalls}, but {@link NativeLibraries#errno()} answers afterwards.
 */
final class CapturingCalls {
    private CapturingCalls() {}

    private static final class IntOfJ {
        static final MethodHandle HANDLE =
                NativeLibraries.downcall(FunctionDescriptor.of(JAVA_INT, JAVA_LONG));
    }

    /** {@code int (*)(T *)}: the destroying operations, ibv_dereg_mr. */
    static int intCall(long function, long a) {
        try {
            return (int) IntOfJ.HANDLE.invokeExact(MemorySegment.ofAddress(function), a);
        } catch (Throwable failure) {
            throw Calls.unexpected(failure);
        }
    }

    private static final class IntOfJJ {
        static final MethodHandle HANDLE =
                NativeLibraries.downcall(FunctionDescriptor.of(JAVA_INT, JAVA_LONG, JAVA_LONG));
    }

    /** {@code int (*)(T *, T *)}: the modifying operations, ibv_query_device. */
    static int intCall(long function, long a, long b) {
        try {
            return (int) IntOfJJ.HANDLE.invokeExact(MemorySegment.ofAddress(function), a, b);
        } catch (Throwable failure) {
            throw Calls.unexpected(failure);
        }
    }

    private static final class IntOfJJJ {
        static final MethodHandle HANDLE =
                NativeLibraries.downcall(
                        FunctionDescriptor.of(JAVA_INT, JAVA_LONG, JAVA_LONG, JAVA_LONG));
    }

    /**
     * {@code int (*)(T *, T *, T *)}: post_srq_ops, attach_counters_point_flow, ibv_get_cq_event.
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
                NativeLibraries.downcall(
                        FunctionDescriptor.of(
                                JAVA_INT, JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_LONG));
    }

    /** {@code int (*)(T *, T *, T *, size_t)}: query_device_ex. */
    static int intCall(long function, long a, long b, long c, long d) {
        try {
            return (int)
                    IntOfJJJJ.HANDLE.invokeExact(MemorySegment.ofAddress(function), a, b, c, d);
        } catch (Throwable failure) {
            throw Calls.unexpected(failure);
        }
    }

    private static final class IntOfJIJ {
        static final MethodHandle HANDLE =
                NativeLibraries.downcall(
                        FunctionDescriptor.of(JAVA_INT, JAVA_LONG, JAVA_INT, JAVA_LONG));
    }

    /** {@code int (*)(T *, uint8_t, T *)}: the exported ibv_query_port. */
    static int intCall(long function, long a, int b, long c) {
        try {
            return (int) IntOfJIJ.HANDLE.invokeExact(MemorySegment.ofAddress(function), a, b, c);
        } catch (Throwable failure) {
            throw Calls.unexpected(failure);
        }
    }

    private static final class IntOfJIJJ {
        static final MethodHandle HANDLE =
                NativeLibraries.downcall(
                        FunctionDescriptor.of(JAVA_INT, JAVA_LONG, JAVA_INT, JAVA_LONG, JAVA_LONG));
    }

    /** {@code int (*)(T *, uint8_t, T *, size_t)}: query_port. */
    static int intCall(long function, long a, int b, long c, long d) {
        try {
            return (int)
                    IntOfJIJJ.HANDLE.invokeExact(MemorySegment.ofAddress(function), a, b, c, d);
        } catch (Throwable failure) {
            throw Calls.unexpected(failure);
        }
    }

    private static final class IntOfJJII {
        static final MethodHandle HANDLE =
                NativeLibraries.downcall(
                        FunctionDescriptor.of(JAVA_INT, JAVA_LONG, JAVA_LONG, JAVA_INT, JAVA_INT));
    }

    /** {@code int (*)(T *, T *, uint32_t, uint32_t)}: read_counters. */
    static int intCall(long function, long a, long b, int c, int d) {
        try {
            return (int)
                    IntOfJJII.HANDLE.invokeExact(MemorySegment.ofAddress(function), a, b, c, d);
        } catch (Throwable failure) {
            throw Calls.unexpected(failure);
        }
    }

    private static final class IntOfJIIJI {
        static final MethodHandle HANDLE =
                NativeLibraries.downcall(
                        FunctionDescriptor.of(
                                JAVA_INT, JAVA_LONG, JAVA_INT, JAVA_INT, JAVA_LONG, JAVA_INT));
    }

    /** {@code int (*)(T *, int, uint32_t, T *, uint32_t)}: advise_mr. */
    static int intCall(long function, long a, int b, int c, long d, int e) {
        try {
            return (int)
                    IntOfJIIJI.HANDLE.invokeExact(MemorySegment.ofAddress(function), a, b, c, d, e);
        } catch (Throwable failure) {
            throw Calls.unexpected(failure);
        }
    }

    private static final class IntOfJIIJIJ {
        static final MethodHandle HANDLE =
                NativeLibraries.downcall(
                        FunctionDescriptor.of(
                                JAVA_INT, JAVA_LONG, JAVA_INT, JAVA_INT, JAVA_LONG, JAVA_INT,
                                JAVA_LONG));
    }

    /** {@code int (*)(T *, uint32_t, uint32_t, T *, uint32_t, size_t)}: _ibv_query_gid_ex. */
    static int intCall(long function, long a, int b, int c, long d, int e, long f) {
        try {
            return (int)
                    IntOfJIIJIJ.HANDLE.invokeExact(
                            MemorySegment.ofAddress(function), a, b, c, d, e, f);
        } catch (Throwable failure) {
            throw Calls.unexpected(failure);
        }
    }

    private static final class LongOfJ {
        static final MethodHandle HANDLE =
                NativeLibraries.downcall(FunctionDescriptor.of(JAVA_LONG, JAVA_LONG));
    }

    /** {@code T *(*)(T *)}: alloc_null_mr, ibv_get_device_list. */
    static long longCall(long function, long a) {
        try {
            return (long) LongOfJ.HANDLE.invokeExact(MemorySegment.ofAddress(function), a);
        } catch (Throwable failure) {
            throw Calls.unexpected(failure);
        }
    }

    private static final class LongOfJI {
        static final MethodHandle HANDLE =
                NativeLibraries.downcall(FunctionDescriptor.of(JAVA_LONG, JAVA_LONG, JAVA_INT));
    }

    /** {@code T *(*)(T *, int)}: alloc_mw. */
    static long longCall(long function, long a, int b) {
        try {
            return (long) LongOfJI.HANDLE.invokeExact(MemorySegment.ofAddress(function), a, b);
        } catch (Throwable failure) {
            throw Calls.unexpected(failure);
        }
    }

    private static final class LongOfJJ {
        static final MethodHandle HANDLE =
                NativeLibraries.downcall(FunctionDescriptor.of(JAVA_LONG, JAVA_LONG, JAVA_LONG));
    }

    /** {@code T *(*)(T *, T *)}: the creating operations, ibv_create_qp, ibv_create_srq. */
    static long longCall(long function, long a, long b) {
        try {
            return (long) LongOfJJ.HANDLE.invokeExact(MemorySegment.ofAddress(function), a, b);
        } catch (Throwable failure) {
            throw Calls.unexpected(failure);
        }
    }

    private static final class LongOfJJJI {
        static final MethodHandle HANDLE =
                NativeLibraries.downcall(
                        FunctionDescriptor.of(
                                JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_INT));
    }

    /** {@code T *(*)(T *, T *, size_t, int)}: ibv_reg_mr. */
    static long longCall(long function, long a, long b, long c, int d) {
        try {
            return (long)
                    LongOfJJJI.HANDLE.invokeExact(MemorySegment.ofAddress(function), a, b, c, d);
        } catch (Throwable failure) {
            throw Calls.unexpected(failure);
        }
    }

    private static final class LongOfJJJIJ {
        static final MethodHandle HANDLE =
                NativeLibraries.downcall(
                        FunctionDescriptor.of(
                                JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_INT, JAVA_LONG));
    }

    /** {@code ssize_t (*)(T *, T *, size_t, uint32_t, size_t)}: _ibv_query_gid_table. */
    static long longCall(long function, long a, long b, long c, int d, long e) {
        try {
            return (long)
                    LongOfJJJIJ.HANDLE.invokeExact(
                            MemorySegment.ofAddress(function), a, b, c, d, e);
        } catch (Throwable failure) {
            throw Calls.unexpected(failure);
        }
    }

    private static final class LongOfJJJJI {
        static final MethodHandle HANDLE =
                NativeLibraries.downcall(
                        FunctionDescriptor.of(
                                JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_INT));
    }

    /**
     * {@code T *(*)(T *, T *, size_t, uint64_t, unsigned)}: reg_dm_mr, ibv_reg_mr_iova,
     * ibv_reg_mr_iova2.
     */
    static long longCall(long function, long a, long b, long c, long d, int e) {
        try {
            return (long)
                    LongOfJJJJI.HANDLE.invokeExact(
                            MemorySegment.ofAddress(function), a, b, c, d, e);
        } catch (Throwable failure) {
            throw Calls.unexpected(failure);
        }
    }

    private static final class VoidOfJI {
        static final MethodHandle HANDLE =
                NativeLibraries.downcall(FunctionDescriptor.ofVoid(JAVA_LONG, JAVA_INT));
    }

    /** {@code void (*)(T *, unsigned)}: ibv_ack_cq_events. */
    static void voidCall(long function, long a, int b) {
        try {
            VoidOfJI.HANDLE.invokeExact(MemorySegment.ofAddress(function), a, b);
        } catch (Throwable failure) {
            throw Calls.unexpected(failure);
        }
    }
}
