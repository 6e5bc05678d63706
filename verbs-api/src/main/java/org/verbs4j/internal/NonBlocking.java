package org.verbs4j.internal;

import org.verbs4j.bindings.Posix;

import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;

/** Sets {@code O_NONBLOCK}. */
public final class NonBlocking {
    private NonBlocking() {}

    /** By hand because jextract's caller of a variadic function makes a handle for each use. */
    private static final class Fcntl {
        private static final MethodHandle HANDLE =
                Linker.nativeLinker()
                        .downcallHandle(
                                Linker.nativeLinker().defaultLookup().findOrThrow("fcntl"),
                                FunctionDescriptor.of(
                                        ValueLayout.JAVA_INT,
                                        ValueLayout.JAVA_INT,
                                        ValueLayout.JAVA_INT,
                                        ValueLayout.JAVA_INT),
                                Linker.Option.firstVariadicArg(2));

        static int call(int descriptor, int command, int argument) {
            try {
                return (int) HANDLE.invokeExact(descriptor, command, argument);
            } catch (Throwable e) {
                throw new AssertionError(
                        "fcntl(" + descriptor + ", " + command + ", " + argument + ")", e);
            }
        }
    }

    /** Makes reads of the descriptor, and what librdmacm does by writing to it, return at once. */
    public static void set(int descriptor) {
        int flags = Fcntl.call(descriptor, Posix.F_GETFL(), 0);
        if (flags < 0 || Fcntl.call(descriptor, Posix.F_SETFL(), flags | Posix.O_NONBLOCK()) < 0) {
            throw new IllegalStateException(
                    "file descriptor " + descriptor + " cannot be made non-blocking");
        }
    }
}
