package org.verbs4j.examples;

import java.time.Duration;

/**
 * What to do between two polls that found nothing: spin, give the processor away now and then, and
 * give up when nothing has happened for too long. Belongs to one thread.
 *
 * <p>The C tools only spin. On a machine with one processor that costs a whole time slice (10 to 20
 * ms) each time the peer is to run, because the peer spins as well. {@link Thread#yield()} after a
 * thousand empty polls makes that some 200 us (measured on a one-processor guest), and a device
 * that answers within microseconds never gets that far.
 */
final class BusyWait {
    private static final int POLLS_PER_YIELD = 1000;

    /** The clock is looked at rarely: reading it costs 25 us in some virtual machines. */
    private static final int YIELDS_PER_LOOK = 64;

    private final long limitNanos;
    private int polls;
    private int yields;
    private boolean timing;
    private long waitingSince;

    BusyWait(Duration limit) {
        this.limitNanos = limit.toNanos();
    }

    /** Something happened: the patience is fresh again. */
    void reset() {
        polls = 0;
        yields = 0;
        timing = false;
    }

    /**
     * Nothing happened.
     *
     * @return false when the limit has passed since the last {@link #reset()}
     */
    @SuppressWarnings("ThreadPriorityCheck") // yielding is the point, see above
    boolean pause() {
        if (++polls % POLLS_PER_YIELD != 0) {
            Thread.onSpinWait();
            return true;
        }
        Thread.yield();
        if (++yields % YIELDS_PER_LOOK != 0) {
            return true;
        }
        long now = System.nanoTime();
        if (!timing) {
            timing = true;
            waitingSince = now;
        }
        return now - waitingSince < limitNanos;
    }
}
