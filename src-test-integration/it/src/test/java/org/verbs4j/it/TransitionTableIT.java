package org.verbs4j.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.verbs4j.Access;
import org.verbs4j.Mtu;
import org.verbs4j.QueuePair;
import org.verbs4j.QueuePairAttributes;
import org.verbs4j.QueuePairState;
import org.verbs4j.QueuePairTransitionException;
import org.verbs4j.bindings.Posix;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;

/**
 * The table of transitions, in both directions and for each type: what is required and left out is
 * refused and named, what is not allowed and added is refused and named, and the rest goes.
 */
class TransitionTableIT {
    private final OpenDevice device = new OpenDevice();

    @AfterEach
    void close() {
        device.close();
    }

    /** Types of queue pairs that soft-RoCE has. */
    enum Type {
        RC {
            @Override
            QueuePair make(OpenDevice device) {
                return device.domain.newRcQueuePair(device.sends, device.receives).build();
            }

            @Override
            List<Step> steps() {
                return List.of(
                        INIT,
                        new Step(
                                QueuePairState.READY_TO_RECEIVE,
                                List.of(
                                        "IBV_QP_AV",
                                        "IBV_QP_PATH_MTU",
                                        "IBV_QP_DEST_QPN",
                                        "IBV_QP_RQ_PSN",
                                        "IBV_QP_MAX_DEST_RD_ATOMIC",
                                        "IBV_QP_MIN_RNR_TIMER"),
                                List.of("IBV_QP_ACCESS_FLAGS", "IBV_QP_PKEY_INDEX")),
                        new Step(
                                QueuePairState.READY_TO_SEND,
                                List.of(
                                        "IBV_QP_TIMEOUT",
                                        "IBV_QP_RETRY_CNT",
                                        "IBV_QP_RNR_RETRY",
                                        "IBV_QP_SQ_PSN",
                                        "IBV_QP_MAX_QP_RD_ATOMIC"),
                                List.of("IBV_QP_ACCESS_FLAGS", "IBV_QP_MIN_RNR_TIMER")));
            }
        },
        UC {
            @Override
            QueuePair make(OpenDevice device) {
                return device.domain.newUcQueuePair(device.sends, device.receives).build();
            }

            @Override
            List<Step> steps() {
                return List.of(
                        INIT,
                        new Step(
                                QueuePairState.READY_TO_RECEIVE,
                                List.of(
                                        "IBV_QP_AV",
                                        "IBV_QP_PATH_MTU",
                                        "IBV_QP_DEST_QPN",
                                        "IBV_QP_RQ_PSN"),
                                List.of("IBV_QP_ACCESS_FLAGS", "IBV_QP_PKEY_INDEX")),
                        new Step(
                                QueuePairState.READY_TO_SEND,
                                List.of("IBV_QP_SQ_PSN"),
                                List.of("IBV_QP_ACCESS_FLAGS")));
            }
        },
        UD {
            @Override
            QueuePair make(OpenDevice device) {
                return device.domain.newUdQueuePair(device.sends, device.receives).build();
            }

            @Override
            List<Step> steps() {
                return List.of(
                        new Step(
                                QueuePairState.INIT,
                                List.of("IBV_QP_PKEY_INDEX", "IBV_QP_PORT", "IBV_QP_QKEY"),
                                List.of()),
                        new Step(
                                QueuePairState.READY_TO_RECEIVE,
                                List.of(),
                                List.of("IBV_QP_PKEY_INDEX", "IBV_QP_QKEY")),
                        new Step(
                                QueuePairState.READY_TO_SEND,
                                List.of("IBV_QP_SQ_PSN"),
                                List.of("IBV_QP_QKEY")));
            }
        };

        private static final Step INIT =
                new Step(
                        QueuePairState.INIT,
                        List.of("IBV_QP_PKEY_INDEX", "IBV_QP_PORT", "IBV_QP_ACCESS_FLAGS"),
                        List.of());

        abstract QueuePair make(OpenDevice device);

        abstract List<Step> steps();
    }

    /** What a transition needs, and may have. */
    record Step(QueuePairState to, List<String> required, List<String> optional) {}

    /** A setter for each attribute, with a value that the device takes. */
    private Map<String, Consumer<QueuePairAttributes>> setters() {
        Map<String, Consumer<QueuePairAttributes>> all = new LinkedHashMap<>();
        all.put("IBV_QP_ACCESS_FLAGS", a -> a.remoteAccess(Access.REMOTE_WRITE));
        all.put("IBV_QP_PKEY_INDEX", a -> a.partitionKeyIndex(0));
        all.put("IBV_QP_PORT", a -> a.port(1));
        all.put("IBV_QP_QKEY", a -> a.queueKey(0x1111));
        all.put("IBV_QP_AV", a -> a.addressVector(device.loopback()));
        all.put("IBV_QP_PATH_MTU", a -> a.pathMtu(Mtu.BYTES_1024));
        all.put("IBV_QP_TIMEOUT", a -> a.timeout(14));
        all.put("IBV_QP_RETRY_CNT", a -> a.retryCount(7));
        all.put("IBV_QP_RNR_RETRY", a -> a.rnrRetryCount(7));
        all.put("IBV_QP_RQ_PSN", a -> a.receiveSequence(1));
        all.put("IBV_QP_MAX_QP_RD_ATOMIC", a -> a.maxInitiatedReads(1));
        all.put("IBV_QP_MIN_RNR_TIMER", a -> a.minRnrTimer(12));
        all.put("IBV_QP_SQ_PSN", a -> a.sendSequence(1));
        all.put("IBV_QP_MAX_DEST_RD_ATOMIC", a -> a.maxAcceptedReads(1));
        all.put("IBV_QP_EN_SQD_ASYNC_NOTIFY", a -> a.drainedEvent(true));
        all.put("IBV_QP_DEST_QPN", a -> a.destinationQueuePair(17));
        return all;
    }

    private QueuePairAttributes attributes(QueuePairState to, Iterable<String> names) {
        QueuePairAttributes attributes = new QueuePairAttributes().state(to);
        names.forEach(name -> setters().get(name).accept(attributes));
        return attributes;
    }

    private static QueuePairTransitionException refused(
            QueuePair pair, QueuePairAttributes attributes) {
        Throwable thrown = catchThrowable(() -> pair.modify(attributes));
        assertThat(thrown).isInstanceOf(QueuePairTransitionException.class);
        QueuePairTransitionException refusal = (QueuePairTransitionException) thrown;
        assertThat(refusal.errno()).isEqualTo(Posix.EINVAL());
        return refusal;
    }

    @ParameterizedTest
    @EnumSource
    void whatIsMissingIsRefusedAndNamed(Type type) {
        QueuePair pair = device.keep(type.make(device));
        pair.reset();
        for (Step step : type.steps()) {
            for (String missing : step.required()) {
                List<String> rest = new ArrayList<>(step.required());
                rest.remove(missing);
                QueuePairTransitionException refusal = refused(pair, attributes(step.to(), rest));
                assertThat(refusal.missingAttributes()).containsExactly(missing);
                assertThat(refusal.disallowedAttributes()).isEmpty();
                assertThat(refusal).hasMessageContaining("it needs " + missing);
            }
            pair.modify(attributes(step.to(), step.required()));
            assertThat(pair.queryState()).isEqualTo(step.to());
        }
    }

    @ParameterizedTest
    @EnumSource
    void whatIsNotAllowedIsRefusedAndNamedAndWhatIsOptionalGoes(Type type) {
        QueuePair pair = device.keep(type.make(device));
        pair.reset();
        for (Step step : type.steps()) {
            for (String added : setters().keySet()) {
                if (step.required().contains(added) || step.optional().contains(added)) {
                    continue;
                }
                List<String> more = new ArrayList<>(step.required());
                more.add(added);
                QueuePairTransitionException refusal = refused(pair, attributes(step.to(), more));
                assertThat(refusal.disallowedAttributes()).containsExactly(added);
                assertThat(refusal.missingAttributes()).isEmpty();
                assertThat(refusal).hasMessageContaining("it does not allow " + added);
            }
            List<String> all = new ArrayList<>(step.required());
            all.addAll(step.optional());
            pair.modify(attributes(step.to(), all));
            assertThat(pair.queryState()).isEqualTo(step.to());
        }
    }

    @ParameterizedTest
    @EnumSource
    void inReadyToSendOnlySomeMayChange(Type type) {
        QueuePair pair = device.keep(type.make(device));
        ready(type, pair);
        Set<String> allowed =
                switch (type) {
                    case RC -> Set.of("IBV_QP_ACCESS_FLAGS", "IBV_QP_MIN_RNR_TIMER");
                    case UC -> Set.of("IBV_QP_ACCESS_FLAGS");
                    case UD -> Set.of("IBV_QP_QKEY");
                };
        for (String name : setters().keySet()) {
            QueuePairAttributes change = attributes(QueuePairState.READY_TO_SEND, List.of(name));
            if (allowed.contains(name)) {
                pair.modify(change);
            } else {
                assertThat(refused(pair, change).disallowedAttributes()).containsExactly(name);
            }
        }
        assertThat(pair.queryState()).isEqualTo(QueuePairState.READY_TO_SEND);
    }

    @ParameterizedTest
    @EnumSource
    void whileDrainedOnlySomeMayChange(Type type) {
        QueuePair pair = device.keep(type.make(device));
        ready(type, pair);
        pair.drain();
        Waits.until("the drain", () -> pair.queryState() == QueuePairState.SEND_QUEUE_DRAIN);
        String refused = type == Type.UD ? "IBV_QP_ACCESS_FLAGS" : "IBV_QP_DEST_QPN";
        QueuePairAttributes wrong = attributes(QueuePairState.SEND_QUEUE_DRAIN, List.of(refused));
        assertThat(refused(pair, wrong).disallowedAttributes()).containsExactly(refused);
        pair.resume();
        assertThat(pair.queryState()).isEqualTo(QueuePairState.READY_TO_SEND);
    }

    private void ready(Type type, QueuePair pair) {
        pair.reset();
        type.steps().forEach(step -> pair.modify(attributes(step.to(), step.required())));
    }

    @ParameterizedTest
    @EnumSource
    void transitionsThatAreNoneAreCalledSo(Type type) {
        QueuePair pair = device.keep(type.make(device));
        pair.reset();
        for (QueuePairState to :
                List.of(
                        QueuePairState.READY_TO_RECEIVE,
                        QueuePairState.READY_TO_SEND,
                        QueuePairState.SEND_QUEUE_DRAIN,
                        QueuePairState.ERROR)) {
            assertThat(refused(pair, new QueuePairAttributes().state(to)))
                    .hasMessageContaining("there is no such transition");
        }
        assertThat(pair.queryState()).isEqualTo(QueuePairState.RESET);
    }

    @Test
    void aPathMtuThatIsNoneIsOutOfRange() {
        QueuePair pair = device.keep(Type.UC.make(device));
        QueuePairAttributes wrongPort =
                new QueuePairAttributes().state(QueuePairState.INIT).port(9);
        assertThat(refused(pair, wrongPort)).hasMessageContaining("IBV_QP_PORT");
    }
}
