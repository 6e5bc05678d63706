package org.verbs4j.bindings;

/**
 * {@link CapturingCalls} of functions that may be missing: 0 for a function is an operation that
 * the device lacks, or an exported function that the library lacks, and answers EOPNOTSUPP as the C
 * inlines do.
 */
final class OptionalCalls {
    private OptionalCalls() {}

    /**
     * What a function that returns a pointer answers when it is missing: NULL, and EOPNOTSUPP in
     * errno.
     */
    private static long missing() {
        NativeLibraries.setErrno(Posix.EOPNOTSUPP());
        return 0;
    }

    static int status(long function, long a) {
        return function == 0 ? Posix.EOPNOTSUPP() : CapturingCalls.intCall(function, a);
    }

    static int status(long function, long a, long b) {
        return function == 0 ? Posix.EOPNOTSUPP() : CapturingCalls.intCall(function, a, b);
    }

    static int status(long function, long a, long b, long c) {
        return function == 0 ? Posix.EOPNOTSUPP() : CapturingCalls.intCall(function, a, b, c);
    }

    static int status(long function, long a, int b, long c) {
        return function == 0 ? Posix.EOPNOTSUPP() : CapturingCalls.intCall(function, a, b, c);
    }

    static int status(long function, long a, long b, int c, int d) {
        return function == 0 ? Posix.EOPNOTSUPP() : CapturingCalls.intCall(function, a, b, c, d);
    }

    static int status(long function, long a, int b, int c, long d, int e) {
        return function == 0 ? Posix.EOPNOTSUPP() : CapturingCalls.intCall(function, a, b, c, d, e);
    }

    static int status(long function, long a, int b, int c, long d, int e, long f) {
        return function == 0
                ? Posix.EOPNOTSUPP()
                : CapturingCalls.intCall(function, a, b, c, d, e, f);
    }

    static long pointer(long function, long a) {
        return function == 0 ? missing() : CapturingCalls.longCall(function, a);
    }

    static long pointer(long function, long a, int b) {
        return function == 0 ? missing() : CapturingCalls.longCall(function, a, b);
    }

    static long pointer(long function, long a, long b) {
        return function == 0 ? missing() : CapturingCalls.longCall(function, a, b);
    }

    static long pointer(long function, long a, long b, long c, int d) {
        return function == 0 ? missing() : CapturingCalls.longCall(function, a, b, c, d);
    }

    static long pointer(long function, long a, long b, long c, long d, int e) {
        return function == 0 ? missing() : CapturingCalls.longCall(function, a, b, c, d, e);
    }
}
