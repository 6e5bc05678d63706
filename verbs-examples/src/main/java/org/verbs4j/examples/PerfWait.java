package org.verbs4j.examples;

import org.verbs4j.CompletionQueue;
import org.verbs4j.WorkCompletions;

import java.time.Duration;

/**
 * Waits for what a run waits for, by polling or asleep, and not for ever. Belongs to one thread.
 */
final class PerfWait {
    private final boolean events;
    private final Duration limit;
    private final BusyWait patience;
    private final RunClock clock;
    private final RunCounts counts;

    PerfWait(PerfPlan plan, RunClock clock, RunCounts counts) {
        this.events = plan.options().events;
        this.limit = plan.options().silenceLimit();
        this.patience = new BusyWait(limit);
        this.clock = clock;
        this.counts = counts;
    }

    /**
     * Waits for completions.
     *
     * @return how many, all successful; 0 when the time of the run is over
     */
    int take(CompletionQueue queue, WorkCompletions into) throws InterruptedException {
        int taken = queue.poll(into);
        if (taken == 0) {
            taken = events ? sleep(queue, into) : spin(queue, into);
        }
        for (int i = 0; i < taken; i++) {
            into.get(i).requireSuccess();
        }
        return taken;
    }

    private int sleep(CompletionQueue queue, WorkCompletions into) throws InterruptedException {
        int taken = queue.await(into, limit);
        if (taken == 0) {
            throw stalled();
        }
        return taken;
    }

    private int spin(CompletionQueue queue, WorkCompletions into) throws InterruptedException {
        renew();
        int taken = 0;
        while (taken == 0 && pause()) {
            taken = queue.poll(into);
        }
        return taken;
    }

    /** Something has happened. */
    void renew() {
        patience.reset();
    }

    /**
     * Between two looks that found nothing.
     *
     * @return false when the time of the run is over
     */
    boolean pause() throws InterruptedException {
        if (!patience.pause()) {
            throw stalled();
        }
        return !clock.hasEnded();
    }

    ToolFailure stalled() throws InterruptedException {
        if (Thread.interrupted()) {
            throw new InterruptedException();
        }
        return new ToolFailure(
                ("nothing has happened for %s (%d sent, %d received): the peer is gone, packets are"
                                + " lost, or it was called with another size, number, transport or"
                                + " tool")
                        .formatted(TimeLimits.text(limit), counts.sent, counts.received));
    }
}
