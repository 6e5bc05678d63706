package org.verbs4j.examples;

import org.verbs4j.QueuePair;
import org.verbs4j.ReceiveRequest;
import org.verbs4j.SendRequest;

/** Ping-pong by SEND; the client begins. */
final class SendLatencyLoop extends LatencyLoop {
    private final QueuePair pair;
    private final SendRequest send;
    private final ReceiveRequest receive;
    private final long receiveLength;

    SendLatencyLoop(PerfPlan plan, PerfEnds ends, long size, RunClock clock, RunCounts counts) {
        super(plan, ends, clock, counts);
        this.pair = ends.pair(0);
        this.send = ends.newRequest(0, size, 0);
        this.receive = ends.newReceive(0, size, 0);
        this.receiveLength = size + ends.headroom();
    }

    @Override
    void prepare() {
        for (int i = 0; i < plan.receiveDepth(); i++) {
            pair.post(receive);
        }
    }

    @Override
    void run(long[] posted) throws InterruptedException {
        while ((counts.sent < limit || counts.received < limit) && !clock.hasEnded()) {
            boolean turn = counts.sent > 0 || !plan.isClient();
            if (turn && counts.received < limit && !receive()) {
                return;
            }
            if (counts.sent < limit && !clock.hasEnded()) {
                send(posted);
            }
        }
    }

    private boolean receive() throws InterruptedException {
        if (!await(ends.receives())) {
            return false;
        }
        requireLength(completion().byteLength());
        clock.start(); // both sides', as near as can be
        received();
        if (counts.received <= limit - plan.receiveDepth()) {
            pair.post(receive);
        }
        return true;
    }

    private void send(long[] posted) throws InterruptedException {
        stamp(posted);
        counts.sent++;
        boolean signaled = counts.sent % plan.moderation() == 0 || counts.sent == limit;
        pair.post(send.signaled(signaled));
        if (signaled) {
            await(ends.sends());
        }
    }

    /** C goes on, and reports a latency that was not there. */
    private void requireLength(long length) {
        if (length != receiveLength) {
            throw wrongLength(length - ends.headroom(), receiveLength - ends.headroom());
        }
    }

    static ToolFailure wrongLength(long theirs, long ours) {
        return new ToolFailure(
                "the peer sends messages of %d bytes and this side of %d: give both the same -s"
                        .formatted(theirs, ours));
    }
}
