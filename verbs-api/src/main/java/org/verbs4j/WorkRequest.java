package org.verbs4j;

import org.jspecify.annotations.Nullable;

/**
 * A request in native memory, {@code struct ibv_send_wr} or {@code struct ibv_recv_wr}, written
 * once and posted any number of times: {@link SendRequest} or {@link ReceiveRequest}. Belongs to
 * one thread at a time.
 */
public abstract sealed class WorkRequest permits SendRequest, ReceiveRequest {
    final ReceiveQueue queue;
    final long address;

    /** Keeps the memory from being freed. */
    final RequestSlab slab;

    /** The batch that it is linked into. */
    @Nullable RequestBatch<?> batch;

    /**
     * A request that is all zero.
     *
     * @param queue where it may be posted
     * @param size bytes of the request and its list
     */
    WorkRequest(ReceiveQueue queue, long size) {
        this.queue = queue;
        this.slab = queue.slab();
        this.address = slab.allocate(size);
    }

    /** The number that its completion will carry. */
    public abstract long id();

    /** Links the next request of a batch, 0 for none. */
    abstract void link(long next);

    /** Puts it into a batch, or with null takes it out. */
    void batch(@Nullable RequestBatch<?> in) {
        batch = in;
    }
}
