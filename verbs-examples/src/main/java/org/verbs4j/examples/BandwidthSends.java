package org.verbs4j.examples;

import org.verbs4j.QueuePair;
import org.verbs4j.SendBatch;
import org.verbs4j.SendRequest;
import org.verbs4j.WorkCompletion;
import org.verbs4j.WorkCompletions;

/**
 * The sending part of a bandwidth test: keeps the send queue of each queue pair full. Requests are
 * made beforehand, one for each place that a message goes round, or as lists. Nothing is allocated
 * per message. Belongs to one thread.
 */
final class BandwidthSends {
    private static final int AT_ONCE = 16;

    private final PerfPlan plan;
    private final PerfEnds ends;
    private final RunClock clock;
    private final RunCounts counts;
    private final long limit;
    private final int list;
    private final int moderation;
    private final SendRequest[][] rings;
    private final SendBatch[] batches;
    private final long[] sent;
    private final long[] completed;
    private final WorkCompletions completions = WorkCompletions.allocate(AT_ONCE);

    /** When each message was posted and when it was known to be complete, for the peak. */
    private final long[] postedAt;

    private final long[] completedAt;
    private long allCompleted;

    BandwidthSends(PerfPlan plan, PerfEnds ends, long size, RunClock clock, RunCounts counts) {
        this.plan = plan;
        this.ends = ends;
        this.clock = clock;
        this.counts = counts;
        this.limit = plan.isTimed() ? Long.MAX_VALUE : plan.iterations();
        this.list = plan.options().postList;
        this.moderation = plan.moderation();
        int pairs = ends.count();
        this.sent = new long[pairs];
        this.completed = new long[pairs];
        this.rings = new SendRequest[pairs][];
        this.batches = new SendBatch[list > 1 ? pairs : 0];
        int stamps = plan.peak() ? plan.iterations() * pairs : 0;
        this.postedAt = new long[stamps];
        this.completedAt = new long[stamps];
        for (int i = 0; i < pairs; i++) {
            rings[i] = ring(i, size);
            if (list > 1) {
                batches[i] = batch(ends.pair(i), rings[i]);
            }
        }
    }

    private SendRequest[] ring(int index, long size) {
        PerfPath path = ends.path();
        int slots = path.slots(size);
        SendRequest[] ring = new SendRequest[list > 1 ? list : slots];
        for (int i = 0; i < ring.length; i++) {
            ring[i] = ends.newRequest(index, size, i % slots * path.stride(size));
        }
        return ring;
    }

    private SendBatch batch(QueuePair pair, SendRequest[] requests) {
        SendBatch batch = pair.newSendBatch(list);
        for (int i = 0; i < list; i++) {
            batch.add(requests[i].signaled((i + 1) % moderation == 0));
        }
        return batch;
    }

    /** Posts as much as there is room for, on every queue pair. */
    void post() {
        for (int i = 0; i < rings.length; i++) {
            while (sent[i] < limit
                    && sent[i] - completed[i] + list <= plan.sendDepth()
                    && !clock.hasEnded()) {
                post(i);
            }
        }
    }

    private void post(int index) {
        if (postedAt.length > 0) {
            postedAt[(int) counts.sent] = System.nanoTime();
        }
        if (list > 1) {
            ends.pair(index).post(batches[index]);
        } else {
            SendRequest[] ring = rings[index];
            long number = sent[index];
            SendRequest request = ring[(int) (number % ring.length)];
            boolean signaled = number % moderation == moderation - 1 || number == limit - 1;
            ends.pair(index).post(request.signaled(signaled));
        }
        sent[index] += list;
        counts.sent += list;
    }

    /**
     * Takes completions.
     *
     * @return how many
     */
    int complete() {
        int taken = ends.sends().poll(completions);
        for (int i = 0; i < taken; i++) {
            WorkCompletion completion = completions.get(i);
            completion.requireSuccess();
            complete((int) completion.wrId());
        }
        return taken;
    }

    private void complete(int index) {
        long messages = Math.min(moderation, sent[index] - completed[index]);
        completed[index] += messages;
        allCompleted += messages;
        if (clock.isSampling()) {
            counts.sampled += messages;
        }
        if (completedAt.length > 0) {
            completedAt[(int) allCompleted - 1] = System.nanoTime();
        }
    }

    /** Whether everything has been sent, and is known to be. */
    boolean isDone() {
        return !plan.isTimed() && allCompleted == limit * rings.length;
    }

    /** Nanoseconds of a message in the best stretch; 0 when that is not looked for. */
    double peakNanos() {
        double best = 0;
        for (int last = 0; last < completedAt.length; last++) {
            if (completedAt[last] != 0) {
                best = better(best, last);
            }
        }
        return best;
    }

    private double better(double before, int last) {
        double best = before;
        for (int first = 0; first <= last; first += list) {
            double each = (double) (completedAt[last] - postedAt[first]) / (last - first + 1);
            if (each > 0 && (best == 0 || each < best)) {
                best = each;
            }
        }
        return best;
    }
}
