package org.verbs4j;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.verbs4j.bindings.Posix;
import org.verbs4j.bindings.Verbs;
import org.verbs4j.bindings.ibv_qp;
import org.verbs4j.bindings.ibv_qp_attr;
import org.verbs4j.bindings.ibv_qp_init_attr_ex;
import org.verbs4j.bindings.ibv_rwq_ind_table;
import org.verbs4j.bindings.ibv_rx_hash_conf;
import org.verbs4j.bindings.ibv_wq;
import org.verbs4j.bindings.verbs_context;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;

/** Queue pairs that spread what they receive, as a provider sees them. */
class RssQueuePairTest {
    private static final int NUMBER = 0x4711;

    private final FakeDevice device = new FakeDevice();
    private final FakeProvider provider = device.provider;
    private MemorySegment init = MemorySegment.NULL;
    private byte[] key = {};
    private IndirectionTable table;

    @BeforeEach
    void makeTable() {
        MemorySegment wq = provider.allocate(ibv_wq.layout());
        MemorySegment made = provider.allocate(ibv_rwq_ind_table.layout());
        ibv_rwq_ind_table.context(made, provider.handle);
        provider.provide(
                "create_wq", verbs_context.create_wq$offset(), 2, arguments -> wq.address());
        provider.provide(
                "create_rwq_ind_table",
                verbs_context.create_rwq_ind_table$offset(),
                2,
                arguments -> made.address());
        provider.provide(
                "destroy_rwq_ind_table",
                verbs_context.destroy_rwq_ind_table$offset(),
                1,
                arguments -> 0);
        provider.provide(
                "create_qp_ex", verbs_context.create_qp_ex$offset(), 2, this::createQueuePair);
        table =
                device.context.newIndirectionTable(
                        List.of(device.domain.newWorkQueue(device.queue).build()));
    }

    private long createQueuePair(FakeProvider.Arguments arguments) {
        init = provider.allocate(ibv_qp_init_attr_ex.layout());
        init.copyFrom(arguments.struct(1, ibv_qp_init_attr_ex.sizeof()));
        MemorySegment hash = ibv_qp_init_attr_ex.rx_hash_conf(init);
        int length = Byte.toUnsignedInt(ibv_rx_hash_conf.rx_hash_key_len(hash));
        key = ibv_rx_hash_conf.rx_hash_key(hash).reinterpret(length).toArray(ValueLayout.JAVA_BYTE);
        MemorySegment qp = provider.allocate(ibv_qp.layout());
        ibv_qp.context(qp, provider.handle);
        ibv_qp.qp_num(qp, NUMBER);
        return qp.address();
    }

    @Test
    void framesAreSpreadByKeyAndFields() {
        byte[] ownKey = new byte[200];
        ownKey[199] = -1;
        RssQueuePair pair =
                device.domain
                        .newRssQueuePair(table)
                        .function(RssQueuePair.Function.TOEPLITZ)
                        .key(ownKey)
                        .fields(
                                RssQueuePair.Field.SOURCE_IPV4,
                                RssQueuePair.Field.DESTINATION_UDP_PORT,
                                RssQueuePair.Field.INNER)
                        .build();
        assertThat(pair.number()).isEqualTo(NUMBER);
        assertThat(ibv_qp_init_attr_ex.comp_mask(init))
                .isEqualTo(
                        Verbs.IBV_QP_INIT_ATTR_PD()
                                | Verbs.IBV_QP_INIT_ATTR_IND_TABLE()
                                | Verbs.IBV_QP_INIT_ATTR_RX_HASH());
        assertThat(ibv_qp_init_attr_ex.qp_type(init)).isEqualTo(Verbs.IBV_QPT_RAW_PACKET());
        assertThat(ibv_qp_init_attr_ex.pd(init)).isEqualTo(device.domain.handle());
        assertThat(ibv_qp_init_attr_ex.rwq_ind_tbl(init).address())
                .isEqualTo(table.handle().address());
        assertThat(ibv_qp_init_attr_ex.send_cq(init).address()).isZero();
        MemorySegment hash = ibv_qp_init_attr_ex.rx_hash_conf(init);
        assertThat((int) ibv_rx_hash_conf.rx_hash_function(hash))
                .isEqualTo(Verbs.IBV_RX_HASH_FUNC_TOEPLITZ());
        assertThat(ibv_rx_hash_conf.rx_hash_fields_mask(hash)).isEqualTo(0x8000_0081L);
        assertThat(key).isEqualTo(ownKey);
    }

    @Test
    void theKeyIsRandomUnlessItIsGivenAndNoFieldMeansNoSpreading() {
        device.domain.newRssQueuePair(table).build();
        byte[] first = key;
        device.domain.newRssQueuePair(table).build();
        assertThat(first).hasSize(40);
        assertThat(key).hasSize(40).isNotEqualTo(first);
        MemorySegment hash = ibv_qp_init_attr_ex.rx_hash_conf(init);
        assertThat(ibv_rx_hash_conf.rx_hash_fields_mask(hash)).isZero();
        RssQueuePair.Builder builder = device.domain.newRssQueuePair(table);
        assertThatThrownBy(() -> builder.key(new byte[256]))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("the length of the key is 256");
    }

    @Test
    void datagramsToAQueuePairNumberAreSpreadToo() {
        device.domain
                .newRssQueuePair(table)
                .datagrams(0xabcdef)
                .options(QueuePairOption.BLOCK_SELF_MULTICAST_LOOPBACK)
                .build();
        assertThat(ibv_qp_init_attr_ex.qp_type(init)).isEqualTo(Verbs.IBV_QPT_UD());
        assertThat(ibv_qp_init_attr_ex.source_qpn(init)).isEqualTo(0xabcdef);
        assertThat(ibv_qp_init_attr_ex.create_flags(init))
                .isEqualTo(
                        Verbs.IBV_QP_CREATE_SOURCE_QPN()
                                | Verbs.IBV_QP_CREATE_BLOCK_SELF_MCAST_LB());
    }

    /** mlx4's have states, mlx5's have none. */
    @Test
    void itIsMovedToReceivingWhereItHasStates() {
        List<List<Integer>> moves = new ArrayList<>();
        int[] answer = {0};
        AnyOperation.provide(
                provider,
                arguments -> {
                    MemorySegment attr = arguments.struct(1, ibv_qp_attr.sizeof());
                    moves.add(List.of(ibv_qp_attr.qp_state(attr), arguments.integer(2)));
                    return answer[0];
                });
        RssQueuePair pair = device.domain.newRssQueuePair(table).port(1).build();
        pair.activate();
        assertThat(moves)
                .containsExactly(
                        List.of(Verbs.IBV_QPS_INIT(), Verbs.IBV_QP_STATE() | Verbs.IBV_QP_PORT()),
                        List.of(Verbs.IBV_QPS_RTR(), Verbs.IBV_QP_STATE()));
        moves.clear();
        answer[0] = Posix.ENOSYS();
        pair.activate();
        assertThat(moves).hasSize(1);
        answer[0] = Posix.EINVAL();
        assertThatThrownBy(pair::activate)
                .isInstanceOf(VerbsException.class)
                .hasMessageStartingWith("ibv_modify_qp: EINVAL")
                .hasMessageContaining("RSS queue pair 18193");
    }

    @Test
    void whoMayNotAndWhoLacksItIsSaid() {
        RssQueuePair.Builder builder =
                device.domain.newRssQueuePair(table).fields(RssQueuePair.Field.IPSEC_SPI);
        refuse(Posix.EPERM());
        assertThatThrownBy(builder::build)
                .isExactlyInstanceOf(VerbsException.class)
                .hasMessageContaining("needs CAP_NET_RAW");
        refuse(Posix.EOPNOTSUPP());
        assertThatThrownBy(builder::build)
                .isInstanceOf(UnsupportedVerbException.class)
                .hasMessageStartingWith("ibv_create_qp_ex: EOPNOTSUPP")
                .hasMessageContaining("IPSEC_SPI")
                .hasMessageContaining("not with these options");
        FakeDevice other = new FakeDevice();
        assertThatThrownBy(() -> other.domain.newRssQueuePair(table))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("of another context");
        table.close();
        assertThatThrownBy(builder::build).isInstanceOf(IllegalStateException.class);
    }

    private void refuse(int errno) {
        provider.provide(
                "create_qp_ex",
                verbs_context.create_qp_ex$offset(),
                2,
                arguments -> FakeProvider.refusal(errno));
    }
}
