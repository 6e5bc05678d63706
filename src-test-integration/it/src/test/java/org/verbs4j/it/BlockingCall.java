package org.verbs4j.it;

import java.time.Duration;
import java.util.concurrent.ConcurrentLinkedDeque;

/**
 * A call that waits, set up so that it does, and what brings about each of its ends. One thread
 * brings them about, another one waits.
 */
abstract class BlockingCall implements AutoCloseable {
    private final ConcurrentLinkedDeque<AutoCloseable> kept = new ConcurrentLinkedDeque<>();

    /** Closes something at the end, the last one first. */
    final <T extends AutoCloseable> T keep(T resource) {
        kept.push(resource);
        return resource;
    }

    /** The call; what it returns is told, and closed where it needs that. */
    abstract Object await(Duration timeout) throws Exception;

    /** What it waits for happens. */
    abstract void succeed() throws Exception;

    /** What it waits for goes wrong. */
    void fail() throws Exception {
        throw new UnsupportedOperationException("the table says that there is no such end");
    }

    /** Closes what is waited on. */
    abstract void closeWaitedOn() throws Exception;

    @Override
    public void close() throws Exception {
        while (!kept.isEmpty()) {
            kept.pop().close();
        }
    }
}
