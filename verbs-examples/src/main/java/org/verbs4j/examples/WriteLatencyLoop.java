package org.verbs4j.examples;

import org.verbs4j.QueuePair;
import org.verbs4j.SendRequest;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;

/**
 * Ping-pong by WRITE: each side waits until the last byte in its memory is the number of the
 * message. The server begins. As in C, that the device writes the last byte last is taken for
 * granted; {@link QueuePair#isDataInOrder} tells whether it promises that.
 */
final class WriteLatencyLoop extends LatencyLoop {
    private static final VarHandle BYTE = ValueLayout.JAVA_BYTE.varHandle();

    private final QueuePair pair;
    private final SendRequest write;
    private final MemorySegment memory;
    private final long lastSent;
    private final long lastReceived;

    WriteLatencyLoop(PerfPlan plan, PerfEnds ends, long size, RunClock clock, RunCounts counts) {
        super(plan, ends, clock, counts);
        this.pair = ends.pair(0);
        this.write = ends.newRequest(0, size, 0);
        this.memory = ends.buffer().segment();
        this.lastSent = size - 1;
        this.lastReceived = ends.receivedAt(0) + size - 1;
    }

    @Override
    void prepare() {
        // memory takes a write at any time
    }

    @Override
    void run(long[] posted) throws InterruptedException {
        clock.start();
        while ((counts.sent < limit || counts.received < limit) && !clock.hasEnded()) {
            boolean turn = counts.sent > 0 || plan.isClient();
            if (turn && counts.received < limit && !receive()) {
                return;
            }
            if (counts.sent < limit) {
                stamp(posted);
                counts.sent++;
                memory.set(ValueLayout.JAVA_BYTE, lastSent, (byte) counts.sent);
                pair.post(write);
                await(ends.sends());
            }
        }
    }

    private boolean receive() throws InterruptedException {
        byte expected = (byte) (counts.received + 1);
        wait.renew();
        while ((byte) BYTE.getAcquire(memory, lastReceived) != expected) {
            if (!wait.pause()) {
                return false;
            }
        }
        received();
        return true;
    }
}
