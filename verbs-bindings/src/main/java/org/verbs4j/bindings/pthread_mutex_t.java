package org.verbs4j.bindings;

import java.lang.foreign.MemoryLayout;
import java.lang.foreign.ValueLayout;

/**
 * {@code pthread_mutex_t} as bytes of the right size.
 *
 * <p>Written by hand because jextract bakes in the size of the machine it ran on: glibc has 48
 * bytes on aarch64 and 40 on x86-64, riscv64, ppc64le and s390x, and the type stands in front of
 * {@code abi_compat} in {@code ibv_context}.
 */
final class pthread_mutex_t {
    private static final long SIZE = System.getProperty("os.arch").equals("aarch64") ? 48 : 40;
    private static final MemoryLayout LAYOUT =
            MemoryLayout.structLayout(
                            MemoryLayout.sequenceLayout(SIZE / Long.BYTES, ValueLayout.JAVA_LONG)
                                    .withName("opaque"))
                    .withName("pthread_mutex_t");

    private pthread_mutex_t() {}

    static MemoryLayout layout() {
        return LAYOUT;
    }
}
