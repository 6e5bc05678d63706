package org.verbs4j;

import org.verbs4j.bindings.Verbs;
import org.verbs4j.bindings.ibv_flow_attr;
import org.verbs4j.bindings.ibv_flow_esp_filter;
import org.verbs4j.bindings.ibv_flow_eth_filter;
import org.verbs4j.bindings.ibv_flow_gre_filter;
import org.verbs4j.bindings.ibv_flow_ipv4_ext_filter;
import org.verbs4j.bindings.ibv_flow_ipv4_filter;
import org.verbs4j.bindings.ibv_flow_ipv6_filter;
import org.verbs4j.bindings.ibv_flow_mpls_filter;
import org.verbs4j.bindings.ibv_flow_spec_action_drop;
import org.verbs4j.bindings.ibv_flow_spec_action_handle;
import org.verbs4j.bindings.ibv_flow_spec_action_tag;
import org.verbs4j.bindings.ibv_flow_spec_counter_action;
import org.verbs4j.bindings.ibv_flow_spec_esp;
import org.verbs4j.bindings.ibv_flow_spec_eth;
import org.verbs4j.bindings.ibv_flow_spec_gre;
import org.verbs4j.bindings.ibv_flow_spec_ipv4;
import org.verbs4j.bindings.ibv_flow_spec_ipv4_ext;
import org.verbs4j.bindings.ibv_flow_spec_ipv6;
import org.verbs4j.bindings.ibv_flow_spec_mpls;
import org.verbs4j.bindings.ibv_flow_spec_tcp_udp;
import org.verbs4j.bindings.ibv_flow_spec_tunnel;
import org.verbs4j.bindings.ibv_flow_tcp_udp_filter;
import org.verbs4j.bindings.ibv_flow_tunnel_filter;

import java.lang.foreign.Arena;
import java.lang.foreign.GroupLayout;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;

/**
 * Writes a rule as C has it: a header and the specifications right behind it, each as long as it
 * says.
 *
 * <pre>
 *   | ibv_flow_attr, 20 bytes | type | size | value ... | mask ... | type | size | ...
 * </pre>
 */
final class FlowEncoder {
    /** Every specification begins with type and size; all of them have them at the same place. */
    private static final long TYPE = ibv_flow_spec_eth.type$offset();

    private static final long SIZE = ibv_flow_spec_eth.size$offset();

    private final Arena arena;
    private final List<MemorySegment> specs = new ArrayList<>();

    FlowEncoder(Arena arena) {
        this.arena = arena;
    }

    /** Where a specification has what it matches. */
    private record Shape(int type, GroupLayout layout, long value, long mask) {}

    private static Shape shapeOf(FlowFilter filter) {
        return switch (filter) {
            case FlowFilter.Ethernet _ ->
                    new Shape(
                            Verbs.IBV_FLOW_SPEC_ETH(),
                            ibv_flow_spec_eth.layout(),
                            ibv_flow_spec_eth.val$offset(),
                            ibv_flow_spec_eth.mask$offset());
            case FlowFilter.Ipv4 _ ->
                    new Shape(
                            Verbs.IBV_FLOW_SPEC_IPV4(),
                            ibv_flow_spec_ipv4.layout(),
                            ibv_flow_spec_ipv4.val$offset(),
                            ibv_flow_spec_ipv4.mask$offset());
            case FlowFilter.Ipv4Extended _ ->
                    new Shape(
                            Verbs.IBV_FLOW_SPEC_IPV4_EXT(),
                            ibv_flow_spec_ipv4_ext.layout(),
                            ibv_flow_spec_ipv4_ext.val$offset(),
                            ibv_flow_spec_ipv4_ext.mask$offset());
            case FlowFilter.Ipv6 _ ->
                    new Shape(
                            Verbs.IBV_FLOW_SPEC_IPV6(),
                            ibv_flow_spec_ipv6.layout(),
                            ibv_flow_spec_ipv6.val$offset(),
                            ibv_flow_spec_ipv6.mask$offset());
            case FlowFilter.Tcp _ -> ports(Verbs.IBV_FLOW_SPEC_TCP());
            case FlowFilter.Udp _ -> ports(Verbs.IBV_FLOW_SPEC_UDP());
            case FlowFilter.Vxlan _ ->
                    new Shape(
                            Verbs.IBV_FLOW_SPEC_VXLAN_TUNNEL(),
                            ibv_flow_spec_tunnel.layout(),
                            ibv_flow_spec_tunnel.val$offset(),
                            ibv_flow_spec_tunnel.mask$offset());
            case FlowFilter.Gre _ ->
                    new Shape(
                            Verbs.IBV_FLOW_SPEC_GRE(),
                            ibv_flow_spec_gre.layout(),
                            ibv_flow_spec_gre.val$offset(),
                            ibv_flow_spec_gre.mask$offset());
            case FlowFilter.Mpls _ ->
                    new Shape(
                            Verbs.IBV_FLOW_SPEC_MPLS(),
                            ibv_flow_spec_mpls.layout(),
                            ibv_flow_spec_mpls.val$offset(),
                            ibv_flow_spec_mpls.mask$offset());
            case FlowFilter.Esp _ ->
                    new Shape(
                            Verbs.IBV_FLOW_SPEC_ESP(),
                            ibv_flow_spec_esp.layout(),
                            ibv_flow_spec_esp.val$offset(),
                            ibv_flow_spec_esp.mask$offset());
        };
    }

    private static Shape ports(int type) {
        return new Shape(
                type,
                ibv_flow_spec_tcp_udp.layout(),
                ibv_flow_spec_tcp_udp.val$offset(),
                ibv_flow_spec_tcp_udp.mask$offset());
    }

    void add(FlowRule.Match match) {
        Shape shape = shapeOf(match.value());
        int inner = match.inner() ? Verbs.IBV_FLOW_SPEC_INNER() : 0;
        MemorySegment spec = add(shape.type() | inner, shape.layout());
        encode(spec.asSlice(shape.value()), match.value());
        encode(spec.asSlice(shape.mask()), match.mask());
    }

    void addTag(int tag) {
        MemorySegment spec =
                add(Verbs.IBV_FLOW_SPEC_ACTION_TAG(), ibv_flow_spec_action_tag.layout());
        ibv_flow_spec_action_tag.tag_id(spec, tag);
    }

    void addDrop() {
        add(Verbs.IBV_FLOW_SPEC_ACTION_DROP(), ibv_flow_spec_action_drop.layout());
    }

    void addAction(MemorySegment action) {
        MemorySegment spec =
                add(Verbs.IBV_FLOW_SPEC_ACTION_HANDLE(), ibv_flow_spec_action_handle.layout());
        ibv_flow_spec_action_handle.action(spec, action);
    }

    void addCount(MemorySegment counters) {
        MemorySegment spec =
                add(Verbs.IBV_FLOW_SPEC_ACTION_COUNT(), ibv_flow_spec_counter_action.layout());
        ibv_flow_spec_counter_action.counters(spec, counters);
    }

    private MemorySegment add(int type, GroupLayout layout) {
        MemorySegment spec = arena.allocate(layout);
        spec.set(ValueLayout.JAVA_INT, TYPE, type);
        spec.set(ValueLayout.JAVA_SHORT, SIZE, (short) layout.byteSize());
        specs.add(spec);
        return spec;
    }

    /** All of it in one piece; the specifications need not be aligned there. */
    MemorySegment finish(FlowRule rule) {
        long size =
                ibv_flow_attr.sizeof() + specs.stream().mapToLong(MemorySegment::byteSize).sum();
        MemorySegment attr = arena.allocate(size, Long.BYTES);
        ibv_flow_attr.type(attr, rule.type().code());
        ibv_flow_attr.size(attr, (short) size);
        ibv_flow_attr.priority(attr, (short) rule.priority());
        ibv_flow_attr.num_of_specs(attr, (byte) specs.size());
        ibv_flow_attr.port(attr, (byte) rule.port());
        ibv_flow_attr.flags(attr, rule.flags());
        long offset = ibv_flow_attr.sizeof();
        for (MemorySegment spec : specs) {
            MemorySegment.copy(spec, 0, attr, offset, spec.byteSize());
            offset += spec.byteSize();
        }
        return attr;
    }

    private static void encode(MemorySegment to, FlowFilter filter) {
        switch (filter) {
            case FlowFilter.Ethernet eth -> {
                mac(ibv_flow_eth_filter.dst_mac(to), eth.destination());
                mac(ibv_flow_eth_filter.src_mac(to), eth.source());
                ibv_flow_eth_filter.ether_type(to, be16(eth.etherType()));
                ibv_flow_eth_filter.vlan_tag(to, be16(eth.vlanTag()));
            }
            case FlowFilter.Ipv4 ip -> {
                ibv_flow_ipv4_filter.src_ip(to, NetworkOrder.toNetwork(ip.source()));
                ibv_flow_ipv4_filter.dst_ip(to, NetworkOrder.toNetwork(ip.destination()));
            }
            case FlowFilter.Ipv4Extended ip -> encode(to, ip);
            case FlowFilter.Ipv6 ip -> encode(to, ip);
            case FlowFilter.Tcp tcp -> encodePorts(to, tcp.destinationPort(), tcp.sourcePort());
            case FlowFilter.Udp udp -> encodePorts(to, udp.destinationPort(), udp.sourcePort());
            case FlowFilter.Vxlan tunnel ->
                    ibv_flow_tunnel_filter.tunnel_id(to, NetworkOrder.toNetwork(tunnel.network()));
            case FlowFilter.Gre gre -> {
                ibv_flow_gre_filter.c_ks_res0_ver(to, be16(gre.flags()));
                ibv_flow_gre_filter.protocol(to, be16(gre.protocol()));
                ibv_flow_gre_filter.key(to, NetworkOrder.toNetwork(gre.key()));
            }
            case FlowFilter.Mpls mpls ->
                    ibv_flow_mpls_filter.label(to, NetworkOrder.toNetwork(mpls.entry()));
            case FlowFilter.Esp esp -> {
                ibv_flow_esp_filter.spi(to, NetworkOrder.toNetwork(esp.securityParameters()));
                ibv_flow_esp_filter.seq(to, NetworkOrder.toNetwork(esp.sequence()));
            }
        }
    }

    private static void encode(MemorySegment to, FlowFilter.Ipv4Extended ip) {
        ibv_flow_ipv4_ext_filter.src_ip(to, NetworkOrder.toNetwork(ip.source()));
        ibv_flow_ipv4_ext_filter.dst_ip(to, NetworkOrder.toNetwork(ip.destination()));
        ibv_flow_ipv4_ext_filter.proto(to, (byte) ip.protocol());
        ibv_flow_ipv4_ext_filter.tos(to, (byte) ip.typeOfService());
        ibv_flow_ipv4_ext_filter.ttl(to, (byte) ip.timeToLive());
        ibv_flow_ipv4_ext_filter.flags(to, (byte) ip.flags());
    }

    private static void encode(MemorySegment to, FlowFilter.Ipv6 ip) {
        bytes(ibv_flow_ipv6_filter.src_ip(to), ip.source().bytes());
        bytes(ibv_flow_ipv6_filter.dst_ip(to), ip.destination().bytes());
        ibv_flow_ipv6_filter.flow_label(to, NetworkOrder.toNetwork(ip.flowLabel()));
        ibv_flow_ipv6_filter.next_hdr(to, (byte) ip.nextHeader());
        ibv_flow_ipv6_filter.traffic_class(to, (byte) ip.trafficClass());
        ibv_flow_ipv6_filter.hop_limit(to, (byte) ip.hopLimit());
    }

    private static void encodePorts(MemorySegment to, int destination, int source) {
        ibv_flow_tcp_udp_filter.dst_port(to, be16(destination));
        ibv_flow_tcp_udp_filter.src_port(to, be16(source));
    }

    private static short be16(int value) {
        return NetworkOrder.toNetwork((short) value);
    }

    private static void mac(MemorySegment to, long address) {
        for (int i = 0; i < to.byteSize(); i++) {
            long shift = Byte.SIZE * (to.byteSize() - 1 - i);
            to.set(ValueLayout.JAVA_BYTE, i, (byte) (address >>> shift));
        }
    }

    private static void bytes(MemorySegment to, byte... bytes) {
        MemorySegment.copy(bytes, 0, to, ValueLayout.JAVA_BYTE, 0, bytes.length);
    }
}
