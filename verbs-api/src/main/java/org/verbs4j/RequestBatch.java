package org.verbs4j;

import java.util.Objects;

/**
 * Links requests of one queue by {@code next} of {@code struct ibv_send_wr} or {@code struct
 * ibv_recv_wr}, so that they are posted by one downcall and one doorbell.
 *
 * <p>Belongs to one thread at a time, as its requests do. While a request is in a batch it can be
 * changed, but not posted alone and not added again. Clear and refill without garbage.
 *
 * @param <R> the requests
 */
public abstract sealed class RequestBatch<R extends WorkRequest> permits SendBatch, ReceiveBatch {
    private final ReceiveQueue owner;
    private final R[] requests;
    private int size;

    RequestBatch(ReceiveQueue owner, R[] requests) {
        this.owner = owner;
        this.requests = requests;
    }

    final void append(R request) {
        if (request.queue != owner) {
            throw new IllegalArgumentException(
                    "the request is of " + request.queue + ", not of " + owner);
        }
        if (request.batch != null) {
            throw new IllegalStateException(
                    "the request is in a batch already: a list cannot hold it twice");
        }
        if (size == requests.length) {
            throw new IllegalStateException(
                    "the batch is full: it was made for " + requests.length);
        }
        request.batch(this);
        request.link(0);
        if (size > 0) {
            requests[size - 1].link(request.address);
        }
        requests[size++] = request;
    }

    final void removeAll() {
        for (int i = 0; i < size; i++) {
            requests[i].link(0);
            requests[i].batch(null);
        }
        size = 0;
    }

    /** How many requests are in it. */
    public final int size() {
        return size;
    }

    /** How many it was made for. */
    public final int capacity() {
        return requests.length;
    }

    /**
     * A request.
     *
     * @param index from 0 to {@link #size()} - 1
     */
    public final R get(int index) {
        return requests[Objects.checkIndex(index, size)];
    }

    /** The first request, 0 when there is none. */
    final long head() {
        return size == 0 ? 0 : requests[0].address;
    }

    /** Which request is at this address, -1 for none. */
    final int indexOf(long address) {
        for (int i = 0; i < size; i++) {
            if (requests[i].address == address) {
                return i;
            }
        }
        return -1;
    }

    final void requireOf(ReceiveQueue queue) {
        if (owner != queue) {
            throw new IllegalArgumentException("the batch is of " + owner + ", not of " + queue);
        }
    }
}
