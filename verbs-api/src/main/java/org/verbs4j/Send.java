package org.verbs4j;

import org.verbs4j.bindings.Verbs;

/**
 * Sends a message into a receive that the peer has posted, {@code IBV_WR_SEND}.
 *
 * <p>Belongs to one thread at a time, see {@link SendRequest}.
 */
public final class Send extends SendRequest {
    private static final int PLAIN = Verbs.IBV_WR_SEND();
    private static final int WITH_IMMEDIATE = Verbs.IBV_WR_SEND_WITH_IMM();
    private static final int INVALIDATING = Verbs.IBV_WR_SEND_WITH_INV();

    Send(QueuePair owner) {
        super(owner, PLAIN);
    }

    @Override
    public Send id(long id) {
        putId(id);
        return this;
    }

    @Override
    public Send signaled(boolean signaled) {
        putFlag(SIGNALED, signaled);
        return this;
    }

    @Override
    public Send fenced(boolean fenced) {
        putFlag(FENCE, fenced);
        return this;
    }

    /**
     * Sets whether it wakes a peer that asked for solicited notifications only.
     *
     * @param solicited false at first: {@code IBV_SEND_SOLICITED}
     */
    public Send solicited(boolean solicited) {
        putFlag(SOLICITED, solicited);
        return this;
    }

    /**
     * Sets whether the data is copied while it is posted, so that its memory is free when {@code
     * post} returns. For small messages, up to {@link QueuePair#maxInlineData()}; faster, too.
     *
     * @param inline false at first: {@code IBV_SEND_INLINE}
     */
    public Send inline(boolean inline) {
        putInline(inline);
        return this;
    }

    /**
     * Sets the memory to send to one part of a region.
     *
     * @param region open, of the queue pair's protection domain
     * @param offset bytes from its beginning
     * @param length bytes; 0 is an empty message
     * @throws IllegalArgumentException when the part is not within the region, or longer than the
     *     port can
     * @throws IllegalStateException when the region is closed
     */
    public Send from(MemoryRegion region, long offset, long length) {
        gather(region, offset, length);
        return this;
    }

    /**
     * Sets the memory to send to several parts, in this order.
     *
     * @param parts at most {@link QueuePair#maxSendSge()}; empty parts do not count
     * @throws IllegalArgumentException when there are too many, or together they are longer than
     *     the port can
     * @throws IllegalStateException when a region is closed
     */
    public Send from(MemorySlice... parts) {
        gather(parts);
        return this;
    }

    /**
     * Gives the peer a number of 32 bits with the message, {@code IBV_WR_SEND_WITH_IMM}.
     *
     * @param value in host order; the peer reads it in host order
     */
    public Send immediate(int value) {
        putImmediate(value);
        putOpcode(WITH_IMMEDIATE);
        return this;
    }

    /**
     * Takes a key of the peer's back when the message has arrived, {@code IBV_WR_SEND_WITH_INV}:
     * the peer's receive tells it by {@link WorkCompletion#invalidatedRemoteKey()}. It replaces an
     * immediate number.
     *
     * @param rkey of a bound memory window of type 2, or of a fast region, of the peer; a key of
     *     another kind breaks the connection
     */
    public Send invalidating(int rkey) {
        putInvalidatedKey(rkey);
        putOpcode(INVALIDATING);
        return this;
    }

    /** Takes the immediate number or the key to invalidate back. */
    public Send plain() {
        putOpcode(PLAIN);
        return this;
    }

    /**
     * Sets where a datagram goes, {@code wr.ud}; of {@link UdQueuePair} only, which needs it for
     * every send.
     *
     * @param handle the way, open when the request is posted, of the queue pair's protection domain
     * @param queuePairNumber the peer's, 24 bits; {@value UdQueuePair#MULTICAST_QUEUE_PAIR} for a
     *     multicast group
     * @param queueKey the peer's; one that does not fit is dropped there without a word
     * @throws IllegalStateException when the queue pair is connected, or the handle closed
     * @throws IllegalArgumentException when the handle is of another protection domain
     */
    public Send to(AddressHandle handle, int queuePairNumber, int queueKey) {
        putDestination(handle, queuePairNumber, queueKey);
        return this;
    }

    /**
     * Sets which shared receive queue of the peer it goes to, {@code remote_srqn}; of {@link
     * XrcSendQueuePair} only.
     *
     * @param number the peer's {@link SharedReceiveQueue#number()}
     * @throws IllegalStateException when the queue pair is of another type
     */
    public Send toQueue(int number) {
        putRemoteQueue(number);
        return this;
    }
}
