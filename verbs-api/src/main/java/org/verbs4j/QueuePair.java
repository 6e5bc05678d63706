package org.verbs4j;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.verbs4j.bindings.DataPath;
import org.verbs4j.bindings.InlineVerbs;
import org.verbs4j.bindings.Verbs;
import org.verbs4j.bindings.ibv_qp;
import org.verbs4j.bindings.ibv_qp_attr;
import org.verbs4j.bindings.ibv_qp_init_attr;
import org.verbs4j.internal.CallGate;
import org.verbs4j.internal.NativeMemory;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

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
public abstract sealed class QueuePair implements AutoCloseable permits RcQueuePair {
    private static final Logger LOG = LoggerFactory.getLogger(QueuePair.class);

    private final QueuePairSetup setup;
    private final MemorySegment handle;
    private final int number;
    private final Lifecycle life;
    private final RequestSlab slab = new RequestSlab();

    private final long postSendFunction;
    private final long postReceiveFunction;
    private final boolean criticalSend;
    private final boolean criticalReceive;

    /**
     * Where a provider says which request it did not take: always there, because some write it in
     * any case.
     */
    private final long badSend = slab.allocate(Long.BYTES);

    private final long badReceive = slab.allocate(Long.BYTES);

    /** Shut while the state does not admit sends, or receives. */
    private final CallGate sendGate = new CallGate();

    private final CallGate receiveGate = new CallGate();

    private volatile QueuePairState state = QueuePairState.RESET;

    QueuePair(QueuePairSetup setup) {
        this.setup = setup;
        this.handle = setup.handle();
        this.number = ibv_qp.qp_num(handle);
        DeviceContext context = setup.context();
        this.postSendFunction = DataPath.postSendFunction(context.address());
        this.postReceiveFunction = DataPath.postRecvFunction(context.address());
        this.criticalSend = context.policy().post();
        this.criticalReceive = context.policy().poll();
        this.life =
                new Lifecycle(
                        "queue pair " + number + " on " + context.device().name(), setup.parents());
    }

    /** Its number, 24 bits. */
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

    /** The state that it is in, asked of the kernel. */
    public final QueuePairState queryState() {
        return query().state();
    }

    /**
     * What a peer needs to connect to this queue pair.
     *
     * @throws VerbsException when the port needs a GID and has none
     */
    public final QueuePairEndpoint endpoint() {
        life.requireOpen();
        return setup.endpoint(number);
    }

    /** Bytes of the largest inline message. */
    public final int maxInlineData() {
        return setup.maxInlineData();
    }

    /** Sends that may be outstanding; the device may have rounded up. */
    public final int maxSendRequests() {
        return setup.maxSendRequests();
    }

    /** Receives that may be outstanding; the device may have rounded up. */
    public final int maxReceiveRequests() {
        return setup.maxReceiveRequests();
    }

    /** Parts of a send. */
    public final int maxSendSge() {
        return setup.maxSendSge();
    }

    /** Parts of a receive. */
    public final int maxReceiveSge() {
        return setup.maxReceiveSge();
    }

    /** Bytes of the largest message, as the port says. */
    public final long maxMessageSize() {
        return setup.maxMessageSize();
    }

    /**
     * Posts a send, write, read or atomic, {@code ibv_post_send(3)}: one downcall, no allocation.
     *
     * @param request made by this queue pair, in no batch
     * @throws PostException when it is not accepted, with the cause; {@code ENOMEM} when the queue
     *     is full
     * @throws IllegalStateException when the queue pair is closed or not ready to send, or an
     *     inline request's memory is gone, or confined to another thread
     * @throws IllegalArgumentException when the request is of another queue pair
     */
    public final void post(SendRequest request) {
        request.requirePostable(this);
        int errno =
                request.guarded
                        ? sendGuarded(request.address, request.guards())
                        : send(request.address);
        if (errno != 0) {
            throw PostFailure.of(this, request, errno, takeBad(badSend));
        }
    }

    /**
     * As {@link #post(SendRequest)}, for a queue that may be full.
     *
     * @return false when it is full: poll completions and try again
     */
    public final boolean offer(SendRequest request) {
        request.requirePostable(this);
        int errno =
                request.guarded
                        ? sendGuarded(request.address, request.guards())
                        : send(request.address);
        if (errno == 0) {
            return true;
        }
        long bad = takeBad(badSend);
        if (PostFailure.isFull(errno) && bad != 0) {
            return false;
        }
        throw PostFailure.of(this, request, errno, bad);
    }

    /**
     * Posts a batch by one downcall.
     *
     * @param batch made by this queue pair
     * @throws PostException when one is not accepted: {@link PostException#acceptedCount()} is its
     *     index, and those before it are under way
     */
    public final void post(SendBatch batch) {
        int accepted = offer(batch);
        if (accepted < batch.size()) {
            throw PostFailure.full(this, batch.size(), accepted, true);
        }
    }

    /**
     * As {@link #post(SendBatch)}, for a queue that may become full.
     *
     * @return how many were accepted: all, or fewer when the queue is full. Those are under way:
     *     take them out before offering the rest
     */
    public final int offer(SendBatch batch) {
        batch.requirePostable(this);
        if (batch.size() == 0) {
            return 0;
        }
        int errno =
                batch.isGuarded() ? sendGuarded(batch.head(), batch.guards()) : send(batch.head());
        if (errno == 0) {
            return batch.size();
        }
        int accepted = batch.indexOf(takeBad(badSend));
        if (PostFailure.isFull(errno) && accepted >= 0) {
            return accepted;
        }
        throw PostFailure.of(
                this, accepted < 0 ? batch.get(0) : batch.get(accepted), errno, accepted);
    }

    private int sendGuarded(long first, Lifecycle... guards) {
        return Lifecycle.make(() -> send(first), guards);
    }

    /**
     * {@code ibv_bind_mw(3)}, which posts: refused where a send is.
     *
     * @return 0 or an error number
     */
    final int bind(long window, long bind) {
        long qp = sendGate.enter();
        if (qp == 0) {
            throw notReady("send", "READY_TO_SEND");
        }
        try {
            return InlineVerbs.ibv_bind_mw(qp, window, bind);
        } finally {
            sendGate.leave();
        }
    }

    private int send(long first) {
        CallGate entered = sendGate;
        long qp = entered.enter();
        if (qp == 0) {
            throw notReady("send", "READY_TO_SEND");
        }
        try {
            return criticalSend
                    ? DataPath.postSendCritical(postSendFunction, qp, first, badSend)
                    : DataPath.postSend(postSendFunction, qp, first, badSend);
        } finally {
            entered.leave();
        }
    }

    /**
     * Posts a receive, {@code ibv_post_recv(3)}: one downcall, no allocation.
     *
     * @param request made by this queue pair, in no batch
     * @throws PostException when it is not accepted, with the cause; {@code ENOMEM} when the queue
     *     is full
     * @throws IllegalStateException when the queue pair is closed or in RESET
     * @throws IllegalArgumentException when the request is of another queue pair
     */
    public final void post(ReceiveRequest request) {
        request.requirePostable(this);
        int errno = receive(request.address);
        if (errno != 0) {
            throw PostFailure.of(this, request, errno, takeBad(badReceive));
        }
    }

    /**
     * As {@link #post(ReceiveRequest)}, for a queue that may be full.
     *
     * @return false when it is full
     */
    public final boolean offer(ReceiveRequest request) {
        request.requirePostable(this);
        int errno = receive(request.address);
        if (errno == 0) {
            return true;
        }
        long bad = takeBad(badReceive);
        if (PostFailure.isFull(errno) && bad != 0) {
            return false;
        }
        throw PostFailure.of(this, request, errno, bad);
    }

    /**
     * Posts a batch of receives by one downcall.
     *
     * @param batch made by this queue pair
     * @throws PostException when one is not accepted: {@link PostException#acceptedCount()} is its
     *     index, and those before it are posted
     */
    public final void post(ReceiveBatch batch) {
        int accepted = offer(batch);
        if (accepted < batch.size()) {
            throw PostFailure.full(this, batch.size(), accepted, false);
        }
    }

    /**
     * As {@link #post(ReceiveBatch)}, for a queue that may become full.
     *
     * @return how many were accepted: all, or fewer when the queue is full
     */
    public final int offer(ReceiveBatch batch) {
        batch.requirePostable(this);
        if (batch.size() == 0) {
            return 0;
        }
        int errno = receive(batch.head());
        if (errno == 0) {
            return batch.size();
        }
        int accepted = batch.indexOf(takeBad(badReceive));
        if (PostFailure.isFull(errno) && accepted >= 0) {
            return accepted;
        }
        throw PostFailure.of(
                this, accepted < 0 ? batch.get(0) : batch.get(accepted), errno, accepted);
    }

    private int receive(long first) {
        CallGate entered = receiveGate;
        long qp = entered.enter();
        if (qp == 0) {
            throw notReady("receive", "INIT");
        }
        try {
            return criticalReceive
                    ? DataPath.postRecvCritical(postReceiveFunction, qp, first, badReceive)
                    : DataPath.postRecv(postReceiveFunction, qp, first, badReceive);
        } finally {
            entered.leave();
        }
    }

    /**
     * The request that a provider named, 0 when it named none; the slot is clean for the next
     * failure.
     */
    private static long takeBad(long slot) {
        long bad = NativeMemory.getLong(slot, 0);
        NativeMemory.putLong(slot, 0, 0);
        return bad;
    }

    private IllegalStateException notReady(String what, String least) {
        return new IllegalStateException(
                life.isOpen()
                        ? life + " is in " + state + ": it can " + what + " from " + least + " on"
                        : life + " is closed");
    }

    /** A send request, to be filled in. */
    public final Send newSend() {
        life.requireOpen();
        return new Send(this);
    }

    /** A receive request, to be filled in. */
    public final ReceiveRequest newReceive() {
        life.requireOpen();
        return new ReceiveRequest(this);
    }

    /**
     * An empty batch of sends.
     *
     * @param capacity from 1 to {@link #maxSendRequests()}
     */
    public final SendBatch newSendBatch(int capacity) {
        return new SendBatch(this, capacity);
    }

    /**
     * An empty batch of receives.
     *
     * @param capacity from 1 to {@link #maxReceiveRequests()}
     */
    public final ReceiveBatch newReceiveBatch(int capacity) {
        return new ReceiveBatch(this, capacity);
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
        life.whileOpen(
                () -> {
                    apply(attributes);
                    return true;
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
            int errno = Verbs.ibv_modify_qp(handle, attr, attributes.mask());
            if (errno != 0) {
                admit(before.takesSends(), before.takesReceives());
                throw TransitionFailure.of(this, setup, attributes, errno);
            }
        }
        state = after;
        admit(after.takesSends(), after.takesReceives());
        LOG.debug("{}: {} -> {}", life, before, after);
    }

    /** What a queue pair's type has against a change, before the kernel is asked. */
    abstract void beforeModify(QueuePairAttributes attributes, QueuePairState after);

    /** Lets posts in or not. */
    final void admit(boolean sends, boolean receives) {
        sendGate.set(sends ? handle.address() : 0);
        receiveGate.set(receives ? handle.address() : 0);
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
     * Moves it to {@link QueuePairState#ERROR}: everything outstanding completes as {@link
     * WorkStatus#FLUSHED}. The way to drain before closing.
     */
    public final void moveToError() {
        modify(new QueuePairAttributes().state(QueuePairState.ERROR));
    }

    /**
     * Moves it to {@link QueuePairState#RESET}: everything outstanding is forgotten without a
     * completion.
     */
    public final void reset() {
        modify(new QueuePairAttributes().state(QueuePairState.RESET));
    }

    /** Escape hatch: {@code struct ibv_qp *}, valid while the queue pair is open. */
    public final MemorySegment handle() {
        life.requireOpen();
        return handle;
    }

    RequestSlab slab() {
        return slab;
    }

    QueuePairSetup setup() {
        return setup;
    }

    Lifecycle life() {
        return life;
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
                    CallGate.shut(sendGate, receiveGate);
                    int errno = Verbs.ibv_destroy_qp(handle);
                    if (errno != 0) {
                        admit(state.takesSends(), state.takesReceives());
                        throw new VerbsException("ibv_destroy_qp", errno, "cannot destroy " + life);
                    }
                });
    }

    @Override
    public final String toString() {
        return life.toString();
    }
}
