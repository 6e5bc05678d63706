package org.verbs4j.cm;

import org.verbs4j.bindings.Verbs;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/**
 * Settings of a {@link ConnectionId}, {@code rdma_set_option(3)}. Make them before binding or
 * resolving: later ones are accepted and have no effect.
 */
public final class ConnectionOptions {
    private static final int LONGEST_ACK_TIMEOUT = 31;
    private static final int BYTE = 0xff;

    private final ConnectionId id;

    ConnectionOptions(ConnectionId id) {
        this.id = id;
    }

    /**
     * The type of service of all packets, {@code RDMA_OPTION_ID_TOS}: it becomes the traffic class.
     *
     * @param value 0 to 255; the upper six bits are the DSCP
     */
    public ConnectionOptions typeOfService(int value) {
        return setByte(Verbs.RDMA_OPTION_ID_TOS(), value, BYTE, "typeOfService");
    }

    /**
     * How long the sender waits for an acknowledgement, {@code RDMA_OPTION_ID_ACK_TIMEOUT}.
     *
     * @param exponent the time is 4.096 µs times two to this power, 0 to 31
     */
    public ConnectionOptions ackTimeout(int exponent) {
        return setByte(
                Verbs.RDMA_OPTION_ID_ACK_TIMEOUT(), exponent, LONGEST_ACK_TIMEOUT, "ackTimeout");
    }

    /**
     * Whether a local address may be bound that another id has, {@code RDMA_OPTION_ID_REUSEADDR}.
     */
    public ConnectionOptions reuseAddress(boolean on) {
        return setFlag(Verbs.RDMA_OPTION_ID_REUSEADDR(), on, "reuseAddress");
    }

    /** Whether an IPv6 wildcard listener serves IPv6 only, {@code RDMA_OPTION_ID_AFONLY}. */
    public ConnectionOptions onlyOneFamily(boolean on) {
        return setFlag(Verbs.RDMA_OPTION_ID_AFONLY(), on, "onlyOneFamily");
    }

    /**
     * Any option that this class does not name.
     *
     * @param level such as {@code RDMA_OPTION_IB}
     * @param option its number
     * @param value as long as the option takes
     * @throws ConnectionException when there is no such option (ENOSYS) or the length is wrong
     *     (EINVAL)
     */
    public ConnectionOptions set(int level, int option, MemorySegment value) {
        id.set(level, option, value, "option " + option + " of level " + level);
        return this;
    }

    private ConnectionOptions setByte(int option, int value, int most, String name) {
        if (value < 0 || value > most) {
            throw new IllegalArgumentException(
                    name + " is " + value + ", but must be 0 to " + most);
        }
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment bytes = arena.allocateFrom(ValueLayout.JAVA_BYTE, (byte) value);
            id.set(Verbs.RDMA_OPTION_ID(), option, bytes, name + " " + value);
            return this;
        }
    }

    private ConnectionOptions setFlag(int option, boolean on, String name) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment flag = arena.allocateFrom(ValueLayout.JAVA_INT, on ? 1 : 0);
            id.set(Verbs.RDMA_OPTION_ID(), option, flag, name + " " + on);
            return this;
        }
    }
}
