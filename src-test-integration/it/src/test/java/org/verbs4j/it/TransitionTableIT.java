package org.verbs4j.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;
import static org.verbs4j.QueuePairState.ERROR;
import static org.verbs4j.QueuePairState.INIT;
import static org.verbs4j.QueuePairState.READY_TO_RECEIVE;
import static org.verbs4j.QueuePairState.READY_TO_SEND;
import static org.verbs4j.QueuePairState.RESET;
import static org.verbs4j.QueuePairState.SEND_QUEUE_DRAIN;
import static org.verbs4j.it.TransitionTableIT.Attribute.*;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.verbs4j.Access;
import org.verbs4j.AddressVector;
import org.verbs4j.ConnectOptions;
import org.verbs4j.GidEntry;
import org.verbs4j.Mtu;
import org.verbs4j.QueuePairAttributes;
import org.verbs4j.QueuePairState;
import org.verbs4j.QueuePairTransitionException;
import org.verbs4j.RcQueuePair;
import org.verbs4j.bindings.Posix;

import java.util.EnumSet;
import java.util.Set;
import java.util.function.BiConsumer;

/**
 * The kernel's table of transitions in both directions: with all that a transition needs it
 * happens, with each thing that it allows as well, and without each thing that it needs or with
 * each that it does not allow it is refused with that thing's name.
 */
class TransitionTableIT {
    /** What can be set, with a value that is right for a loopback connection. */
    @SuppressWarnings("ImmutableEnumChecker") // the setters are lambdas that hold nothing
    enum Attribute {
        CUR_STATE((test, a) -> a.currentState(test.pair.state())),
        ACCESS_FLAGS((_, a) -> a.remoteAccess(Access.REMOTE_WRITE)),
        PKEY_INDEX((_, a) -> a.partitionKeyIndex(0)),
        PORT((_, a) -> a.port(1)),
        QKEY((_, a) -> a.queueKey(1)),
        AV((test, a) -> a.addressVector(AddressVector.of(test.pair.endpoint(), test.gid))),
        PATH_MTU((_, a) -> a.pathMtu(Mtu.BYTES_1024)),
        TIMEOUT((_, a) -> a.timeout(14)),
        RETRY_CNT((_, a) -> a.retryCount(7)),
        RNR_RETRY((_, a) -> a.rnrRetryCount(7)),
        RQ_PSN((_, a) -> a.receiveSequence(1)),
        MAX_QP_RD_ATOMIC((_, a) -> a.maxInitiatedReads(1)),
        MIN_RNR_TIMER((_, a) -> a.minRnrTimer(12)),
        SQ_PSN((_, a) -> a.sendSequence(1)),
        MAX_DEST_RD_ATOMIC((_, a) -> a.maxAcceptedReads(1)),
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

    private RdmaPair rdma;
    private RcQueuePair pair;
    private GidEntry gid;

    @BeforeEach
    void open() {
        rdma = RdmaPair.onOneDevice(_ -> {});
        pair = rdma.left.pair;
        gid = rdma.left.context.activePort().routableGid().orElseThrow();
    }

    @AfterEach
    void close() {
        rdma.close();
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
        Set<Attribute> disallowed = EnumSet.allOf(Attribute.class);
        disallowed.removeAll(needed);
        disallowed.removeAll(allowed);
        for (Attribute one : disallowed) {
            QueuePairTransitionException e = refused(to, with(needed, one));
            assertThat(e.disallowedAttributes()).as("%s", e).containsExactly(one.cName());
            assertThat(e.missingAttributes()).as("%s", e).isEmpty();
        }
        pair.modify(attributes(to, needed));
        assertThat(pair.queryState()).isEqualTo(to);
        for (Attribute one : allowed) {
            bring(from);
            pair.modify(attributes(to, with(needed, one)));
            assertThat(pair.queryState()).as("%s", one).isEqualTo(to);
        }
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
        ConnectOptions options = ConnectOptions.defaults();
        pair.reset();
        if (state == RESET) {
            return;
        }
        pair.moveToInit();
        if (state == INIT) {
            return;
        }
        pair.moveToReadyToReceive(pair.endpoint(), options);
        if (state == READY_TO_RECEIVE) {
            return;
        }
        pair.moveToReadyToSend(options);
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
        transition(RESET, INIT, EnumSet.of(PKEY_INDEX, PORT, ACCESS_FLAGS), NONE);
    }

    @Test
    @Holds("S2")
    void fromInitToInit() {
        transition(INIT, INIT, NONE, EnumSet.of(PKEY_INDEX, PORT, ACCESS_FLAGS));
    }

    @Test
    @Holds({"S3", "35", "36"})
    void fromInitToReadyToReceive() {
        transition(
                INIT,
                READY_TO_RECEIVE,
                EnumSet.of(AV, PATH_MTU, DEST_QPN, RQ_PSN, MAX_DEST_RD_ATOMIC, MIN_RNR_TIMER),
                EnumSet.of(ACCESS_FLAGS, PKEY_INDEX));
    }

    @Test
    @Holds({"S4", "35", "36"})
    void fromReadyToReceiveToReadyToSend() {
        transition(
                READY_TO_RECEIVE,
                READY_TO_SEND,
                EnumSet.of(TIMEOUT, RETRY_CNT, RNR_RETRY, SQ_PSN, MAX_QP_RD_ATOMIC),
                EnumSet.of(CUR_STATE, ACCESS_FLAGS, MIN_RNR_TIMER));
    }

    @Test
    @Holds("S5")
    void fromReadyToSendToReadyToSend() {
        transition(
                READY_TO_SEND,
                READY_TO_SEND,
                NONE,
                EnumSet.of(CUR_STATE, ACCESS_FLAGS, MIN_RNR_TIMER));
    }

    @Test
    @Holds("S6")
    void fromReadyToSendToDrain() {
        transition(READY_TO_SEND, SEND_QUEUE_DRAIN, NONE, NONE);
    }

    @Test
    @Holds("S7")
    void fromDrainToReadyToSend() {
        transition(
                SEND_QUEUE_DRAIN,
                READY_TO_SEND,
                NONE,
                EnumSet.of(CUR_STATE, ACCESS_FLAGS, MIN_RNR_TIMER));
    }

    @Test
    @Holds("S8")
    void fromDrainToDrain() {
        transition(
                SEND_QUEUE_DRAIN,
                SEND_QUEUE_DRAIN,
                NONE,
                EnumSet.of(
                        PORT,
                        AV,
                        TIMEOUT,
                        RETRY_CNT,
                        RNR_RETRY,
                        MAX_QP_RD_ATOMIC,
                        MAX_DEST_RD_ATOMIC,
                        ACCESS_FLAGS,
                        PKEY_INDEX,
                        MIN_RNR_TIMER));
    }

    @Test
    @Holds("S9")
    void fromAnyStateToResetAndToError() {
        for (QueuePairState from :
                new QueuePairState[] {INIT, READY_TO_RECEIVE, READY_TO_SEND, SEND_QUEUE_DRAIN}) {
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
        bring(RESET);
        for (QueuePairState to :
                new QueuePairState[] {READY_TO_RECEIVE, READY_TO_SEND, SEND_QUEUE_DRAIN, ERROR}) {
            assertThat(refused(to, NONE)).hasMessageContaining("there is no such transition");
        }
        bring(READY_TO_RECEIVE);
        for (QueuePairState to : new QueuePairState[] {INIT, READY_TO_RECEIVE, SEND_QUEUE_DRAIN}) {
            assertThat(refused(to, NONE)).hasMessageContaining("there is no such transition");
        }
        bring(READY_TO_SEND);
        assertThat(refused(INIT, NONE)).hasMessageContaining("there is no such transition");
    }
}
