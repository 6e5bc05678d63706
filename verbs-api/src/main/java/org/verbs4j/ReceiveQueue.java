package org.verbs4j;

import org.verbs4j.bindings.DataPath;
import org.verbs4j.internal.CallGate;
import org.verbs4j.internal.NativeMemory;

import java.lang.invoke.MethodHandles;

/**
 * What receives are posted to, {@code ibv_post_recv(3)}: a {@link QueuePair}, a {@link
 * SharedReceiveQueue} that several queue pairs take from, or a {@link WorkQueue} that packets are
 * spread over.
 *
 * <p>One thread at a time may post. {@code post} throws when a request is not accepted, {@code
 * offer} answers instead when the queue is full.
 */
public abstract sealed class ReceiveQueue implements AutoCloseable
        permits WorkQueues, SharedReceiveQueue, WorkQueue {
    /** Shut while no receives are admitted. */
    static final CallGate RECEIVES =
            CallGate.of(MethodHandles.lookup(), "receivesOpen", "receiving");

    private final Lifecycle life;
    private final RequestSlab slab = new RequestSlab();
    private final long postFunction;
    private final boolean critical;

    /**
     * Where a provider says which request it did not take: always there, because some write it in
     * any case.
     */
    private final long bad = slab.allocate(Long.BYTES);

    @SuppressWarnings("unused") // by the gate
    private long receivesOpen;

    @SuppressWarnings("unused") // by the gate
    private boolean receiving;

    /**
     * A queue that is shut.
     *
     * @param function the provider's function that posts receives to it
     */
    ReceiveQueue(Lifecycle life, DeviceContext context, long function) {
        this.life = life;
        this.postFunction = function;
        this.critical = context.policy().poll();
    }

    /**
     * Receives that may be outstanding, {@code max_recv_wr} or {@code max_wr}; the device may have
     * rounded up.
     */
    public abstract int maxReceiveRequests();

    /** Parts of a receive, {@code max_recv_sge} or {@code max_sge}. */
    public abstract int maxReceiveSge();

    /** The protection domain that the memory of receives must be of. */
    abstract ProtectionDomain receiveDomain();

    /** The C function that posts, for messages. */
    abstract String receiveVerb();

    /** What fills up, for messages. */
    abstract String receiveName();

    /** Throws unless receives can be made here. */
    abstract void requireReceives();

    /** Why nothing can be posted now. */
    abstract IllegalStateException receivesShut();

    /**
     * Posts a receive, {@code ibv_post_recv(3)} or {@code ibv_post_srq_recv(3)}: one downcall, no
     * allocation.
     *
     * @param request made by this queue, in no batch
     * @throws PostException when it is not accepted, with the cause; {@code ENOMEM} when the queue
     *     is full
     * @throws IllegalStateException when the queue is closed, or its queue pair in RESET
     * @throws IllegalArgumentException when the request is of another queue
     */
    public final void post(ReceiveRequest request) {
        request.requirePostable(this);
        int errno = receive(request.address);
        if (errno != 0) {
            throw PostFailure.of(this, request, errno, takeBad(bad));
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
        long refused = takeBad(bad);
        if (PostFailure.isFull(errno) && refused != 0) {
            return false;
        }
        throw PostFailure.of(this, request, errno, refused);
    }

    /**
     * Posts a batch of receives by one downcall.
     *
     * @param batch made by this queue
     * @throws PostException when one is not accepted: {@link PostException#acceptedCount()} is its
     *     index, and those before it are posted
     */
    public final void post(ReceiveBatch batch) {
        int accepted = offer(batch);
        if (accepted < batch.size()) {
            throw PostFailure.full(this, batch.size(), accepted);
        }
    }

    /**
     * As {@link #post(ReceiveBatch)}, for a queue that may become full.
     *
     * @return how many were accepted: all, or fewer when the queue is full
     */
    public final int offer(ReceiveBatch batch) {
        batch.requireOf(this);
        if (batch.size() == 0) {
            return 0;
        }
        int errno = receive(batch.head());
        if (errno == 0) {
            return batch.size();
        }
        int accepted = batch.indexOf(takeBad(bad));
        if (PostFailure.isFull(errno) && accepted >= 0) {
            return accepted;
        }
        throw PostFailure.of(
                this, accepted < 0 ? batch.get(0) : batch.get(accepted), errno, accepted);
    }

    private int receive(long first) {
        long queue = RECEIVES.enter(this);
        if (queue == 0) {
            throw receivesShut();
        }
        try {
            return critical
                    ? DataPath.postRecvCritical(postFunction, queue, first, bad)
                    : DataPath.postRecv(postFunction, queue, first, bad);
        } finally {
            RECEIVES.leave(this);
        }
    }

    /**
     * The request that a provider named, 0 when it named none; the slot is clean for the next
     * failure.
     */
    static long takeBad(long slot) {
        long bad = NativeMemory.getLong(slot, 0);
        NativeMemory.putLong(slot, 0, 0);
        return bad;
    }

    /**
     * A receive request, to be filled in.
     *
     * @throws IllegalStateException when receives are not posted here
     */
    public final ReceiveRequest newReceive() {
        life.requireOpen();
        requireReceives();
        return new ReceiveRequest(this);
    }

    /**
     * An empty batch of receives.
     *
     * @param capacity from 1 to {@link #maxReceiveRequests()}
     * @throws IllegalStateException when receives are not posted here
     */
    public final ReceiveBatch newReceiveBatch(int capacity) {
        requireReceives();
        return new ReceiveBatch(this, capacity);
    }

    final RequestSlab slab() {
        return slab;
    }

    final Lifecycle life() {
        return life;
    }

    @Override
    public abstract void close();

    @Override
    public final String toString() {
        return life.toString();
    }
}
