package org.verbs4j.bindings;

import org.jspecify.annotations.Nullable;

import java.lang.foreign.AddressLayout;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.lang.ref.Reference;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Optional;

/**
 * Control verbs over a single shape of foreign call: six 64-bit words in, one out, {@code errno}
 * zeroed before and kept after.
 *
 * <p>The linker spins classes for each combination of argument types, some 23 ms each, and the 62
 * functions of libibverbs have 29 of them. Integers and pointers all travel in one register each on
 * the supported architectures, a callee ignores the registers that it does not know, and narrow
 * integers arrive sign-extended, as the linker itself passes them. So one shape, linked once,
 * serves every function of at most six such arguments; a typed handle in front of it converts. That
 * boxes its arguments, which a verb that enters the kernel does not notice; the data path has
 * handles of its own.
 */
final class ControlCalls {
    private static final int WORDS = 6;

    private static final MethodHandle CALL;
    private static final MethodHandle POINTER;

    static {
        try {
            MethodHandles.Lookup lookup = MethodHandles.lookup();
            MethodType call =
                    MethodType.methodType(
                            long.class,
                            Collections.nCopies(WORDS, Object.class).toArray(Class<?>[]::new));
            CALL =
                    lookup.findStatic(
                            ControlCalls.class,
                            "call",
                            call.insertParameterTypes(0, MemorySegment.class));
            POINTER =
                    lookup.findStatic(
                            ControlCalls.class,
                            "pointer",
                            MethodType.methodType(MemorySegment.class, long.class, long.class));
        } catch (ReflectiveOperationException e) {
            throw new LinkageError("the methods are below", e);
        }
    }

    private ControlCalls() {}

    /** The one shape, linked when the first control verb is called. */
    private static final class Shape {
        static final MethodHandle HANDLE = link();
        static final MemorySegment ERRNO_LOCATION =
                Linker.nativeLinker().defaultLookup().findOrThrow("__errno_location");

        private static MethodHandle link() {
            ValueLayout[] words = new ValueLayout[WORDS];
            Arrays.fill(words, ValueLayout.JAVA_LONG);
            return Linker.nativeLinker()
                    .downcallHandle(
                            FunctionDescriptor.of(ValueLayout.JAVA_LONG, words),
                            NativeLibraries.CAPTURE);
        }
    }

    /**
     * A handle of the descriptor's type behind its function pointer.
     *
     * @return empty when the function takes or returns what is not one word, or too much
     */
    static Optional<MethodHandle> handle(FunctionDescriptor descriptor) {
        List<MemoryLayout> arguments = descriptor.argumentLayouts();
        Optional<MemoryLayout> result = descriptor.returnLayout();
        boolean fits =
                arguments.size() <= WORDS
                        && arguments.stream().allMatch(ControlCalls::isWord)
                        && result.stream().allMatch(ControlCalls::isWord);
        if (!fits) {
            return Optional.empty();
        }
        MethodType type = descriptor.toMethodType().insertParameterTypes(0, MemorySegment.class);
        Object[] absent = new Object[WORDS - arguments.size()];
        Arrays.fill(absent, 0L);
        MethodHandle call = MethodHandles.insertArguments(CALL, 1 + arguments.size(), absent);
        if (result.isPresent() && result.get() instanceof AddressLayout pointer) {
            long size = pointer.targetLayout().map(MemoryLayout::byteSize).orElse(0L);
            call =
                    MethodHandles.filterReturnValue(
                            call, MethodHandles.insertArguments(POINTER, 0, size));
        } else {
            // An int's upper half is whatever the callee left in the register.
            call =
                    MethodHandles.explicitCastArguments(
                            call, call.type().changeReturnType(type.returnType()));
        }
        return Optional.of(call.asType(type));
    }

    private static boolean isWord(MemoryLayout layout) {
        return layout instanceof AddressLayout
                || layout instanceof ValueLayout.OfLong
                || layout instanceof ValueLayout.OfInt
                || layout instanceof ValueLayout.OfShort
                || layout instanceof ValueLayout.OfByte;
    }

    @SuppressWarnings("unused") // by CALL
    private static long call(
            MemorySegment function, Object a, Object b, Object c, Object d, Object e, Object f) {
        try {
            MemorySegment state = NativeLibraries.capturedState();
            forgetErrno(state);
            return (long)
                    Shape.HANDLE.invokeExact(
                            function, state, word(a), word(b), word(c), word(d), word(e), word(f));
        } catch (Throwable failure) {
            throw Calls.unexpected(failure);
        } finally {
            Reference.reachabilityFence(a);
            Reference.reachabilityFence(b);
            Reference.reachabilityFence(c);
            Reference.reachabilityFence(d);
            Reference.reachabilityFence(e);
            Reference.reachabilityFence(f);
        }
    }

    /**
     * Zeroes C's own {@code errno}, so that a function that fails without setting it, as the
     * creating ones of some providers do, leaves 0 and not the reason of an earlier failure.
     *
     * <p>JDK 25 only reads {@code errno} after a call. Its address is that of the carrying thread,
     * which stays the same as long as nothing blocks. {@code __errno_location} has no arguments and
     * so may have the six words of the one shape too.
     */
    private static void forgetErrno(MemorySegment state) throws Throwable {
        long errno =
                (long)
                        Shape.HANDLE.invokeExact(
                                Shape.ERRNO_LOCATION, state, 0L, 0L, 0L, 0L, 0L, 0L);
        Memory.setInt(errno, 0);
    }

    /**
     * As the linker takes it: native, alive and of this thread, or a number. Unlike the linker it
     * does not keep a shared arena from being closed meanwhile; the caller must.
     */
    private static long word(@Nullable Object argument) {
        if (argument instanceof MemorySegment segment) {
            if (!segment.isNative()) {
                throw new IllegalArgumentException("Heap segment not allowed: " + segment);
            }
            if (!segment.scope().isAlive()) {
                throw new IllegalStateException("Already closed");
            }
            if (!segment.isAccessibleBy(Thread.currentThread())) {
                throw new WrongThreadException("Attempted access outside owning thread");
            }
            return segment.address();
        }
        if (argument instanceof Number number) {
            return number.longValue();
        }
        throw new NullPointerException("a null segment: pass MemorySegment.NULL");
    }

    @SuppressWarnings("unused") // by POINTER
    private static MemorySegment pointer(long size, long address) {
        return MemorySegment.ofAddress(address).reinterpret(size);
    }
}
