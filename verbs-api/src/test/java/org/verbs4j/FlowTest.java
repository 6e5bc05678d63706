package org.verbs4j;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.verbs4j.bindings.Verbs;
import org.verbs4j.bindings.ibv_counter_attach_attr;
import org.verbs4j.bindings.ibv_counters;
import org.verbs4j.bindings.ibv_flow;
import org.verbs4j.bindings.ibv_flow_action;
import org.verbs4j.bindings.ibv_flow_action_esp_attr;
import org.verbs4j.bindings.ibv_flow_attr;
import org.verbs4j.bindings.verbs_context;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.HexFormat;
import java.util.List;
import java.util.stream.Stream;

/** Flow rules, byte for byte as {@code verbs.h} has them, and what hangs on flows. */
class FlowTest {
    private static final long SIZE = ibv_flow_attr.size$offset();

    private final FakeDevice device = new FakeDevice();
    private final FakeProvider provider = device.provider;
    private byte[] rule = {};

    @BeforeEach
    void provideFlows() {
        MemorySegment flow = provider.allocate(ibv_flow.layout());
        ibv_flow.context(flow, provider.handle);
        provider.provide(
                "create_flow",
                verbs_context.ibv_create_flow$offset(),
                2,
                arguments -> {
                    short size =
                            arguments
                                    .struct(1, ibv_flow_attr.sizeof())
                                    .get(ValueLayout.JAVA_SHORT, SIZE);
                    rule = arguments.struct(1, size).toArray(ValueLayout.JAVA_BYTE);
                    return flow.address();
                });
        provider.provide(
                "destroy_flow", verbs_context.ibv_destroy_flow$offset(), 1, arguments -> 0);
    }

    private static byte[] hex(String text) {
        return HexFormat.of().parseHex(text.replace(" ", ""));
    }

    /** The header: mask, type, size, priority, count of specifications, port, flags. */
    @Test
    void theHeaderSaysWhatFollows() {
        FlowRule sniffer =
                FlowRule.on(2)
                        .type(FlowRule.Type.SNIFFER)
                        .priority(0x0102)
                        .doNotTrap()
                        .egress()
                        .build();
        device.pair.newFlow(sniffer).close();
        assertThat(rule)
                .isEqualTo(hex("00000000 03000000 1400 0201 00 02 0000 06000000"))
                .hasSize((int) ibv_flow_attr.sizeof());
        assertThat(provider.callsOf("destroy_flow")).hasSize(1);
    }

    static Stream<Arguments> filters() {
        return Stream.of(
                Arguments.of(
                        new FlowFilter.Ethernet(0x0a0b0c0d0e0fL, 0x010203040506L, 0x0800, 0x0102),
                        new FlowFilter.Ethernet(0xffff_ffff_ffffL, 0, 0xffff, 0x0fff),
                        "20000000 2800 0a0b0c0d0e0f 010203040506 0800 0102"
                                + " ffffffffffff 000000000000 ffff 0fff 0000"),
                Arguments.of(
                        new FlowFilter.Ipv4(0xc0a80001, 0x0a000002),
                        new FlowFilter.Ipv4(-1, 0xff000000),
                        "30000000 1800 0000 c0a80001 0a000002 ffffffff ff000000"),
                Arguments.of(
                        new FlowFilter.Ipv4Extended(0xc0a80001, 0x0a000002, 17, 4, 64, 2),
                        new FlowFilter.Ipv4Extended(-1, -1, 0xff, 0xff, 0, 0),
                        "32000000 2000 0000 c0a80001 0a000002 11 04 40 02"
                                + " ffffffff ffffffff ff ff 00 00"),
                Arguments.of(
                        new FlowFilter.Ipv6(Gid.parse("fe80::1"), Gid.zero(), 0xabcde, 6, 3, 64),
                        new FlowFilter.Ipv6(Gid.parse("ffff::"), Gid.zero(), 0, 0xff, 0, 0),
                        "31000000 5800 0000"
                                + " fe800000000000000000000000000001"
                                + " 00000000000000000000000000000000 000abcde 06 03 40 00"
                                + " ffff0000000000000000000000000000"
                                + " 00000000000000000000000000000000 00000000 ff 00 00 00"),
                Arguments.of(
                        new FlowFilter.Tcp(80, 0xabcd),
                        new FlowFilter.Tcp(0xffff, 0),
                        "40000000 1000 0050 abcd ffff 0000 0000"),
                Arguments.of(
                        new FlowFilter.Udp(4791, 1),
                        new FlowFilter.Udp(0xffff, 0xffff),
                        "41000000 1000 12b7 0001 ffff ffff 0000"),
                Arguments.of(
                        new FlowFilter.Vxlan(0x010203),
                        new FlowFilter.Vxlan(0xffffff),
                        "50000000 1000 0000 00010203 00ffffff"),
                Arguments.of(
                        new FlowFilter.Gre(0x2000, 0x0800, 7),
                        new FlowFilter.Gre(0xffff, 0xffff, -1),
                        "51000000 1800 0000 2000 0800 00000007 ffff ffff ffffffff"),
                Arguments.of(
                        new FlowFilter.Mpls(0x12345678),
                        new FlowFilter.Mpls(0xfffff000),
                        "60000000 1000 0000 12345678 fffff000"),
                Arguments.of(
                        new FlowFilter.Esp(0x11, 0x22),
                        new FlowFilter.Esp(-1, 0),
                        "34000000 1800 0000 00000011 00000022 ffffffff 00000000"));
    }

    @ParameterizedTest
    @MethodSource("filters")
    void everyHeaderArrivesAsItTravels(FlowFilter value, FlowFilter mask, String expected) {
        device.pair.newFlow(FlowRule.on(1).match(value, mask).build()).close();
        byte[] spec = hex(expected);
        assertThat(rule).hasSize((int) ibv_flow_attr.sizeof() + spec.length).endsWith(spec);

        device.pair.newFlow(FlowRule.on(1).matchInner(value, mask).build()).close();
        spec[1] |= (byte) (Verbs.IBV_FLOW_SPEC_INNER() >> 8);
        assertThat(rule).endsWith(spec);
    }

    @Test
    void valueAndMaskAreOfTheSameHeaderAndRangesAreChecked() {
        assertThatThrownBy(
                        () ->
                                FlowRule.on(1)
                                        .match(new FlowFilter.Tcp(1, 1), new FlowFilter.Udp(1, 1)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("must be of the same type, but is Udp");
        assertThatThrownBy(() -> new FlowFilter.Tcp(0x10000, 1))
                .hasMessageContaining("destinationPort is 65536");
        assertThatThrownBy(() -> FlowRule.on(0).build()).hasMessageContaining("port is 0");
    }

    private FlowCounters counters() {
        MemorySegment counters = provider.allocate(ibv_counters.layout());
        ibv_counters.context(counters, provider.handle);
        provider.provide(
                "create_counters",
                verbs_context.create_counters$offset(),
                2,
                arguments -> counters.address());
        provider.provide(
                "destroy_counters", verbs_context.destroy_counters$offset(), 1, arguments -> 0);
        return device.context.newFlowCounters();
    }

    private FlowAction action() {
        MemorySegment action = provider.allocate(ibv_flow_action.layout());
        ibv_flow_action.context(action, provider.handle);
        provider.provide(
                "create_esp",
                verbs_context.create_flow_action_esp$offset(),
                2,
                arguments -> action.address());
        provider.provide(
                "modify_esp", verbs_context.modify_flow_action_esp$offset(), 2, arguments -> 0);
        provider.provide(
                "destroy_action", verbs_context.destroy_flow_action$offset(), 1, arguments -> 0);
        try (Arena arena = Arena.ofConfined()) {
            return device.context.newEspFlowAction(
                    arena.allocate(ibv_flow_action_esp_attr.layout()));
        }
    }

    @Test
    void actionsFollowTheHeadersAndStayOpenAsLongAsTheFlow() {
        FlowCounters counters = counters();
        FlowAction action = action();
        Flow flow =
                device.pair.newFlow(
                        FlowRule.on(1)
                                .action(new FlowRule.Action.Tag(0x01020304))
                                .action(new FlowRule.Action.Drop())
                                .action(new FlowRule.Action.Handle(action))
                                .action(new FlowRule.Action.Count(counters))
                                .build());
        MemorySegment specs = MemorySegment.ofArray(rule).asSlice(ibv_flow_attr.sizeof());
        assertThat(specs.asSlice(0, 20).toArray(ValueLayout.JAVA_BYTE))
                .isEqualTo(hex("00100000 0c00 0000 04030201 01100000 0800 0000"));
        assertThat(specs.get(ValueLayout.JAVA_INT_UNALIGNED, 20))
                .isEqualTo(Verbs.IBV_FLOW_SPEC_ACTION_HANDLE());
        assertThat(specs.get(ValueLayout.JAVA_LONG_UNALIGNED, 28))
                .isEqualTo(action.handle().address());
        assertThat(specs.get(ValueLayout.JAVA_INT_UNALIGNED, 36))
                .isEqualTo(Verbs.IBV_FLOW_SPEC_ACTION_COUNT());
        assertThat(specs.get(ValueLayout.JAVA_LONG_UNALIGNED, 44))
                .isEqualTo(counters.handle().address());

        for (AutoCloseable used : List.<AutoCloseable>of(action, counters)) {
            assertThatThrownBy(used::close)
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining(flow.toString());
        }
        flow.close();
        action.close();
        counters.close();
        assertThat(provider.callsOf("destroy_action")).hasSize(1);
        assertThat(provider.callsOf("destroy_counters")).hasSize(1);
    }

    @Test
    void attributesAreCopiedAndThoseTooShortOrGoneAreRefused() {
        FlowAction action = action();
        MemorySegment tooShort = provider.allocate(ValueLayout.JAVA_LONG);
        assertThatThrownBy(() -> action.modify(tooShort))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("struct ibv_flow_action_esp_attr");
        Arena closed = Arena.ofShared();
        MemorySegment gone = closed.allocate(ibv_flow_action_esp_attr.layout());
        closed.close();
        assertThatThrownBy(() -> action.modify(gone)).isInstanceOf(IllegalStateException.class);
        assertThatThrownBy(() -> device.context.newEspFlowAction(gone))
                .isInstanceOf(IllegalStateException.class);
        assertThat(provider.callsOf("modify_esp")).isEmpty();
        MemorySegment own = provider.allocate(ibv_flow_action_esp_attr.layout());
        action.modify(own);
        assertThat(provider.callsOf("modify_esp")).hasSize(1);
        assertThat(provider.callsOf("modify_esp").getFirst().arguments().pointer(1))
                .isNotEqualTo(own.address());
    }

    /** C hands them to the provider, which takes them for its own. */
    @Test
    void whatIsOfAnotherContextIsRefused() {
        FlowCounters counters = counters();
        FlowAction action = action();
        FakeDevice other = new FakeDevice();
        for (FlowRule.Action foreign :
                List.of(new FlowRule.Action.Handle(action), new FlowRule.Action.Count(counters))) {
            FlowRule using = FlowRule.on(1).action(foreign).build();
            assertThatThrownBy(() -> other.pair.newFlow(using))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("of another context than the queue pair");
        }
        FlowTest elsewhere = new FlowTest();
        elsewhere.provideFlows();
        try (Flow flow = elsewhere.device.pair.newFlow(FlowRule.on(1).build())) {
            assertThatThrownBy(() -> counters.attach(FlowCounters.Kind.PACKETS, 0, flow))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("of another context than the counters");
        }
    }

    @Test
    void countersAreNotAttachedToAFlowThatIsClosed() {
        FlowCounters counters = counters();
        Flow flow = device.pair.newFlow(FlowRule.on(1).build());
        flow.close();
        assertThatThrownBy(() -> counters.attach(FlowCounters.Kind.PACKETS, 0, flow))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("is closed");
    }

    @Test
    void countersAreAttachedAndRead() {
        FlowCounters counters = counters();
        int[] attached = new int[2];
        provider.provide(
                "attach",
                verbs_context.attach_counters_point_flow$offset(),
                3,
                arguments -> {
                    MemorySegment attr = arguments.struct(1, ibv_counter_attach_attr.sizeof());
                    attached[0] = ibv_counter_attach_attr.counter_desc(attr);
                    attached[1] = ibv_counter_attach_attr.index(attr);
                    return arguments.pointer(2) == 0 ? 0 : 95;
                });
        provider.provide(
                "read",
                verbs_context.read_counters$offset(),
                4,
                arguments -> {
                    assertThat(arguments.integer(3))
                            .isEqualTo(Verbs.IBV_READ_COUNTERS_ATTR_PREFER_CACHED());
                    MemorySegment values = arguments.struct(1, 8L * arguments.integer(2));
                    for (int i = 0; i < arguments.integer(2); i++) {
                        values.setAtIndex(ValueLayout.JAVA_LONG, i, 100 + i);
                    }
                    return 0;
                });
        counters.attach(FlowCounters.Kind.BYTES, 1);
        assertThat(attached).containsExactly(Verbs.IBV_COUNTER_BYTES(), 1);
        assertThat(counters.read(3, true)).containsExactly(100, 101, 102);
        try (Flow flow = device.pair.newFlow(FlowRule.on(1).build())) {
            assertThatThrownBy(() -> counters.attach(FlowCounters.Kind.PACKETS, 0, flow))
                    .isInstanceOf(UnsupportedVerbException.class)
                    .hasMessageContaining("ibv_attach_counters_point_flow");
        }
        assertThatThrownBy(() -> counters.read(0, false))
                .hasMessageContaining("count is 0, but must be 1 to 65536");
    }
}
