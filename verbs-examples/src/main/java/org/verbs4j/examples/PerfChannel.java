package org.verbs4j.examples;

import java.time.Duration;

/**
 * The way by which the two sides of perftest talk to each other beside what they measure. They take
 * turns: the client says something, the server answers with something of the same length. Belongs
 * to one thread.
 */
interface PerfChannel extends AutoCloseable {
    /** How the C tools call it. */
    String method();

    /** The other side, for sentences about it. */
    String peer();

    /**
     * Gives bytes and takes as many.
     *
     * @throws ToolFailure when the peer keeps silent or has gone
     */
    byte[] swap(byte[] mine) throws InterruptedException;

    /**
     * Gives keys and takes the peer's; often for no other purpose than to wait for it.
     *
     * @param limit how long the peer may take
     * @throws ToolFailure when the peer keeps silent, has gone or says something else
     */
    PerfKeys swap(PerfKeys mine, Duration limit) throws InterruptedException;

    /** Connects the queue pairs that are to be measured, where that is this channel's to do. */
    default void connect(PerfEnds ends) throws InterruptedException {}

    /** Gives up what {@link #connect} has made, before the queue pairs are closed. */
    default void release() {}

    /** The last word. */
    void finish() throws InterruptedException;

    /** Waits until the peer is done, too, if not for long. */
    void part() throws InterruptedException;

    @Override
    void close();
}
