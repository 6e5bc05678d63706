package org.verbs4j.bindings;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;
import java.lang.reflect.Method;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Pattern;

/** Error numbers in words, for messages. */
public final class Errno {
    /** A number of the kernel's own that its drivers let out; no header for programs has it. */
    private static final int ENOTSUPP = 524;

    private Errno() {}

    /**
     * The name of an error number.
     *
     * @param errno such as 22
     * @return such as {@code EINVAL}; empty when Linux has no such error
     */
    public static Optional<String> name(int errno) {
        return Optional.ofNullable(Names.BY_NUMBER.get(errno));
    }

    /**
     * An error number for a message.
     *
     * @param errno such as 22
     * @return such as {@code EINVAL (Invalid argument)}, or {@code errno 4711} when Linux has no
     *     such error
     */
    public static String describe(int errno) {
        if (errno == ENOTSUPP) {
            return "ENOTSUPP (not supported, in the kernel's own number)";
        }
        return name(errno).map(name -> name + " (" + Text.of(errno) + ")").orElse("errno " + errno);
    }

    /** Read once out of the generated constants, so that none is typed by hand. */
    private static final class Names {
        static final Map<Integer, String> BY_NUMBER = read();

        private static Map<Integer, String> read() {
            Pattern errors = Pattern.compile("E[A-Z0-9]+");
            Map<Integer, String> names = new HashMap<>();
            for (Method method : Posix.class.getMethods()) {
                if (errors.matcher(method.getName()).matches() && method.getParameterCount() == 0) {
                    try {
                        names.put((Integer) method.invoke(null), method.getName());
                    } catch (ReflectiveOperationException e) {
                        throw new LinkageError(
                                "a constant of Posix cannot be read: " + method.getName(), e);
                    }
                }
            }
            return Map.copyOf(names);
        }
    }

    /**
     * {@code strerrordesc_np} needs no buffer and no locale, but glibc 2.32; before it {@code
     * strerror} serves, which uses its static buffer only for numbers that have no name, and those
     * are not asked for.
     */
    private static final class Text {
        private static final MethodHandle HANDLE = handle();

        private static MethodHandle handle() {
            Linker linker = Linker.nativeLinker();
            MemorySegment function =
                    linker.defaultLookup()
                            .find("strerrordesc_np")
                            .orElseGet(() -> linker.defaultLookup().findOrThrow("strerror"));
            return linker.downcallHandle(function, FunctionDescriptor.of(JAVA_LONG, JAVA_INT));
        }

        static String of(int errno) {
            try {
                return Memory.string((long) HANDLE.invokeExact(errno));
            } catch (Throwable e) {
                throw Calls.unexpected(e);
            }
        }
    }
}
