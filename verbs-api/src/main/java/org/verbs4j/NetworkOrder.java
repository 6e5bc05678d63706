package org.verbs4j;

import java.nio.ByteOrder;

/** The {@code __be} fields of structs, whose generated accessors do not swap. */
final class NetworkOrder {
    private static final boolean SWAP = ByteOrder.nativeOrder() == ByteOrder.LITTLE_ENDIAN;

    private NetworkOrder() {}

    static long toHost(long value) {
        return SWAP ? Long.reverseBytes(value) : value;
    }

    static short toHost(short value) {
        return SWAP ? Short.reverseBytes(value) : value;
    }

    static int toHost(int value) {
        return SWAP ? Integer.reverseBytes(value) : value;
    }

    static int toNetwork(int value) {
        return toHost(value);
    }

    /** Swapping is its own inverse. */
    static long toNetwork(long value) {
        return toHost(value);
    }

    /** Swapping is its own inverse. */
    static short toNetwork(short value) {
        return toHost(value);
    }
}
