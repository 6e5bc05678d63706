package org.verbs4j.examples;

import org.verbs4j.QueuePair;
import org.verbs4j.SendRequest;

/** READs or atomics, of the client only, one after the other. */
final class RoundTripLoop extends LatencyLoop {
    private final QueuePair pair;
    private final SendRequest request;

    RoundTripLoop(PerfPlan plan, PerfEnds ends, long size, RunClock clock, RunCounts counts) {
        super(plan, ends, clock, counts);
        this.pair = ends.pair(0);
        this.request = ends.newRequest(0, size, 0);
    }

    @Override
    void prepare() {
        // the peer's program takes no part
    }

    @Override
    void run(long[] posted) throws InterruptedException {
        clock.start();
        while (counts.sent < limit && !clock.hasEnded()) {
            stamp(posted);
            counts.sent++;
            pair.post(request);
            if (!await(ends.sends())) {
                return;
            }
            received();
        }
    }
}
