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
