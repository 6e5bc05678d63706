package org.verbs4j.examples;

import java.time.Duration;

/**
 * How long a run with {@code -D} lasts, and which part of it counts: a margin at each end does not.
 * Without {@code -D} it never ends. A thread of its own moves it, so that the one that measures
 * need not look at the time.
 */
final class RunClock implements AutoCloseable {
    private static final int BEFORE = 0;
    private static final int SAMPLING = 1;
    private static final int AFTER = 2;
    private static final int ENDED = 3;

    private final Duration margin;
    private final Duration sample;
    private final boolean timed;
    private final Thread mover =
            Thread.ofPlatform().daemon().name("run-clock").unstarted(this::move);

    private volatile int state = BEFORE;
    private volatile long began;
    private volatile long sampled;

    /**
     * @param seconds 0 for a run that counts its messages
     * @param margin seconds at each end
     */
    RunClock(int seconds, int margin) {
        this.timed = seconds > 0;
        this.margin = Duration.ofSeconds(margin);
        this.sample = Duration.ofSeconds(seconds - 2L * margin);
    }

    /** Sets it going, the first time. */
    void start() {
        if (timed && mover.getState() == Thread.State.NEW) {
            mover.start();
        }
    }

    private void move() {
        try {
            Thread.sleep(margin);
            began = System.nanoTime();
            state = SAMPLING;
            Thread.sleep(sample);
            sampled = System.nanoTime() - began;
            state = AFTER;
            Thread.sleep(margin);
            state = ENDED;
        } catch (InterruptedException _) {
            state = ENDED; // the run has failed
        }
    }

    /** Whether what happens now counts. */
    boolean isSampling() {
        return state == SAMPLING;
    }

    boolean hasEnded() {
        return state == ENDED;
    }

    /** How long the part that counts has been. */
    long sampledNanos() {
        return sampled;
    }

    @Override
    public void close() {
        mover.interrupt();
    }
}
