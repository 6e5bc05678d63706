package org.verbs4j.bindings;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;

/**
 * The inline functions of {@code <infiniband/ib.h>} on {@code ib_addr}, the 16 bytes of an
 * InfiniBand address in network byte order.
 */
@SuppressWarnings("MemberName") // the names are C's
public final class IbAddress {
    private static final long SIZE = ib_addr.sizeof();
    private static final long WORDS = ib_addr.ib_u$offset() + ib_addr.ib_u.uib_addr32$offset();
    private static final int NETWORK_ONE =
            ByteOrder.nativeOrder() == ByteOrder.LITTLE_ENDIAN ? 1 << 24 : 1;

    private IbAddress() {}

    /** {@code ib_addr_any}: 1 when the address is all zeros, else 0. */
    public static int ib_addr_any(long address) {
        return (word(address, 0) | word(address, 1) | word(address, 2) | word(address, 3)) == 0
                ? 1
                : 0;
    }

    /** {@code ib_addr_loopback}: 1 when the address is {@code ::1}, else 0. */
    public static int ib_addr_loopback(long address) {
        int rest = word(address, 3) ^ NETWORK_ONE;
        return (word(address, 0) | word(address, 1) | word(address, 2) | rest) == 0 ? 1 : 0;
    }

    /**
     * {@code ib_addr_set}: fills the address with four words that are in network byte order
     * already.
     */
    public static void ib_addr_set(long address, int w1, int w2, int w3, int w4) {
        Memory.setInt(address + WORDS, w1);
        Memory.setInt(address + WORDS + Integer.BYTES, w2);
        Memory.setInt(address + WORDS + 2L * Integer.BYTES, w3);
        Memory.setInt(address + WORDS + 3L * Integer.BYTES, w4);
    }

    /**
     * {@code ib_addr_cmp}: 0 when equal, else negative or positive as the first byte that differs
     * is.
     */
    public static int ib_addr_cmp(long address1, long address2) {
        MemorySegment first = Memory.slice(address1, SIZE);
        MemorySegment second = Memory.slice(address2, SIZE);
        long at = first.mismatch(second);
        return at < 0
                ? 0
                : Byte.compareUnsigned(
                        first.get(ValueLayout.JAVA_BYTE, at),
                        second.get(ValueLayout.JAVA_BYTE, at));
    }

    private static int word(long address, int index) {
        return Memory.getInt(address + WORDS + (long) index * Integer.BYTES);
    }
}
