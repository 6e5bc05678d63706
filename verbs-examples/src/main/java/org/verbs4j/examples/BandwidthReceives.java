package org.verbs4j.examples;

import org.verbs4j.ReceiveRequest;
import org.verbs4j.WorkCompletion;
import org.verbs4j.WorkCompletions;

/**
 * The receiving part of a bandwidth test: each receive that a message has used up is posted again.
 * Nothing is allocated per message. Belongs to one thread.
 */
final class BandwidthReceives {
    private static final int AT_ONCE = 16;

    private final PerfPlan plan;
    private final PerfEnds ends;
    private final RunClock clock;
    private final RunCounts counts;
    private final long limit;
    private final long length;
    private final ReceiveRequest[][] rings;
    private final long[] posted;
    private final WorkCompletions completions = WorkCompletions.allocate(AT_ONCE);

    /** Posts the first receives: the peer may send afterwards. */
    BandwidthReceives(PerfPlan plan, PerfEnds ends, long size, RunClock clock, RunCounts counts) {
        this.plan = plan;
        this.ends = ends;
        this.clock = clock;
        this.counts = counts;
        this.limit = plan.isTimed() ? Long.MAX_VALUE : plan.iterations();
        this.length = size + ends.headroom();
        this.rings = new ReceiveRequest[ends.count()][];
        this.posted = new long[ends.count()];
        for (int i = 0; i < rings.length; i++) {
            rings[i] = ring(i, size);
            for (int k = 0; k < plan.receiveDepth(); k++) {
                post(i);
            }
        }
    }

    private ReceiveRequest[] ring(int index, long size) {
        PerfPath path = ends.path();
        int slots = ends.headroom() == 0 ? path.slots(size) : 1;
        ReceiveRequest[] ring = new ReceiveRequest[slots];
        for (int i = 0; i < slots; i++) {
            ring[i] = ends.newReceive(index, size, i * path.stride(size));
        }
        return ring;
    }

    private void post(int index) {
        ReceiveRequest[] ring = rings[index];
        ends.pair(index).post(ring[(int) (posted[index]++ % ring.length)]);
    }

    /**
     * Takes messages.
     *
     * @return how many
     */
    int take() {
        int taken = ends.receives().poll(completions);
        for (int i = 0; i < taken; i++) {
            WorkCompletion completion = completions.get(i);
            completion.requireSuccess();
            if (completion.byteLength() != length) {
                throw SendLatencyLoop.wrongLength(
                        completion.byteLength() - ends.headroom(), length - ends.headroom());
            }
            int index = (int) completion.wrId();
            if (posted[index] < limit) {
                post(index);
            }
        }
        counts.received += taken;
        if (clock.isSampling()) {
            counts.sampled += taken;
        }
        return taken;
    }

    boolean isDone() {
        return !plan.isTimed() && counts.received == limit * rings.length;
    }
}
