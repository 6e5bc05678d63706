package org.verbs4j;

import org.jspecify.annotations.Nullable;
import org.verbs4j.bindings.DataPath;
import org.verbs4j.bindings.InlineVerbs;
import org.verbs4j.internal.CallGate;
import org.verbs4j.internal.NativeMemory;

import java.lang.invoke.MethodHandles;
import java.util.List;

/** The posting half of a {@link QueuePair}: what is called for every message. */
abstract sealed class WorkQueues extends ReceiveQueue permits QueuePair {
    /** Shut while the state does not admit sends. */
    static final CallGate SENDS = CallGate.of(MethodHandles.lookup(), "sendsOpen", "sending");

    private final long postSendFunction;
    private final boolean criticalSend;

    /** As that of receives. */
    private final long badSend = slab().allocate(Long.BYTES);

    @SuppressWarnings("unused") // by the gate
    private long sendsOpen;

    @SuppressWarnings("unused") // by the gate
    private boolean sending;

    /**
     * Queues of no request yet.
     *
     * @param extended whether an extended sender may hold the provider's lock: its thread may have
     *     to stop for the virtual machine then, which a critical call that spins for the lock would
     *     never let happen
     */
    WorkQueues(Lifecycle life, DeviceContext context, boolean extended) {
        super(life, context, DataPath.postRecvFunction(context.address()));
        this.postSendFunction = DataPath.postSendFunction(context.address());
        this.criticalSend = context.policy().post() && !extended;
    }

    /** Throws unless sends can be made here. */
    abstract void requireSends();

    /** Why nothing can be sent now. */
    abstract IllegalStateException sendsShut();

    /** This, by its only type. */
    abstract QueuePair pair();

    /** Sends that may be outstanding; the device may have rounded up. */
    public abstract int maxSendRequests();

    /** A send request, to be filled in. */
    public final Send newSend() {
        requireSends();
        return new Send(pair());
    }

    /**
     * An empty batch of sends.
     *
     * @param capacity from 1 to {@link #maxSendRequests()}
     */
    public final SendBatch newSendBatch(int capacity) {
        requireSends();
        return new SendBatch(pair(), capacity);
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
        int errno = send(request);
        if (errno != 0) {
            throw PostFailure.of(pair(), request, errno, takeBad(badSend));
        }
    }

    /**
     * As {@link #post(SendRequest)}, for a queue that may be full.
     *
     * @return false when it is full: poll completions and try again
     */
    public final boolean offer(SendRequest request) {
        int errno = send(request);
        if (errno == 0) {
            return true;
        }
        long bad = takeBad(badSend);
        if (PostFailure.isFull(errno) && bad != 0) {
            return false;
        }
        throw PostFailure.of(pair(), request, errno, bad);
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
            throw PostFailure.full(pair(), batch, accepted);
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
        int errno = send(batch);
        if (errno == 0) {
            return batch.size();
        }
        int accepted = batch.indexOf(takeBad(badSend));
        if (PostFailure.isFull(errno) && accepted >= 0) {
            return accepted;
        }
        throw PostFailure.of(
                pair(), accepted < 0 ? batch.get(0) : batch.get(accepted), errno, accepted);
    }

    private int send(SendRequest request) {
        request.requireOf(this);
        return request.isSpecial() ? sendSpecial(request) : send(request.address);
    }

    private int sendSpecial(SendRequest request) {
        request.prepareAlone();
        return request.guarded ? sendGuarded(request) : send(request.address);
    }

    private int send(SendBatch batch) {
        return batch.isGuarded() ? sendGuarded(batch) : send(batch.head());
    }

    private int sendGuarded(SendRequest request) {
        return Lifecycle.make(
                () -> {
                    int errno = send(request.address);
                    if (errno == 0) {
                        request.posted();
                    }
                    return errno;
                },
                request.guards());
    }

    private int sendGuarded(SendBatch batch) {
        return Lifecycle.make(
                () -> {
                    int errno = send(batch.head());
                    batch.posted(
                            errno == 0
                                    ? batch.size()
                                    : batch.indexOf(NativeMemory.getLong(badSend, 0)));
                    return errno;
                },
                batch.guards());
    }

    /**
     * {@code ibv_bind_mw(3)}, which posts: refused where a send is.
     *
     * @return 0 or an error number
     */
    final int bind(long window, long bind) {
        long qp = SENDS.enter(this);
        if (qp == 0) {
            throw sendsShut();
        }
        try {
            return InlineVerbs.ibv_bind_mw(qp, window, bind);
        } finally {
            SENDS.leave(this);
        }
    }

    private int send(long first) {
        long qp = SENDS.enter(this);
        if (qp == 0) {
            throw sendsShut();
        }
        try {
            return criticalSend
                    ? DataPath.postSendCritical(postSendFunction, qp, first, badSend)
                    : DataPath.postSend(postSendFunction, qp, first, badSend);
        } finally {
            SENDS.leave(this);
        }
    }

    /**
     * Keeps a destination from being destroyed until the next {@link #send} is over: the gate is
     * entered before the look, so that {@link AddressHandle#close()} waits for it.
     */
    final void holdDestination(@Nullable AddressHandle destination) {
        if (SENDS.enter(this) == 0) {
            throw sendsShut();
        }
        if (destination == null || !destination.isUsable()) {
            SENDS.leave(this);
            throw new IllegalStateException(
                    destination == null
                            ? "the request has no destination: give it one with to(...)"
                            : destination + " is closed, but a request for " + this + " uses it");
        }
    }

    /** Waits for posts under way in any of these queue pairs. */
    static void awaitSends(List<QueuePair> pairs) {
        SENDS.settle(pairs);
    }
}
