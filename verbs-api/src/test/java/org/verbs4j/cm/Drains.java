package org.verbs4j.cm;

import org.verbs4j.RcQueuePair;
import org.verbs4j.WorkCompletions;

import java.time.Duration;

/** Opens {@link Drain} to tests that have a provider of their own. */
public final class Drains {
    private Drains() {}

    /** Drains as a connection does. */
    public static boolean run(RcQueuePair pair, Duration timeout, Runnable requireOpen)
            throws InterruptedException {
        return new Drain(pair, WorkCompletions.allocate(4), completion -> {}, requireOpen)
                .run(Deadline.in(timeout));
    }
}
