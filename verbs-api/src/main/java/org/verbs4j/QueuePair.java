package org.verbs4j;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.verbs4j.bindings.Verbs;
import org.verbs4j.bindings.ibv_qp;
import org.verbs4j.bindings.ibv_qp_attr;
import org.verbs4j.bindings.ibv_qp_init_attr;
import org.verbs4j.internal.CallGate;
import org.verbs4j.internal.QueuePairFailureEvent;
import org.verbs4j.internal.QueuePairStateEvent;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.Optional;

/**
 * A send queue and a receive queue, {@code struct ibv_qp}.
 *
 * <p>One thread at a time may post sends, and one, which may be another, may post receives. The
 * other methods may be called by any thread at any time: {@link #close()} waits for a post under
 * way, and later ones throw.
 *
 * <p>{@code post} throws when a request is not accepted, {@code offer} answers instead when the
 * queue is full. Sends are refused before {@link QueuePairState#READY_TO_SEND} and receives before
 * {@link QueuePairState#INIT}: a provider may keep such a request and carry it out later by
 * surprise.
 */
public abstract sealed class QueuePair extends WorkQueues
        permits ConnectedQueuePair, UdQueuePair, RawPacketQueuePair {
    private static final Logger LOG = LoggerFactory.getLogger(QueuePair.class);

    private final QueuePairSetup setup;
    private final MemorySegment handle;
    private final int number;
    private final Lifecycle life;

    private volatile QueuePairState state = QueuePairState.RESET;
    private volatile @Nullable WorkFailure firstFailure;

    QueuePair(QueuePairSetup setup) {
        super(
                new Lifecycle(
                        "queue pair "
                                + ibv_qp.qp_num(setup.handle())
                                + " on "
                                + setup.context().device().name(),
                        setup.parents().toArray(Lifecycle[]::new)),
                setup.context(),
                !setup.extendedSends().isEmpty());
        this.setup = setup;
        this.handle = setup.handle();
        this.number = ibv_qp.qp_num(handle);
        this.life = life();
        setup.context().events().add(handle, this);
    }

    /** Its number, 24 bits: {@code qp_num}. */
    public final int number() {
        return number;
    }

    /**
     * The state that this process last moved it to; a failure moves it to ERROR without changing
     * this.
     */
    public final QueuePairState state() {
        return state;
    }

    /** The state that it is in, asked of the kernel by {@code ibv_query_qp(3)}. */
    public final QueuePairState queryState() {
        return query().state();
    }

    /**
     * What a peer needs to connect to this queue pair.
     *
     * @throws VerbsException when the port needs a GID and has none, or another has taken the place
     *     of the one that this was made with
     */
    public final QueuePairEndpoint endpoint() {
        life.requireOpen();
        return setup.endpoint(number);
    }

    /** Bytes of the largest inline message, {@code max_inline_data} as the device gave it. */
    public final int maxInlineData() {
        return setup.capacity().maxInlineData();
    }

    @Override
    public final int maxSendRequests() {
        return setup.capacity().maxSendRequests();
    }

    /**
     * {@inheritDoc}
     *
     * <p>0 when it takes from a {@link SharedReceiveQueue}.
     */
    @Override
    public final int maxReceiveRequests() {
        return setup.capacity().maxReceiveRequests();
    }

    /** Parts of a send, {@code max_send_sge} as the device gave it. */
    public final int maxSendSge() {
        return setup.capacity().maxSendSge();
    }

    @Override
    public final int maxReceiveSge() {
        return setup.capacity().maxReceiveSge();
    }

    /**
     * Bytes of the largest message: as the port says, or for datagrams the MTU that the port had
     * when the queue pair was made.
     */
    public final long maxMessageSize() {
        return setup.maxMessageSize();
    }

    private IllegalStateException notReady(String what, String least) {
        return new IllegalStateException(
                life.isOpen()
                        ? life + " is in " + state + ": it can " + what + " from " + least + " on"
                        : life + " is closed");
    }

    @Override
    final IllegalStateException sendsShut() {
        return notReady("send", "READY_TO_SEND");
    }

    @Override
    final IllegalStateException receivesShut() {
        return notReady("receive", "INIT");
    }

    @Override
    final void requireReceives() {
        if (setup.sharedReceiveQueue() != null) {
            throw new IllegalStateException(
                    life
                            + " takes its receives from "
                            + setup.sharedReceiveQueue()
                            + ": make and post them there");
        }
        if (!setup.type().receives()) {
            throw new IllegalStateException(
                    life + " is " + setup.type().symbol() + ", which takes no receives");
        }
    }

    @Override
    final ProtectionDomain receiveDomain() {
        return setup.requireDomain();
    }

    /** What the memory of its requests must be of. */
    final ProtectionDomain protectionDomain() {
        return setup.requireDomain();
    }

    @Override
    final String receiveVerb() {
        return "ibv_post_recv";
    }

    @Override
    final String receiveName() {
        return "receive queue of " + life;
    }

    /**
     * A way to post what classic requests cannot, see {@code ibv_wr_post(3)}.
     *
     * @throws IllegalStateException when the builder's {@code extendedSends} was not asked for any
     */
    public final ExtendedSender newExtendedSender() {
        requireSends();
        if (setup.extendedSends().isEmpty()) {
            throw new IllegalStateException(
                    life + " was not made for it: call extendedSends of its builder");
        }
        return new ExtendedSender(this);
    }

    @Override
    final void requireSends() {
        life.requireOpen();
        if (!setup.type().sends()) {
            throw new IllegalStateException(
                    life + " is " + setup.type().symbol() + ", which sends nothing");
        }
    }

    /**
     * Puts a rule in force that steers packets here, {@code ibv_create_flow(3)}; mostly of raw
     * packets.
     *
     * @throws UnsupportedVerbException when the device cannot steer, or not so
     * @throws VerbsException when the device refuses
     */
    public final Flow newFlow(FlowRule rule) {
        return Flow.make(this, rule);
    }

    /**
     * Changes attributes, {@code ibv_modify_qp(3)}. May take a second on RoCE, where the kernel
     * looks for the peer's hardware address.
     *
     * @param attributes those that are set
     * @throws QueuePairTransitionException when the kernel refuses, naming what is missing or not
     *     allowed
     */
    public final void modify(QueuePairAttributes attributes) {
        life.runWhileOpen(
                () -> {
                    apply(attributes);
                });
    }

    private void apply(QueuePairAttributes attributes) {
        QueuePairState before = state;
        QueuePairState after = attributes.has(Verbs.IBV_QP_STATE()) ? attributes.state() : before;
        beforeModify(attributes, after);
        admit(
                before.takesSends() && after.takesSends(),
                before.takesReceives() && after.takesReceives());
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment attr = arena.allocate(ibv_qp_attr.layout());
            attributes.encode(attr);
            QueuePairStateEvent event = QueuePairStateEvent.started();
            int errno = Verbs.ibv_modify_qp(handle, attr, attributes.mask());
            event.done(setup.context().device().name(), number, before, after, errno);
            if (errno != 0) {
                admit(before.takesSends(), before.takesReceives());
                throw TransitionFailure.of(this, setup, attributes, errno);
            }
        }
        state = after;
        if (after == QueuePairState.RESET) {
            firstFailure = null;
        }
        admit(after.takesSends(), after.takesReceives());
        LOG.debug("{}: {} -> {}", life, before, after);
    }

    /** What a queue pair's type has against a change, before the kernel is asked. */
    void beforeModify(QueuePairAttributes attributes, QueuePairState after) {}

    /** Lets posts in or not, as far as the type has them. */
    final void admit(boolean sends, boolean receives) {
        boolean own = setup.type().receives() && setup.sharedReceiveQueue() == null;
        SENDS.set(this, sends && setup.type().sends() ? handle.address() : 0);
        RECEIVES.set(this, receives && own ? handle.address() : 0);
    }

    /**
     * Moves it from RESET to INIT, {@code ibv_modify_qp(3)}, where receives can be posted, with the
     * port, partition, remote access and queue key of the builder, as far as the type has them.
     *
     * @throws QueuePairTransitionException when the kernel refuses
     */
    public final void moveToInit() {
        modify(setup.initialAttributes());
    }

    /**
     * Stops sending: sends under way finish, later ones wait in the queue, {@code IBV_QPS_SQD}.
     * From READY_TO_SEND; back by {@link #resume()}.
     *
     * @throws QueuePairTransitionException when the kernel refuses
     */
    public final void drain() {
        modify(new QueuePairAttributes().state(QueuePairState.SEND_QUEUE_DRAIN));
    }

    /**
     * Goes on after {@link #drain()}, or after a send of an unconnected queue pair has failed: back
     * to READY_TO_SEND, {@code ibv_modify_qp(3)}. What was posted meanwhile some devices, soft-RoCE
     * among them, send only when the next request is posted.
     *
     * @throws QueuePairTransitionException when the kernel refuses
     */
    public final void resume() {
        modify(new QueuePairAttributes().state(QueuePairState.READY_TO_SEND));
    }

    /**
     * What the two devices of a connection can do beyond the standard, {@code ibv_query_ece(3)}.
     *
     * @throws UnsupportedVerbException when the library, the provider or the kernel cannot
     */
    public final Ece ece() {
        return life.whileOpen(() -> QueuePairExtras.queryEce(setup));
    }

    /**
     * Chooses what to do beyond the standard, {@code ibv_set_ece(3)}: before it is connected.
     *
     * @param ece of the peer, or what both can
     * @throws UnsupportedVerbException when the library, the provider or the kernel cannot
     * @throws VerbsException when the device refuses the vendor, the options or the state
     */
    public final void ece(Ece ece) {
        life.runWhileOpen(
                () -> {
                    QueuePairExtras.setEce(setup, ece);
                });
    }

    /**
     * Whether data appears in this end's memory in order, so that the last byte tells that all are
     * there, {@code ibv_query_qp_data_in_order(3)}. False when the device does not promise it.
     */
    public final boolean isDataInOrder(DataOperation operation) {
        return life.whileOpen(() -> QueuePairExtras.isDataInOrder(setup, operation));
    }

    /**
     * Limits how fast it sends, {@code ibv_modify_qp_rate_limit(3)}; in READY_TO_SEND.
     *
     * @throws UnsupportedVerbException when the library, the provider or the kernel cannot
     * @throws VerbsException when the device refuses
     */
    public final void limitRate(RateLimit limit) {
        life.runWhileOpen(
                () -> {
                    QueuePairExtras.limitRate(setup, limit);
                });
    }

    /**
     * The first failure since it was last in RESET, which explains why later requests were flushed:
     * of the completions that somebody has looked at by {@link WorkCompletion#isSuccess()}, {@link
     * WorkCompletion#status()} or {@link WorkCompletion#requireSuccess()}.
     */
    public final Optional<WorkFailure> firstFailure() {
        return Optional.ofNullable(firstFailure);
    }

    /** Remembers a failure if it is the first. */
    final synchronized void failed(WorkFailure failure) {
        if (firstFailure == null) {
            firstFailure = failure;
            QueuePairFailureEvent.emit(
                    setup.context().device().name(),
                    number,
                    failure.wrId(),
                    failure.status(),
                    failure.vendorError());
        }
    }

    /** All attributes, {@code ibv_query_qp(3)}. */
    public final QueuePairAttributes query() {
        return life.whileOpen(this::queryOpen);
    }

    private QueuePairAttributes queryOpen() {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment attr = arena.allocate(ibv_qp_attr.layout());
            MemorySegment init = arena.allocate(ibv_qp_init_attr.layout());
            int errno = Verbs.ibv_query_qp(handle, attr, QueuePairSetup.EVERYTHING, init);
            if (errno != 0) {
                throw new VerbsException("ibv_query_qp", errno, "asking for the state of " + life);
            }
            return QueuePairAttributes.decode(attr);
        }
    }

    /**
     * Moves it to {@link QueuePairState#ERROR}, {@code ibv_modify_qp(3)}: everything outstanding
     * completes as {@link WorkStatus#FLUSHED}. The way to drain before closing.
     */
    public final void moveToError() {
        modify(new QueuePairAttributes().state(QueuePairState.ERROR));
    }

    /**
     * Moves it to {@link QueuePairState#RESET}, {@code ibv_modify_qp(3)}: everything outstanding is
     * forgotten without a completion.
     */
    public final void reset() {
        modify(new QueuePairAttributes().state(QueuePairState.RESET));
    }

    /** Escape hatch: {@code struct ibv_qp *}, valid while the queue pair is open. */
    public final MemorySegment handle() {
        life.requireOpen();
        return handle;
    }

    @Override
    final QueuePair pair() {
        return this;
    }

    final QueuePairSetup setup() {
        return setup;
    }

    /** What has to be ended before it can be destroyed: a sentence, or null. */
    @Nullable String stillInUse() {
        return null;
    }

    /**
     * Destroys the queue pair, {@code ibv_destroy_qp}. What is outstanding is dropped; to be told,
     * move it to error and poll until everything is flushed. Completions that are in the completion
     * queue may still be polled. Does nothing when it is closed.
     *
     * @throws VerbsException when the kernel refuses
     */
    @Override
    public final void close() {
        life.close(
                () -> {
                    String use = stillInUse();
                    if (use != null) {
                        throw new IllegalStateException(use);
                    }
                    CallGate.shut(this, SENDS, RECEIVES);
                    int errno = Verbs.ibv_destroy_qp(handle);
                    if (errno != 0) {
                        admit(state.takesSends(), state.takesReceives());
                        throw new VerbsException("ibv_destroy_qp", errno, "cannot destroy " + life);
                    }
                    setup.context().queuePairs().remove(this);
                    setup.context().events().remove(handle, this);
                });
    }
}
