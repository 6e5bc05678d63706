package org.verbs4j.bindings;

import java.lang.foreign.MemoryLayout;
import java.lang.foreign.ValueLayout;

/**
 * {@code pthread_cond_t} as bytes of the right size.
 *
 * <p>Written by hand beside {@link pthread_mutex_t}; 48 bytes on every glibc that the library
 * supports.
 */
final class pthread_cond_t {
    private static final long SIZE = 48;
    private static final MemoryLayout LAYOUT =
            MemoryLayout.structLayout(
                            MemoryLayout.sequenceLayout(SIZE / Long.BYTES, ValueLayout.JAVA_LONG)
                                    .withName("opaque"))
                    .withName("pthread_cond_t");

    private pthread_cond_t() {}

    static MemoryLayout layout() {
        return LAYOUT;
    }
}
