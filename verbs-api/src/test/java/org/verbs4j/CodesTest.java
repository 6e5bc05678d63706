package org.verbs4j;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.verbs4j.bindings.Verbs;

/** Enums follow the C constants and survive numbers that they do not know. */
class CodesTest {
    @ParameterizedTest
    @ValueSource(ints = {-1, 24, 31, 32, 127, 255, 256, Integer.MIN_VALUE, Integer.MAX_VALUE})
    void aNumberThatIsNotKnownIsUnknownEverywhere(int code) {
        assertThat(WorkStatus.of(code)).isEqualTo(WorkStatus.UNKNOWN);
        assertThat(WorkOpcode.of(code)).isEqualTo(WorkOpcode.UNKNOWN);
        assertThat(QueuePairState.of(code)).isEqualTo(QueuePairState.UNKNOWN);
        assertThat(NodeType.of(code)).isEqualTo(NodeType.UNKNOWN);
        assertThat(TransportType.of(code)).isEqualTo(TransportType.UNKNOWN);
        assertThat(GidEntry.Type.of(code)).isEqualTo(GidEntry.Type.UNKNOWN);
        assertThat(PortAttributes.State.of(code)).isEqualTo(PortAttributes.State.UNKNOWN);
        assertThat(PortAttributes.LinkLayer.of(code)).isEqualTo(PortAttributes.LinkLayer.UNKNOWN);
        assertThat(DeviceAttributes.AtomicSupport.of(code))
                .isEqualTo(DeviceAttributes.AtomicSupport.UNKNOWN);
    }

    @ParameterizedTest
    @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "UNKNOWN")
    void everyStatusIsFoundByItsNumberAndSaysWhatToLookAt(WorkStatus status) {
        assertThat(WorkStatus.of(status.code())).isEqualTo(status);
        assertThat(status.hint()).isNotBlank();
        assertThat(status.origin()).isNotNull();
    }

    @Test
    void everyStatusOfTheHeadersIsKnown() {
        for (int code = 0; code <= Verbs.IBV_WC_TM_RNDV_INCOMPLETE(); code++) {
            WorkStatus status = WorkStatus.of(code);
            assertThat(status).as("status %d", code).isNotEqualTo(WorkStatus.UNKNOWN);
            boolean fine =
                    status == WorkStatus.SUCCESS
                            || status == WorkStatus.TAG_MATCHING_RENDEZVOUS_INCOMPLETE;
            assertThat(status.origin() == WorkStatus.Origin.NONE).as("%s", status).isEqualTo(fine);
        }
        assertThat(WorkStatus.values()).hasSize(Verbs.IBV_WC_TM_RNDV_INCOMPLETE() + 2);
        assertThat(WorkStatus.FLUSHED.origin()).isEqualTo(WorkStatus.Origin.EARLIER_FAILURE);
    }

    @ParameterizedTest
    @EnumSource
    void aFailureKeepsWhatItsCompletionHeldAndSaysWhatToLookAt(WorkStatus status) {
        WorkCompletionException e =
                new WorkCompletionException(status.code(), 0xbad, Long.MIN_VALUE, 0xabcdef, null);
        assertThat(e.status()).isEqualTo(status);
        assertThat(e.statusCode()).isEqualTo(status.code());
        assertThat(e.vendorError()).isEqualTo(0xbad);
        assertThat(e.wrId()).isEqualTo(Long.MIN_VALUE);
        assertThat(e.queuePairNumber()).isEqualTo(0xabcdef);
        assertThat(e)
                .hasMessageContaining("request " + Long.MIN_VALUE + " on queue pair 11259375")
                .hasMessageContaining(status.name())
                .hasMessageContaining("vendor error 0xbad")
                .hasMessageContaining(status.hint());
    }

    @Test
    void numbersAreThoseOfTheHeaders() {
        assertThat(WorkStatus.of(Verbs.IBV_WC_RETRY_EXC_ERR()))
                .isEqualTo(WorkStatus.RETRY_EXCEEDED);
        assertThat(WorkOpcode.of(Verbs.IBV_WC_SEND())).isEqualTo(WorkOpcode.SEND);
        assertThat(WorkOpcode.of(Verbs.IBV_WC_RECV_RDMA_WITH_IMM()))
                .isEqualTo(WorkOpcode.RECEIVE_WRITE_IMMEDIATE);
        assertThat(QueuePairState.of(Verbs.IBV_QPS_SQE()))
                .isEqualTo(QueuePairState.SEND_QUEUE_ERROR);
        assertThat(Access.mask(Access.LOCAL_WRITE, Access.REMOTE_READ))
                .isEqualTo(Verbs.IBV_ACCESS_LOCAL_WRITE() | Verbs.IBV_ACCESS_REMOTE_READ());
    }

    @Test
    void anMtuIsItsBytes() {
        assertThat(Mtu.BYTES_1024.bytes()).isEqualTo(1024);
        assertThat(Mtu.of(Verbs.IBV_MTU_2048()).bytes()).isEqualTo(2048);
        assertThat(Mtu.ofBytes(4096)).isEqualTo(Mtu.BYTES_4096);
        assertThat(Mtu.of(0)).isEqualTo(Mtu.BYTES_256);
        assertThat(Mtu.of(6)).isEqualTo(Mtu.BYTES_4096);
        assertThat(Mtu.min(Mtu.BYTES_512, Mtu.BYTES_1024)).isEqualTo(Mtu.BYTES_512);
        assertThatThrownBy(() -> Mtu.ofBytes(1500)).isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void sendsAreAdmittedFromReadyToSendOnAndReceivesFromInitOn() {
        assertThat(QueuePairState.values())
                .filteredOn(QueuePairState::takesSends)
                .containsExactly(
                        QueuePairState.READY_TO_SEND,
                        QueuePairState.SEND_QUEUE_DRAIN,
                        QueuePairState.SEND_QUEUE_ERROR,
                        QueuePairState.ERROR);
        assertThat(QueuePairState.values())
                .filteredOn(state -> !state.takesReceives())
                .containsExactly(QueuePairState.RESET, QueuePairState.UNKNOWN);
    }
}
