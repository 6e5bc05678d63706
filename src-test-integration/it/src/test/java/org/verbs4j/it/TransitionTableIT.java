package org.verbs4j.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;
import static org.verbs4j.QueuePairState.ERROR;
import static org.verbs4j.QueuePairState.INIT;
import static org.verbs4j.QueuePairState.READY_TO_RECEIVE;
import static org.verbs4j.QueuePairState.READY_TO_SEND;
import static org.verbs4j.QueuePairState.RESET;
import static org.verbs4j.QueuePairState.SEND_QUEUE_DRAIN;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;
import org.verbs4j.Access;
import org.verbs4j.AlternatePath;
import org.verbs4j.Mtu;
import org.verbs4j.PathMigration;
import org.verbs4j.PortAttributes;
import org.verbs4j.QueuePair;
import org.verbs4j.QueuePairAttributes;
import org.verbs4j.QueuePairState;
import org.verbs4j.QueuePairTransitionException;
import org.verbs4j.bindings.Posix;

import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.function.BiConsumer;

/**
 * The kernel's table of transitions, for each type of queue pair and in both directions: with all
 * that a transition needs it happens, with each thing that it allows as well, and without each
 * thing that it needs or with each that it does not allow it is refused with that thing's name.
 */
@ParameterizedClass
@EnumSource
class TransitionTableIT {
    /** Types of queue pairs that soft-RoCE has. */
    enum Type {
        RC,
        UC,
        UD;

        QueuePair make(OpenDevice device) {
            return switch (this) {
                case RC -> device.domain.newRcQueuePair(device.sends, device.receives).build();
                case UC -> device.domain.newUcQueuePair(device.sends, device.receives).build();
                case UD -> device.domain.newUdQueuePair(device.sends, device.receives).build();
            };
        }
    }

    /** What can be set, with a value that is right for a loopback connection. */
    @SuppressWarnings("ImmutableEnumChecker") // the setters are lambdas that hold nothing
    enum Attribute {
        CUR_STATE((test, a) -> a.currentState(test.pair.state())),
        EN_SQD_ASYNC_NOTIFY((_, a) -> a.drainedEvent(true)),
        ACCESS_FLAGS((_, a) -> a.remoteAccess(Access.REMOTE_WRITE)),
        PKEY_INDEX((_, a) -> a.partitionKeyIndex(0)),
        PORT((_, a) -> a.port(1)),
        QKEY((_, a) -> a.queueKey(0x1111)),
        AV((test, a) -> a.addressVector(test.device.loopback())),
        PATH_MTU((_, a) -> a.pathMtu(Mtu.BYTES_1024)),
        TIMEOUT((_, a) -> a.timeout(14)),
        RETRY_CNT((_, a) -> a.retryCount(7)),
        RNR_RETRY((_, a) -> a.rnrRetryCount(7)),
        RQ_PSN((_, a) -> a.receiveSequence(1)),
        MAX_QP_RD_ATOMIC((_, a) -> a.maxInitiatedReads(1)),
        ALT_PATH((test, a) -> a.alternatePath(new AlternatePath(test.device.loopback(), 0, 14))),
        MIN_RNR_TIMER((_, a) -> a.minRnrTimer(12)),
        SQ_PSN((_, a) -> a.sendSequence(1)),
        MAX_DEST_RD_ATOMIC((_, a) -> a.maxAcceptedReads(1)),
        PATH_MIG_STATE((_, a) -> a.pathMigration(PathMigration.MIGRATED)),
        DEST_QPN((test, a) -> a.destinationQueuePair(test.pair.number()));

        private final BiConsumer<TransitionTableIT, QueuePairAttributes> setter;

        Attribute(BiConsumer<TransitionTableIT, QueuePairAttributes> setter) {
            this.setter = setter;
        }

        String cName() {
            return "IBV_QP_" + name();
        }
    }

    private static final Set<Attribute> NONE = EnumSet.noneOf(Attribute.class);

    @Parameter Type type;

    private OpenDevice device;
    private QueuePair pair;

    @BeforeEach
    void open() {
        device = new OpenDevice();
        pair = device.keep(type.make(device));
    }

    @AfterEach
    void close() {
        device.close();
    }

    private static Set<Attribute> set(Attribute... some) {
        Set<Attribute> set = EnumSet.noneOf(Attribute.class);
        set.addAll(Arrays.asList(some));
        return set;
    }

    private Set<Attribute> perType(Set<Attribute> rc, Set<Attribute> uc, Set<Attribute> ud) {
        return switch (type) {
            case RC -> rc;
            case UC -> uc;
            case UD -> ud;
        };
    }

    private Set<Attribute> neededForInit() {
        Set<Attribute> connected =
                set(Attribute.PKEY_INDEX, Attribute.PORT, Attribute.ACCESS_FLAGS);
        return perType(
                connected, connected, set(Attribute.PKEY_INDEX, Attribute.PORT, Attribute.QKEY));
    }

    private Set<Attribute> neededForReadyToReceive() {
        return perType(
                set(
                        Attribute.AV,
                        Attribute.PATH_MTU,
                        Attribute.DEST_QPN,
                        Attribute.RQ_PSN,
                        Attribute.MAX_DEST_RD_ATOMIC,
                        Attribute.MIN_RNR_TIMER),
                set(Attribute.AV, Attribute.PATH_MTU, Attribute.DEST_QPN, Attribute.RQ_PSN),
                NONE);
    }

    private Set<Attribute> neededForReadyToSend() {
        return perType(
                set(
                        Attribute.TIMEOUT,
                        Attribute.RETRY_CNT,
                        Attribute.RNR_RETRY,
                        Attribute.SQ_PSN,
                        Attribute.MAX_QP_RD_ATOMIC),
                set(Attribute.SQ_PSN),
                set(Attribute.SQ_PSN));
    }

    /** What may be changed on the way to and in READY_TO_SEND. */
    private Set<Attribute> allowedInReadyToSend() {
        return perType(
                set(
                        Attribute.CUR_STATE,
                        Attribute.ACCESS_FLAGS,
                        Attribute.ALT_PATH,
                        Attribute.MIN_RNR_TIMER,
                        Attribute.PATH_MIG_STATE),
                set(
                        Attribute.CUR_STATE,
                        Attribute.ACCESS_FLAGS,
                        Attribute.ALT_PATH,
                        Attribute.PATH_MIG_STATE),
                set(Attribute.CUR_STATE, Attribute.QKEY));
    }

    private QueuePairAttributes attributes(QueuePairState to, Set<Attribute> set) {
        QueuePairAttributes attributes = new QueuePairAttributes().state(to);
        set.forEach(one -> one.setter.accept(this, attributes));
        return attributes;
    }

    private static Set<Attribute> with(Set<Attribute> set, Attribute one) {
        Set<Attribute> more = EnumSet.copyOf(set);
        more.add(one);
        return more;
    }

    private static Set<Attribute> without(Set<Attribute> set, Attribute one) {
        Set<Attribute> fewer = EnumSet.copyOf(set);
        fewer.remove(one);
        return fewer;
    }

    /** A transition with everything that is to be known of it. */
    private void transition(
            QueuePairState from, QueuePairState to, Set<Attribute> needed, Set<Attribute> allowed) {
        bring(from);
        for (Attribute one : needed) {
            QueuePairTransitionException e = refused(to, without(needed, one));
            assertThat(e.missingAttributes()).as("%s", e).containsExactly(one.cName());
            assertThat(e.disallowedAttributes()).as("%s", e).isEmpty();
        }
        for (Attribute one : EnumSet.allOf(Attribute.class)) {
            if (!needed.contains(one) && !allowed.contains(one)) {
                QueuePairTransitionException e = refused(to, with(needed, one));
                assertThat(e.disallowedAttributes()).as("%s", e).containsExactly(one.cName());
                assertThat(e.missingAttributes()).as("%s", e).isEmpty();
            }
        }
        pair.modify(attributes(to, needed));
        assertThat(pair.queryState()).isEqualTo(to);
        for (Attribute one : allowed) {
            bring(from);
            if (isRefusedElsewhere(from, one)) {
                QueuePairTransitionException e = refused(to, with(needed, one));
                assertThat(e.missingAttributes()).isEmpty();
                assertThat(e.disallowedAttributes()).isEmpty();
            } else {
                pair.modify(attributes(to, with(needed, one)));
                assertThat(pair.queryState()).as("%s", one).isEqualTo(to);
            }
        }
    }

    /**
     * What the table allows, but the kernel refuses before it looks there: a second way, which it
     * has on InfiniBand only, and the way of a drained UC queue pair, to which it adds the port by
     * itself, which its table does not allow there.
     */
    private boolean isRefusedElsewhere(QueuePairState from, Attribute one) {
        return switch (one) {
            case ALT_PATH ->
                    device.port().attributes().linkLayer() == PortAttributes.LinkLayer.ETHERNET;
            case AV -> type == Type.UC && from == SEND_QUEUE_DRAIN;
            default -> false;
        };
    }

    private QueuePairTransitionException refused(QueuePairState to, Set<Attribute> set) {
        QueuePairState before = pair.state();
        Throwable thrown = catchThrowable(() -> pair.modify(attributes(to, set)));
        assertThat(thrown)
                .as("%s with %s", to, set)
                .isInstanceOf(QueuePairTransitionException.class);
        assertThat(pair.queryState()).isEqualTo(before);
        QueuePairTransitionException e = (QueuePairTransitionException) thrown;
        assertThat(e.errno()).isEqualTo(Posix.EINVAL());
        return e;
    }

    private void bring(QueuePairState state) {
        pair.reset();
        if (state != RESET) {
            pair.modify(attributes(INIT, neededForInit()));
        }
        if (state != RESET && state != INIT) {
            pair.modify(attributes(READY_TO_RECEIVE, neededForReadyToReceive()));
        }
        if (state == READY_TO_SEND || state == SEND_QUEUE_DRAIN) {
            pair.modify(attributes(READY_TO_SEND, neededForReadyToSend()));
        }
        if (state == SEND_QUEUE_DRAIN) {
            pair.modify(attributes(SEND_QUEUE_DRAIN, NONE));
            Waits.until("the send queue to drain", this::drained);
        }
    }

    /** Until it is, nothing but an error is let in. */
    private boolean drained() {
        try {
            pair.modify(attributes(SEND_QUEUE_DRAIN, NONE));
            return true;
        } catch (QueuePairTransitionException e) {
            return false;
        }
    }

    @Test
    @Holds({"S1", "35", "36"})
    void fromResetToInit() {
        transition(RESET, INIT, neededForInit(), NONE);
    }

    @Test
    @Holds("S2")
    void fromInitToInit() {
        transition(INIT, INIT, NONE, neededForInit());
    }

    @Test
    @Holds({"S3", "35", "36"})
    void fromInitToReadyToReceive() {
        Set<Attribute> connected =
                set(Attribute.ALT_PATH, Attribute.ACCESS_FLAGS, Attribute.PKEY_INDEX);
        transition(
                INIT,
                READY_TO_RECEIVE,
                neededForReadyToReceive(),
                perType(connected, connected, set(Attribute.PKEY_INDEX, Attribute.QKEY)));
    }

    @Test
    @Holds({"S4", "35", "36"})
    void fromReadyToReceiveToReadyToSend() {
        transition(READY_TO_RECEIVE, READY_TO_SEND, neededForReadyToSend(), allowedInReadyToSend());
    }

    @Test
    @Holds("S5")
    void fromReadyToSendToReadyToSend() {
        transition(READY_TO_SEND, READY_TO_SEND, NONE, allowedInReadyToSend());
    }

    @Test
    @Holds("S6")
    void fromReadyToSendToDrain() {
        transition(READY_TO_SEND, SEND_QUEUE_DRAIN, NONE, set(Attribute.EN_SQD_ASYNC_NOTIFY));
    }

    @Test
    @Holds("S7")
    void fromDrainToReadyToSend() {
        transition(SEND_QUEUE_DRAIN, READY_TO_SEND, NONE, allowedInReadyToSend());
    }

    @Test
    @Holds("S8")
    void fromDrainToDrain() {
        transition(
                SEND_QUEUE_DRAIN,
                SEND_QUEUE_DRAIN,
                NONE,
                perType(
                        set(
                                Attribute.PORT,
                                Attribute.AV,
                                Attribute.TIMEOUT,
                                Attribute.RETRY_CNT,
                                Attribute.RNR_RETRY,
                                Attribute.MAX_QP_RD_ATOMIC,
                                Attribute.MAX_DEST_RD_ATOMIC,
                                Attribute.ALT_PATH,
                                Attribute.ACCESS_FLAGS,
                                Attribute.PKEY_INDEX,
                                Attribute.MIN_RNR_TIMER,
                                Attribute.PATH_MIG_STATE),
                        set(
                                Attribute.AV,
                                Attribute.ALT_PATH,
                                Attribute.ACCESS_FLAGS,
                                Attribute.PKEY_INDEX,
                                Attribute.PATH_MIG_STATE),
                        set(Attribute.PKEY_INDEX, Attribute.QKEY)));
    }

    @Test
    @Holds("S9")
    void fromAnyStateToResetAndToError() {
        for (QueuePairState from :
                List.of(INIT, READY_TO_RECEIVE, READY_TO_SEND, SEND_QUEUE_DRAIN)) {
            transition(from, ERROR, NONE, NONE);
            transition(from, RESET, NONE, NONE);
        }
        bring(INIT);
        pair.moveToError();
        pair.reset();
        assertThat(pair.queryState()).isEqualTo(RESET);
    }

    @Test
    @Holds("37")
    void noOtherTransitionIsThere() {
        refusedAsNone(RESET, List.of(READY_TO_RECEIVE, READY_TO_SEND, SEND_QUEUE_DRAIN, ERROR));
        refusedAsNone(INIT, List.of(READY_TO_SEND, SEND_QUEUE_DRAIN));
        refusedAsNone(READY_TO_RECEIVE, List.of(INIT, READY_TO_RECEIVE, SEND_QUEUE_DRAIN));
        refusedAsNone(READY_TO_SEND, List.of(INIT, READY_TO_RECEIVE));
    }

    private void refusedAsNone(QueuePairState from, List<QueuePairState> targets) {
        bring(from);
        for (QueuePairState to : targets) {
            assertThat(refused(to, NONE)).hasMessageContaining("there is no such transition");
        }
    }

    @Test
    @Holds("39")
    void aPortThatIsNoneIsOutOfRange() {
        QueuePairAttributes wrongPort = new QueuePairAttributes().state(INIT).port(9);
        Throwable thrown = catchThrowable(() -> pair.modify(wrongPort));
        assertThat(thrown)
                .isInstanceOf(QueuePairTransitionException.class)
                .hasMessageContaining("IBV_QP_PORT");
    }
}
