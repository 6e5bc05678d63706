package org.verbs4j;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import static java.util.Objects.requireNonNull;

import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;
import org.verbs4j.bindings.Verbs;
import org.verbs4j.bindings.ibv_ah_attr;
import org.verbs4j.bindings.ibv_qp_attr;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/** Options, attributes and what is said about wrong ones. */
class OptionsTest {
    private static void refused(ThrowingCallable call, String message) {
        assertThatThrownBy(call).isInstanceOf(IllegalArgumentException.class).hasMessage(message);
    }

    @Test
    void theDefaultsAreSane() {
        ConnectOptions defaults = ConnectOptions.defaults();
        assertThat(defaults.timeout()).isEqualTo(14);
        assertThat(defaults.retryCount()).isEqualTo(7);
        assertThat(defaults.rnrRetryCount()).isEqualTo(7);
        assertThat(defaults.minRnrTimer()).isEqualTo(12);
        assertThat(defaults.pathMtu()).isNull();
        assertThat(defaults.hopLimit()).isEqualTo(64);
    }

    @Test
    void optionsOutOfRangeAreRefusedWithTheRange() {
        ConnectOptions defaults = ConnectOptions.defaults();
        refused(() -> defaults.withTimeout(32), "timeout is 32, but must be 0 to 31");
        refused(() -> defaults.withRetries(8, 0), "retryCount is 8, but must be 0 to 7");
        refused(() -> defaults.withRetries(0, 8), "rnrRetryCount is 8, but must be 0 to 7");
        refused(() -> defaults.withMinRnrTimer(-1), "minRnrTimer is -1, but must be 0 to 31");
        refused(() -> defaults.withReads(256, 0), "maxInitiatedReads is 256, but must be 0 to 255");
        refused(() -> defaults.withService(16, 0, 1), "serviceLevel is 16, but must be 0 to 15");
        refused(() -> defaults.withService(0, 0, 0), "hopLimit is 0, but must be 1 to 255");
        refused(() -> new AddressVector(0, 0, 0, null), "port is 0, but must be 1 to 255");
        refused(
                () -> new QueuePairEndpoint(1 << 24, 0, 0, Mtu.BYTES_256, null),
                "queuePairNumber is 16777216, but must be 0 to 16777215");
        refused(() -> WorkCompletions.allocate(0), "capacity is 0, but must be 1 to 1048576");
    }

    @Test
    void aPartIsCheckedWithoutOverflow() {
        Arguments.part("whole", 10, 0, 10);
        refused(
                () -> Arguments.part("whole", 1, Long.MAX_VALUE, 10),
                "offset 1 and length 9223372036854775807 lie outside of the whole of 10 bytes");
        refused(
                () -> Arguments.part("whole", Long.MAX_VALUE, 1, 10),
                "offset 9223372036854775807 and length 1 lie outside of the whole of 10 bytes");
        refused(
                () -> Arguments.part("whole", 0, -1, 10),
                "offset 0 and length -1 lie outside of the whole of 10 bytes");
    }

    @Test
    void attributesGoIntoTheStructAndComeBack() {
        AddressVector way =
                new AddressVector(
                        2,
                        0xff01,
                        3,
                        new AddressVector.GlobalRoute(Gid.parse("10.0.0.1"), 5, 0xabcde, 64, 0x68));
        QueuePairAttributes set =
                new QueuePairAttributes()
                        .state(QueuePairState.READY_TO_RECEIVE)
                        .port(2)
                        .partitionKeyIndex(0xfffe)
                        .remoteAccess(Access.REMOTE_READ)
                        .pathMtu(Mtu.BYTES_2048)
                        .addressVector(way)
                        .destinationQueuePair(0xabcdef)
                        .receiveSequence(0x111111)
                        .sendSequence(0xfedcba)
                        .queueKey(0x80010000)
                        .minRnrTimer(12)
                        .timeout(200)
                        .retryCount(6)
                        .rnrRetryCount(7)
                        .maxInitiatedReads(128)
                        .maxAcceptedReads(255);
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment attr = arena.allocate(ibv_qp_attr.layout());
            set.encode(attr);
            assertThat(ibv_qp_attr.dest_qp_num(attr)).isEqualTo(0xabcdef);
            assertThat(ibv_ah_attr.is_global(ibv_qp_attr.ah_attr(attr))).isEqualTo((byte) 1);
            QueuePairAttributes read = QueuePairAttributes.decode(attr);
            assertThat(read)
                    .usingRecursiveComparison()
                    .ignoringFields("mask", "currentState")
                    .isEqualTo(set);
            assertThat(read.allows(Access.REMOTE_READ)).isTrue();
            assertThat(read.allows(Access.REMOTE_WRITE)).isFalse();
        }
    }

    @Test
    void aSetterSetsItsBitOfTheMask() {
        assertThat(new QueuePairAttributes().mask()).isZero();
        assertThat(new QueuePairAttributes().timeout(1).port(1).mask())
                .isEqualTo(Verbs.IBV_QP_TIMEOUT() | Verbs.IBV_QP_PORT());
    }

    @Test
    void theTableNamesWhatIsMissingAndWhatIsNotAllowed() {
        Transitions.Rule rule =
                requireNonNull(
                        Transitions.of(
                                QueuePairType.RC, QueuePairState.RESET, QueuePairState.INIT));
        assertThat(rule.missing(Verbs.IBV_QP_STATE() | Verbs.IBV_QP_PORT()))
                .containsExactly("IBV_QP_ACCESS_FLAGS", "IBV_QP_PKEY_INDEX");
        assertThat(rule.disallowed(Verbs.IBV_QP_STATE() | Verbs.IBV_QP_AV()))
                .containsExactly("IBV_QP_AV");
    }

    @Test
    void everyStateCanBeResetAndAllButResetCanFail() {
        for (QueuePairType type : QueuePairType.values()) {
            for (QueuePairState state : QueuePairState.values()) {
                assertThat(Transitions.of(type, state, QueuePairState.RESET)).isNotNull();
                if (state != QueuePairState.RESET) {
                    assertThat(Transitions.of(type, state, QueuePairState.ERROR)).isNotNull();
                }
            }
        }
        assertThat(Transitions.of(QueuePairType.RC, QueuePairState.RESET, QueuePairState.ERROR))
                .isNull();
        assertThat(
                        Transitions.of(
                                QueuePairType.RC,
                                QueuePairState.RESET,
                                QueuePairState.READY_TO_SEND))
                .isNull();
        assertThat(
                        Transitions.of(
                                QueuePairType.RC,
                                QueuePairState.ERROR,
                                QueuePairState.READY_TO_SEND))
                .isNull();
    }
}
