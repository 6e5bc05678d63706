package org.verbs4j.bindings;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/**
 * Fields of C structs by address.
 *
 * <p>One segment over all memory: its checks fold away, which those of a segment made for each
 * pointer do not. As in C, an address that is not mapped ends the process.
 */
final class Memory {
    private static final MemorySegment ALL = MemorySegment.NULL.reinterpret(Long.MAX_VALUE);

    private Memory() {}

    static int getInt(long address) {
        return ALL.get(ValueLayout.JAVA_INT, address);
    }

    static long getLong(long address) {
        return ALL.get(ValueLayout.JAVA_LONG, address);
    }

    static void setInt(long address, int value) {
        ALL.set(ValueLayout.JAVA_INT, address, value);
    }

    static void setLong(long address, long value) {
        ALL.set(ValueLayout.JAVA_LONG, address, value);
    }

    /** {@code memset(address, 0, size)}. */
    static void clear(long address, long size) {
        slice(address, size).fill((byte) 0);
    }

    static MemorySegment slice(long address, long size) {
        return ALL.asSlice(address, size);
    }

    /** The NUL-terminated string at this address. */
    static String string(long address) {
        return ALL.getString(address);
    }
}
