package org.verbs4j;

import org.jspecify.annotations.Nullable;
import org.verbs4j.bindings.InlineVerbs;

import java.lang.foreign.MemorySegment;
import java.util.Objects;

/**
 * The way to a peer: {@code struct ibv_ah_attr}. A value.
 *
 * @param port the local port, 1 to 255
 * @param lid the peer's local identifier on InfiniBand, 16 bits, 0 on Ethernet
 * @param serviceLevel 0 to 15
 * @param route the global part, which RoCE cannot do without; null to stay in an InfiniBand subnet
 */
public record AddressVector(int port, int lid, int serviceLevel, @Nullable GlobalRoute route) {

    /**
     * The global routing header: {@code struct ibv_global_route}.
     *
     * @param destination the peer's GID
     * @param sourceGidIndex the index of the local GID in its port's table, 0 to 255
     * @param flowLabel 20 bits; on RoCEv2 some devices derive the UDP source port from it
     * @param hopLimit 0 to 255: with 1 a packet does not pass a router
     * @param trafficClass 8 bits; on RoCEv2 the DSCP is in the upper six
     */
    public record GlobalRoute(
            Gid destination, int sourceGidIndex, int flowLabel, int hopLimit, int trafficClass) {
        /** Checks the ranges. */
        public GlobalRoute {
            Objects.requireNonNull(destination, "destination");
            Arguments.range("sourceGidIndex", sourceGidIndex, 0, 255);
            Arguments.range("flowLabel", flowLabel, 0, 0xfffff);
            Arguments.range("hopLimit", hopLimit, 0, 255);
            Arguments.range("trafficClass", trafficClass, 0, 255);
        }

        /**
         * The UDP source port that RoCEv2 devices derive from the flow label, {@code
         * ibv_flow_label_to_udp_sport}: 49152 to 65535.
         */
        public int udpSourcePort() {
            return InlineVerbs.ibv_flow_label_to_udp_sport(flowLabel);
        }
    }

    /** Checks the ranges. */
    public AddressVector {
        Arguments.range("port", port, 1, 255);
        Arguments.range("lid", lid, 0, 0xffff);
        Arguments.range("serviceLevel", serviceLevel, 0, 15);
    }

    /**
     * The way from a local GID, by its index alone as in C, to a peer: global when the peer has a
     * GID, with a hop limit of {@value ConnectOptions#DEFAULT_HOP_LIMIT}, no flow label and traffic
     * class 0.
     *
     * @param remote the peer
     * @param source the local GID to send from
     */
    public static AddressVector of(QueuePairEndpoint remote, GidEntry source) {
        Gid destination = remote.gid();
        GlobalRoute route =
                destination == null
                        ? null
                        : new GlobalRoute(
                                destination,
                                source.index(),
                                0,
                                ConnectOptions.DEFAULT_HOP_LIMIT,
                                0);
        return new AddressVector(source.port(), remote.lid(), 0, route);
    }

    /**
     * The way back to the sender of a datagram, {@code ibv_init_ah_from_wc(3)}.
     *
     * @param port where the datagram was received
     * @param completion of the receive, successful
     * @param received the memory of the receive, from its beginning: the {@link
     *     GlobalRoutingHeader}
     * @throws IllegalArgumentException when the receive failed, or the memory is too short
     * @throws VerbsException when the header is none, or its destination not a GID of the port
     */
    public static AddressVector ofSender(
            Port port, WorkCompletion completion, MemorySegment received) {
        return AddressVectors.ofSender(port, completion, received);
    }
}
