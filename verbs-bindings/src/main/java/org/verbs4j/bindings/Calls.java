package org.verbs4j.bindings;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * What {@link PlainCalls} and {@link CapturingCalls} have in common, and the addresses of exported
 * functions.
 */
final class Calls {
    /** By name; tests put their fakes here, because a JVM loads a library once and for all. */
    static final Map<String, Long> EXPORTED = new ConcurrentHashMap<>();

    private Calls() {}

    /**
     * The address of an exported function as a {@code long}.
     *
     * @return 0 when the installed library is older than the function
     * @throws UnsatisfiedLinkError when the library itself is absent
     */
    static long exported(String function) {
        return EXPORTED.computeIfAbsent(
                function,
                name -> NativeLibraries.find(name).map(address -> address.address()).orElse(0L));
    }

    /**
     * What a downcall can throw is unchecked: the linker refusing a NULL function, an error of the
     * virtual machine.
     */
    static RuntimeException unexpected(Throwable e) {
        if (e instanceof RuntimeException unchecked) {
            return unchecked;
        }
        if (e instanceof Error error) {
            throw error;
        }
        throw new AssertionError(e);
    }
}
