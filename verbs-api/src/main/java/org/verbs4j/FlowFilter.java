package org.verbs4j;

/**
 * The fields of one header, as values to match or as the bits that matter, see {@link
 * FlowRule.Builder#match}: the {@code struct ibv_flow_*_filter}. All numbers are in host order.
 */
public sealed interface FlowFilter {
    /**
     * Ethernet: {@code struct ibv_flow_eth_filter}.
     *
     * @param destination 48 bits
     * @param source 48 bits
     * @param etherType 16 bits, such as 0x0800 for IPv4
     * @param vlanTag 16 bits
     */
    record Ethernet(long destination, long source, int etherType, int vlanTag)
            implements FlowFilter {
        private static final long MOST_MAC = 0xffff_ffff_ffffL;

        /** Checks the ranges. */
        public Ethernet {
            Arguments.range("destination", destination, 0, MOST_MAC);
            Arguments.range("source", source, 0, MOST_MAC);
            Arguments.range("etherType", etherType, 0, 0xffff);
            Arguments.range("vlanTag", vlanTag, 0, 0xffff);
        }
    }

    /**
     * IPv4: {@code struct ibv_flow_ipv4_filter}.
     *
     * @param source such as 0xc0a80001 for 192.168.0.1
     * @param destination likewise
     */
    record Ipv4(int source, int destination) implements FlowFilter {}

    /**
     * IPv4 with more of its header: {@code struct ibv_flow_ipv4_ext_filter}.
     *
     * @param source as in {@link Ipv4}
     * @param destination as in {@link Ipv4}
     * @param protocol 8 bits, such as 6 for TCP
     * @param typeOfService 8 bits
     * @param timeToLive 8 bits
     * @param flags 8 bits
     */
    record Ipv4Extended(
            int source, int destination, int protocol, int typeOfService, int timeToLive, int flags)
            implements FlowFilter {
        /** Checks the ranges. */
        public Ipv4Extended {
            Arguments.range("protocol", protocol, 0, 0xff);
            Arguments.range("typeOfService", typeOfService, 0, 0xff);
            Arguments.range("timeToLive", timeToLive, 0, 0xff);
            Arguments.range("flags", flags, 0, 0xff);
        }
    }

    /**
     * IPv6: {@code struct ibv_flow_ipv6_filter}.
     *
     * @param source 16 bytes, which a GID is too
     * @param destination likewise
     * @param flowLabel 20 bits
     * @param nextHeader 8 bits
     * @param trafficClass 8 bits
     * @param hopLimit 8 bits
     */
    record Ipv6(
            Gid source,
            Gid destination,
            int flowLabel,
            int nextHeader,
            int trafficClass,
            int hopLimit)
            implements FlowFilter {
        /** Checks the ranges. */
        public Ipv6 {
            Arguments.range("flowLabel", flowLabel, 0, 0xfffff);
            Arguments.range("nextHeader", nextHeader, 0, 0xff);
            Arguments.range("trafficClass", trafficClass, 0, 0xff);
            Arguments.range("hopLimit", hopLimit, 0, 0xff);
        }
    }

    /**
     * TCP: {@code struct ibv_flow_tcp_udp_filter}.
     *
     * @param destinationPort 16 bits
     * @param sourcePort 16 bits
     */
    record Tcp(int destinationPort, int sourcePort) implements FlowFilter {
        /** Checks the ranges. */
        public Tcp {
            Arguments.range("destinationPort", destinationPort, 0, 0xffff);
            Arguments.range("sourcePort", sourcePort, 0, 0xffff);
        }
    }

    /**
     * UDP: {@code struct ibv_flow_tcp_udp_filter}.
     *
     * @param destinationPort 16 bits
     * @param sourcePort 16 bits
     */
    record Udp(int destinationPort, int sourcePort) implements FlowFilter {
        /** Checks the ranges. */
        public Udp {
            Arguments.range("destinationPort", destinationPort, 0, 0xffff);
            Arguments.range("sourcePort", sourcePort, 0, 0xffff);
        }
    }

    /**
     * A VXLAN tunnel: {@code struct ibv_flow_tunnel_filter}.
     *
     * @param network its identifier, 24 bits
     */
    record Vxlan(int network) implements FlowFilter {
        /** Checks the range. */
        public Vxlan {
            Arguments.range("network", network, 0, 0xff_ffff);
        }
    }

    /**
     * Generic routing encapsulation: {@code struct ibv_flow_gre_filter}.
     *
     * @param flags the first 16 bits of the header
     * @param protocol 16 bits, an Ethernet type
     * @param key 32 bits
     */
    record Gre(int flags, int protocol, int key) implements FlowFilter {
        /** Checks the ranges. */
        public Gre {
            Arguments.range("flags", flags, 0, 0xffff);
            Arguments.range("protocol", protocol, 0, 0xffff);
        }
    }

    /**
     * MPLS: {@code struct ibv_flow_mpls_filter}.
     *
     * @param entry 32 bits: label, traffic class, bottom of stack, time to live
     */
    record Mpls(int entry) implements FlowFilter {}

    /**
     * IPsec's encapsulating security payload: {@code struct ibv_flow_esp_filter}.
     *
     * @param securityParameters its index, 32 bits
     * @param sequence 32 bits
     */
    record Esp(int securityParameters, int sequence) implements FlowFilter {}
}
