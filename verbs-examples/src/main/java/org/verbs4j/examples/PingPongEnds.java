package org.verbs4j.examples;

import org.verbs4j.MemorySlice;
import org.verbs4j.QueuePair;
import org.verbs4j.ReceiveQueue;
import org.verbs4j.Send;

import java.util.List;

/**
 * The queue pairs that one side of a ping-pong plays with, all of one type, each with a peer of its
 * own on the other side. They take their receives from one queue. Belongs to one thread.
 */
interface PingPongEnds extends AutoCloseable {
    /** At least one. */
    List<? extends QueuePair> pairs();

    /** The one queue pair itself, or the queue that all share. */
    ReceiveQueue receives();

    /**
     * Brings a queue pair to RTS, and makes its message one to its peer.
     *
     * @param index of the queue pair
     */
    void connect(int index, PingPongEndpoint remote, Send send);

    /**
     * Posts the message of a queue pair.
     *
     * @param message the memory that the request points to
     */
    default void post(int index, Send send, MemorySlice message) {
        pairs().get(index).post(send);
    }

    @Override
    void close();
}
