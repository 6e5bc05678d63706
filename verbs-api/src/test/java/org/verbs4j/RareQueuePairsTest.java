package org.verbs4j;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.verbs4j.bindings.Posix;
import org.verbs4j.bindings.Verbs;
import org.verbs4j.bindings.ibv_context_ops;
import org.verbs4j.bindings.ibv_cq;
import org.verbs4j.bindings.ibv_ece;
import org.verbs4j.bindings.ibv_pd;
import org.verbs4j.bindings.ibv_port_attr;
import org.verbs4j.bindings.ibv_qp;
import org.verbs4j.bindings.ibv_qp_attr;
import org.verbs4j.bindings.ibv_qp_ex;
import org.verbs4j.bindings.ibv_qp_init_attr_ex;
import org.verbs4j.bindings.ibv_qp_open_attr;
import org.verbs4j.bindings.ibv_qp_rate_limit_attr;
import org.verbs4j.bindings.ibv_send_wr;
import org.verbs4j.bindings.ibv_srq;
import org.verbs4j.bindings.ibv_srq_init_attr_ex;
import org.verbs4j.bindings.ibv_xrcd;
import org.verbs4j.bindings.ibv_xrcd_init_attr;
import org.verbs4j.bindings.verbs_context;

import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;

/** Queue pairs that soft-RoCE does not have, against a provider that has them. */
class RareQueuePairsTest {
    private static final int NUMBER = 0x1234;

    /** More than any of the attributes has. */
    private static final int ATTRIBUTES = 256;

    private static final Guid GUID = new Guid(1);

    private final FakeProvider provider = new FakeProvider();
    private DeviceContext context;
    private ProtectionDomain domain;
    private CompletionQueue queue;
    private byte[] lastAttributes = {};
    private final GidEntry gid =
            new GidEntry(Gid.parse("10.0.0.1"), 3, 1, GidEntry.Type.ROCE_V2, 0);

    @BeforeEach
    void open() {
        for (String hot : List.of("poll_cq", "post_recv")) {
            provider.provideClassic(
                    hot,
                    hot.equals("poll_cq")
                            ? ibv_context_ops.poll_cq$offset()
                            : ibv_context_ops.post_recv$offset(),
                    3,
                    arguments -> 0);
        }
        provider.provideClassic("post_send", ibv_context_ops.post_send$offset(), 3, arguments -> 0);
        provider.provideActivePorts(
                attr -> {
                    ibv_port_attr.max_msg_sz(attr, 1 << 30);
                    ibv_port_attr.link_layer(attr, (byte) Verbs.IBV_LINK_LAYER_ETHERNET());
                });
        provide("open_xrcd", verbs_context.open_xrcd$offset(), ibv_xrcd.sizeof());
        provider.provide("close_xrcd", verbs_context.close_xrcd$offset(), 1, arguments -> 0);
        provide("create_srq_ex", verbs_context.create_srq_ex$offset(), ibv_srq.sizeof());
        provide("create_qp_ex", verbs_context.create_qp_ex$offset(), ibv_qp.sizeof());
        provide("open_qp", verbs_context.open_qp$offset(), ibv_qp.sizeof());
        anyOperation(arguments -> 0);
        context =
                provider.open(
                        new Device(
                                "fake0", GUID, NodeType.CHANNEL_ADAPTER, TransportType.INFINIBAND),
                        attributes());
        MemorySegment pd = provider.allocate(ibv_pd.layout());
        ibv_pd.context(pd, provider.handle);
        domain = new ProtectionDomain(context, pd);
        MemorySegment cq = provider.allocate(ibv_cq.layout());
        ibv_cq.cqe(cq, 16);
        queue = new CompletionQueue(context, null, 0, cq);
    }

    private static DeviceAttributes attributes() {
        return TestAttributes.small();
    }

    /** An operation that makes an object with the context in front, and a queue pair's number. */
    private void provide(String name, long offset, long size) {
        provider.provide(
                name,
                offset,
                2,
                arguments -> {
                    MemorySegment made = provider.allocate(ibv_qp_ex.layout());
                    assertThat(size).isLessThanOrEqualTo(made.byteSize());
                    ibv_qp.context(made, provider.handle);
                    ibv_qp.qp_num(made, NUMBER);
                    lastAttributes = arguments.struct(1, ATTRIBUTES).toArray(Verbs.C_CHAR);
                    return made.address();
                });
    }

    /** The attributes that the last object was made with. */
    private MemorySegment seen() {
        MemorySegment copy =
                provider.allocate(MemoryLayout.sequenceLayout(ATTRIBUTES, Verbs.C_CHAR));
        return copy.copyFrom(MemorySegment.ofArray(lastAttributes));
    }

    private void anyOperation(FakeProvider.Operation operation) {
        AnyOperation.provide(provider, operation);
    }

    private static boolean has(int mask, int bit) {
        return (mask & bit) != 0;
    }

    @Test
    void anXrcDomainIsAnonymousOrOfAFile() {
        context.newXrcDomain().close();
        MemorySegment attr = seen();
        assertThat(ibv_xrcd_init_attr.fd(attr)).isEqualTo(-1);
        assertThat(ibv_xrcd_init_attr.oflags(attr)).isEqualTo(Posix.O_CREAT());
        context.newXrcDomain(5, true).close();
        attr = seen();
        assertThat(ibv_xrcd_init_attr.fd(attr)).isEqualTo(5);
        assertThat(ibv_xrcd_init_attr.oflags(attr)).isEqualTo(Posix.O_CREAT() | Posix.O_EXCL());
        assertThat(ibv_xrcd_init_attr.comp_mask(attr))
                .isEqualTo(Verbs.IBV_XRCD_INIT_ATTR_FD() | Verbs.IBV_XRCD_INIT_ATTR_OFLAGS());
        assertThat(provider.callsOf("close_xrcd")).hasSize(2);
    }

    @Test
    void anXrcReceiveQueueIsOfTheDomainAndTellsItsNumber() {
        provider.provide(
                "get_srq_num",
                verbs_context.get_srq_num$offset(),
                2,
                arguments -> {
                    arguments.struct(1, 4).set(Verbs.C_INT, 0, 77);
                    return 0;
                });
        XrcDomain xrc = context.newXrcDomain();
        SharedReceiveQueue shared = xrc.newSharedReceiveQueue(domain, queue, 10, 2);
        MemorySegment attr = seen();
        assertThat(ibv_srq_init_attr_ex.srq_type(attr)).isEqualTo(Verbs.IBV_SRQT_XRC());
        assertThat(ibv_srq_init_attr_ex.xrcd(attr)).isEqualTo(xrc.handle());
        assertThat(ibv_srq_init_attr_ex.cq(attr).address()).isEqualTo(queue.handle().address());
        assertThat(shared.number()).isEqualTo(77);
        assertThatThrownBy(xrc::close)
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("shared receive queue");
        shared.close();
        xrc.close();
    }

    @Test
    void anXrcReceiverIsOfTheDomainAndTakesNoRequests() {
        XrcDomain xrc = context.newXrcDomain();
        XrcReceiveQueuePair pair = xrc.newReceiveQueuePair().port(1).gid(gid).build();
        MemorySegment attr = seen();
        int mask = ibv_qp_init_attr_ex.comp_mask(attr);
        assertThat(has(mask, Verbs.IBV_QP_INIT_ATTR_XRCD())).isTrue();
        assertThat(has(mask, Verbs.IBV_QP_INIT_ATTR_PD())).isFalse();
        assertThat(ibv_qp_init_attr_ex.xrcd(attr)).isEqualTo(xrc.handle());
        assertThat(ibv_qp_init_attr_ex.qp_type(attr)).isEqualTo(Verbs.IBV_QPT_XRC_RECV());
        assertThat(pair.state()).isEqualTo(QueuePairState.INIT);
        assertThatThrownBy(pair::newSend)
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("sends nothing");
        assertThatThrownBy(pair::newReceive)
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("takes no receives");
        pair.connect(new QueuePairEndpoint(9, 1, 0, Mtu.BYTES_1024, gid.gid()));
        assertThat(pair.state()).isEqualTo(QueuePairState.READY_TO_SEND);
        pair.close();
    }

    @Test
    void anXrcReceiverIsOpenedByItsNumber() {
        XrcDomain xrc = context.newXrcDomain();
        XrcReceiveQueuePair pair = xrc.newReceiveQueuePair().port(1).gid(gid).open(NUMBER);
        MemorySegment attr = seen();
        assertThat(ibv_qp_open_attr.qp_num(attr)).isEqualTo(NUMBER);
        assertThat(ibv_qp_open_attr.xrcd(attr)).isEqualTo(xrc.handle());
        assertThat(ibv_qp_open_attr.qp_type(attr)).isEqualTo(Verbs.IBV_QPT_XRC_RECV());
        assertThat(pair.number()).isEqualTo(NUMBER);
        pair.close();
        xrc.close();
    }

    @Test
    void anXrcSendNamesTheQueueThatItGoesTo() {
        List<Integer> queues = new ArrayList<>();
        provider.provideClassic(
                "post_send",
                ibv_context_ops.post_send$offset(),
                3,
                arguments -> {
                    MemorySegment wr = arguments.struct(1, ibv_send_wr.sizeof());
                    queues.add(
                            ibv_send_wr.qp_type.xrc.remote_srqn(
                                    ibv_send_wr.qp_type.xrc(ibv_send_wr.qp_type(wr))));
                    return 0;
                });
        returnsAQueuePair();
        XrcSendQueuePair pair = domain.newXrcSendQueuePair(queue).port(1).gid(gid).build();
        assertThatThrownBy(pair::newReceive).isInstanceOf(IllegalStateException.class);
        pair.connect(new QueuePairEndpoint(9, 1, 0, Mtu.BYTES_1024, gid.gid()));
        pair.post(pair.newSend().toQueue(77));
        pair.post(pair.newWrite().immediate(1).toQueue(78));
        assertThat(queues).containsExactly(77, 78);
    }

    @Test
    void whoWritesOnAConnectionAlsoBindsAndInvalidates() {
        FakeDevice device = new FakeDevice();
        MemorySegment mw = device.provider.newObject();
        device.provider.provideClassic(
                "alloc_mw", ibv_context_ops.alloc_mw$offset(), 2, arguments -> mw.address());
        MemoryWindow window = device.domain.newMemoryWindow(MemoryWindow.Type.TYPE_2);
        MemorySlice part = device.region(64).slice(8, 16);
        QueuePairSetup uc =
                device.setup(QueuePairType.UC, device.domain, device.provider.newObject());
        QueuePairSetup xrc =
                device.setup(QueuePairType.XRC_SEND, device.domain, device.provider.newObject());
        for (WritingQueuePair pair :
                List.of(device.newPair(), new UcQueuePair(uc), new XrcSendQueuePair(xrc))) {
            pair.admit(true, true);
            device.posted.clear();
            pair.post(pair.newBindWindow().window(window, 77).over(part, Access.REMOTE_WRITE));
            pair.post(pair.newLocalInvalidate().key(77));
            assertThat(device.posted)
                    .extracting(FakeDevice.Posted::opcode)
                    .containsExactly(Verbs.IBV_WR_BIND_MW(), Verbs.IBV_WR_LOCAL_INV());
            MemorySegment bind = ibv_send_wr.bind_mw(device.posted.getFirst().raw());
            assertThat(ibv_send_wr.bind_mw.mw(bind).address()).isEqualTo(mw.address());
            assertThat(ibv_send_wr.bind_mw.rkey(bind)).isEqualTo(77);
            assertThat(window.rkey()).isEqualTo(77);
            assertThat(ibv_send_wr.invalidate_rkey(device.posted.getLast().raw())).isEqualTo(77);
        }
    }

    /** The JVM would call NULL. */
    @Test
    void aSendThatTheProviderAcceptsAndHasNoFunctionForIsRefused() {
        int[] destroyed = {0};
        anyOperation(
                arguments -> {
                    destroyed[0]++;
                    return 0;
                });
        RcQueuePair.Builder builder =
                domain.newRcQueuePair(queue, queue)
                        .port(1)
                        .gid(gid)
                        .extendedSends(SendOperation.SEND);
        assertThatThrownBy(builder::build)
                .isInstanceOf(VerbsException.class)
                .hasMessageContaining("accepted SEND, but cannot post it");
        assertThat(destroyed[0]).isEqualTo(1);
        assertThat(domain.life().isOpen()).isTrue();
    }

    /** Lets {@code ibv_create_qp} succeed, and what follows it. */
    private void returnsAQueuePair() {
        MemorySegment qp = provider.allocate(ibv_qp.layout());
        ibv_qp.context(qp, provider.handle);
        ibv_qp.qp_num(qp, NUMBER);
        anyOperation(
                arguments -> arguments.pointer(0) == domain.handle().address() ? qp.address() : 0);
    }

    @Test
    void aQueuePairForFramesNeedsItsPortOnlyAndIsRateLimited() {
        List<Integer> masks = new ArrayList<>();
        anyOperation(
                arguments -> {
                    masks.add(arguments.integer(2));
                    return 0;
                });
        RawPacketQueuePair pair =
                domain.newRawPacketQueuePair(queue, queue)
                        .port(1)
                        .gid(gid)
                        .sourceQueuePair(8)
                        .options(QueuePairOption.SCATTER_FRAME_CHECK_SEQUENCE)
                        .build();
        MemorySegment attr = seen();
        assertThat(ibv_qp_init_attr_ex.create_flags(attr))
                .isEqualTo(Verbs.IBV_QP_CREATE_SOURCE_QPN() | Verbs.IBV_QP_CREATE_SCATTER_FCS());
        assertThat(ibv_qp_init_attr_ex.source_qpn(attr)).isEqualTo(8);
        assertThat(masks)
                .containsExactly(Verbs.IBV_QP_CAP(), Verbs.IBV_QP_STATE() | Verbs.IBV_QP_PORT());
        pair.activate();
        assertThat(pair.state()).isEqualTo(QueuePairState.READY_TO_SEND);

        List<List<Integer>> limits = new ArrayList<>();
        provider.provide(
                "modify_qp_rate_limit",
                verbs_context.modify_qp_rate_limit$offset(),
                2,
                arguments -> {
                    MemorySegment limit = arguments.struct(1, ibv_qp_rate_limit_attr.sizeof());
                    limits.add(
                            List.of(
                                    ibv_qp_rate_limit_attr.rate_limit(limit),
                                    ibv_qp_rate_limit_attr.max_burst_sz(limit),
                                    (int) ibv_qp_rate_limit_attr.typical_pkt_sz(limit)));
                    return 0;
                });
        pair.limitRate(new RateLimit(1_000_000, 4096, 1500));
        assertThat(limits).containsExactly(List.of(1_000_000, 4096, 1500));
    }

    @Test
    void whatItTakesBeyondTheStandardIsAskedAndTold() {
        RawPacketQueuePair pair =
                domain.newRawPacketQueuePair(queue, queue)
                        .port(1)
                        .gid(gid)
                        .sourceQueuePair(8)
                        .build();
        anyOperation(
                arguments -> {
                    MemorySegment ece = arguments.struct(1, ibv_ece.sizeof());
                    ibv_ece.vendor_id(ece, 0x15b3);
                    ibv_ece.options(ece, 0x30);
                    return 0;
                });
        assertThat(pair.ece()).isEqualTo(new Ece(0x15b3, 0x30));
        List<Ece> told = new ArrayList<>();
        anyOperation(
                arguments -> {
                    MemorySegment ece = arguments.struct(1, ibv_ece.sizeof());
                    told.add(new Ece(ibv_ece.vendor_id(ece), ibv_ece.options(ece)));
                    return 0;
                });
        pair.ece(new Ece(0x15b3, 0x10));
        assertThat(told).containsExactly(new Ece(0x15b3, 0x10));
        anyOperation(arguments -> arguments.integer(1) == Verbs.IBV_WR_RDMA_WRITE() ? 1 : 0);
        assertThat(pair.isDataInOrder(DataOperation.WRITE)).isTrue();
        assertThat(pair.isDataInOrder(DataOperation.SEND)).isFalse();
    }

    @Test
    void aSecondWayIsTold() {
        RawPacketQueuePair pair =
                domain.newRawPacketQueuePair(queue, queue)
                        .port(1)
                        .gid(gid)
                        .sourceQueuePair(8)
                        .build();
        List<List<Integer>> ways = new ArrayList<>();
        anyOperation(
                arguments -> {
                    MemorySegment attr = arguments.struct(1, ibv_qp_attr.sizeof());
                    ways.add(
                            List.of(
                                    ibv_qp_attr.path_mig_state(attr),
                                    (int) ibv_qp_attr.alt_port_num(attr),
                                    (int) ibv_qp_attr.alt_timeout(attr),
                                    (int) ibv_qp_attr.alt_pkey_index(attr)));
                    return 0;
                });
        pair.modify(
                new QueuePairAttributes()
                        .alternatePath(new AlternatePath(new AddressVector(2, 7, 0, null), 4, 14))
                        .pathMigration(PathMigration.REARM)
                        .rateLimit(5));
        assertThat(ways).containsExactly(List.of(Verbs.IBV_MIG_REARM(), 2, 14, 4));
    }

    @Test
    void whatTheProviderLacksIsNamed() {
        FakeProvider bare = new FakeProvider();
        for (long offset :
                new long[] {
                    ibv_context_ops.poll_cq$offset(),
                    ibv_context_ops.post_recv$offset(),
                    ibv_context_ops.post_send$offset()
                }) {
            bare.provideClassic("hot", offset, 3, arguments -> 0);
        }
        DeviceContext without = bare.open(context.device(), attributes());
        assertThatThrownBy(without::newXrcDomain)
                .isInstanceOf(UnsupportedVerbException.class)
                .hasMessageContaining("ibv_open_xrcd")
                .hasMessageContaining("fake0");
    }
}
