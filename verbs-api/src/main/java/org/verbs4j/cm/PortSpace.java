package org.verbs4j.cm;

import org.verbs4j.bindings.Verbs;

/**
 * What kind of service a {@link ConnectionId} is for, {@code enum rdma_port_space}: ports of
 * different spaces have nothing to do with each other.
 */
public enum PortSpace {
    /** Reliable connections, {@code RDMA_PS_TCP}. */
    TCP(Verbs.RDMA_PS_TCP(), false),
    /** Datagrams, {@code RDMA_PS_UDP}. */
    UDP(Verbs.RDMA_PS_UDP(), true),
    /** Datagrams among IP over InfiniBand's own, {@code RDMA_PS_IPOIB}. */
    IPOIB(Verbs.RDMA_PS_IPOIB(), true),
    /**
     * Any kind of queue pair, {@code RDMA_PS_IB}. In C its addresses may also be native ones of
     * InfiniBand, {@code AF_IB}; here addresses are IPv4 or IPv6, and those are not offered.
     */
    IB(Verbs.RDMA_PS_IB(), false),
    /** Another one. */
    UNKNOWN(0, false);

    private final int code;
    private final boolean forDatagrams;

    PortSpace(int code, boolean forDatagrams) {
        this.code = code;
        this.forDatagrams = forDatagrams;
    }

    /** Its number in C, 0 of {@link #UNKNOWN}. */
    public int code() {
        return code;
    }

    /** Whether it takes unconnected queue pairs. */
    public boolean isForDatagrams() {
        return forDatagrams;
    }

    /** The space with this number, {@link #UNKNOWN} when there is none. */
    public static PortSpace of(int code) {
        for (PortSpace space : values()) {
            if (space.code == code) {
                return space;
            }
        }
        return UNKNOWN;
    }
}
