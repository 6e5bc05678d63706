package org.verbs4j.examples;

import org.verbs4j.CompletionQueue;
import org.verbs4j.WorkCompletion;
import org.verbs4j.WorkCompletions;

/**
 * Exchanges messages of one size one after the other and notes when each was posted. Nothing is
 * allocated per message. Belongs to one thread.
 */
abstract class LatencyLoop {
    final PerfPlan plan;
    final PerfEnds ends;
    final RunClock clock;
    final RunCounts counts;
    final PerfWait wait;

    /** How many messages there are to be. */
    final long limit;

    private final WorkCompletions one = WorkCompletions.allocate(1);

    LatencyLoop(PerfPlan plan, PerfEnds ends, RunClock clock, RunCounts counts) {
        this.plan = plan;
        this.ends = ends;
        this.clock = clock;
        this.counts = counts;
        this.wait = new PerfWait(plan, clock, counts);
        this.limit = plan.isTimed() ? Long.MAX_VALUE : plan.iterations();
    }

    static LatencyLoop of(
            PerfPlan plan, PerfEnds ends, long size, RunClock clock, RunCounts counts) {
        return switch (plan.verb()) {
            case SEND -> new SendLatencyLoop(plan, ends, size, clock, counts);
            case WRITE -> new WriteLatencyLoop(plan, ends, size, clock, counts);
            case READ, ATOMIC -> new RoundTripLoop(plan, ends, size, clock, counts);
        };
    }

    /** Before the peer may send anything. */
    abstract void prepare();

    /**
     * Runs to the end.
     *
     * @param posted filled with when each message was posted, by {@link System#nanoTime()}; empty
     *     for a run with {@code -D}
     */
    abstract void run(long[] posted) throws InterruptedException;

    /**
     * Waits for a completion.
     *
     * @return false when the time of the run is over
     */
    final boolean await(CompletionQueue queue) throws InterruptedException {
        return wait.take(queue, one) > 0;
    }

    /** What {@link #await} has brought. */
    final WorkCompletion completion() {
        return one.get(0);
    }

    /** Notes the time of the next message. */
    final void stamp(long[] posted) {
        if (posted.length > 0) {
            posted[(int) counts.sent] = System.nanoTime();
        }
    }

    /** Counts something that has come back. */
    final void received() {
        counts.received++;
        if (clock.isSampling()) {
            counts.sampled++;
        }
    }
}
