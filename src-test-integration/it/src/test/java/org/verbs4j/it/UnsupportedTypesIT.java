package org.verbs4j.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.verbs4j.DataOperation;
import org.verbs4j.Ece;
import org.verbs4j.QueuePair;
import org.verbs4j.QueuePairOption;
import org.verbs4j.RateLimit;
import org.verbs4j.UnsupportedVerbException;
import org.verbs4j.VerbsException;
import org.verbs4j.bindings.ContextVerbs;
import org.verbs4j.bindings.NativeLibraries;
import org.verbs4j.bindings.Posix;
import org.verbs4j.bindings.Verbs;
import org.verbs4j.bindings.ibv_qp_init_attr_ex;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/** What soft-RoCE does not have says so, and what lacks it. */
class UnsupportedTypesIT {
    private final OpenDevice device = new OpenDevice();

    @AfterEach
    void close() {
        device.close();
    }

    @Test
    void xrcDomains() {
        assertThatThrownBy(() -> device.context.newXrcDomain())
                .isInstanceOf(UnsupportedVerbException.class)
                .hasMessageContaining("ibv_open_xrcd")
                .hasMessageContaining("has no extended reliable connections");
        assertThatThrownBy(() -> device.context.newXrcDomain(0, false))
                .isInstanceOf(UnsupportedVerbException.class);
    }

    @Test
    @Holds("34")
    void xrcSenders() {
        assertThatThrownBy(() -> device.domain.newXrcSendQueuePair(device.sends).build())
                .isInstanceOf(VerbsException.class)
                .hasMessageContaining("IBV_QPT_XRC_SEND");
    }

    @Test
    @Holds("34")
    void rawPackets() {
        assertThatThrownBy(
                        () ->
                                device.domain
                                        .newRawPacketQueuePair(device.sends, device.receives)
                                        .build())
                .isInstanceOf(UnsupportedVerbException.class)
                .hasMessageContaining("IBV_QPT_RAW_PACKET")
                .hasMessageContaining("rxe");
    }

    /** The API does not have the types that each vendor defines for itself. */
    @Test
    @Holds("34")
    void receiversOfXrcAndVendorsOwnTypes() {
        try (Arena arena = Arena.ofConfined()) {
            for (int type : new int[] {Verbs.IBV_QPT_XRC_RECV(), Verbs.IBV_QPT_DRIVER()}) {
                MemorySegment init = arena.allocate(ibv_qp_init_attr_ex.layout());
                ibv_qp_init_attr_ex.qp_type(init, type);
                ibv_qp_init_attr_ex.pd(init, device.domain.handle());
                ibv_qp_init_attr_ex.send_cq(init, device.sends.handle());
                ibv_qp_init_attr_ex.recv_cq(init, device.receives.handle());
                ibv_qp_init_attr_ex.comp_mask(init, Verbs.IBV_QP_INIT_ATTR_PD());
                long context = device.context.handle().address();
                assertThat(ContextVerbs.ibv_create_qp_ex(context, init.address())).isZero();
                assertThat(NativeLibraries.errno()).isIn(Posix.EOPNOTSUPP(), Posix.EINVAL());
            }
        }
    }

    /** Nor can a table of work queues be made to spread over, so the verb is called with none. */
    @Test
    @Holds("34")
    void receiveSideScaling() {
        assertThatThrownBy(() -> device.domain.newWorkQueue(device.receives).build())
                .isInstanceOf(UnsupportedVerbException.class)
                .hasMessageContaining("ibv_create_wq");
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment init = arena.allocate(ibv_qp_init_attr_ex.layout());
            ibv_qp_init_attr_ex.qp_type(init, Verbs.IBV_QPT_RAW_PACKET());
            ibv_qp_init_attr_ex.pd(init, device.domain.handle());
            ibv_qp_init_attr_ex.comp_mask(
                    init,
                    Verbs.IBV_QP_INIT_ATTR_PD()
                            | Verbs.IBV_QP_INIT_ATTR_IND_TABLE()
                            | Verbs.IBV_QP_INIT_ATTR_RX_HASH());
            long context = device.context.handle().address();
            assertThat(ContextVerbs.ibv_create_qp_ex(context, init.address())).isZero();
            assertThat(NativeLibraries.errno()).isEqualTo(Posix.EOPNOTSUPP());
        }
    }

    @Test
    void optionsOfCreation() {
        assertThatThrownBy(
                        () ->
                                device.domain
                                        .newUdQueuePair(device.sends, device.receives)
                                        .options(QueuePairOption.BLOCK_SELF_MULTICAST_LOOPBACK)
                                        .build())
                .isInstanceOf(UnsupportedVerbException.class)
                .hasMessageContaining("ibv_create_qp_ex")
                .hasMessageContaining("BLOCK_SELF_MULTICAST_LOOPBACK");
    }

    @Test
    void extrasOfAQueuePair() {
        QueuePair pair =
                device.keep(device.domain.newRcQueuePair(device.sends, device.receives).build());
        assertThatThrownBy(() -> pair.ece(new Ece(0x15b3, 1)))
                .isInstanceOf(UnsupportedVerbException.class)
                .hasMessageContaining("ibv_set_ece");
        assertThatThrownBy(() -> pair.limitRate(new RateLimit(1000, 0, 0)))
                .isInstanceOf(UnsupportedVerbException.class)
                .hasMessageContaining("ibv_modify_qp_rate_limit")
                .hasMessageContaining("rxe");
        assertThat(pair.isDataInOrder(DataOperation.WRITE)).isFalse();
    }
}
