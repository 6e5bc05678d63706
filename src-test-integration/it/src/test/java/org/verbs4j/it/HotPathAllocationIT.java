package org.verbs4j.it;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.verbs4j.ReceiveRequest;
import org.verbs4j.RemoteBuffer;
import org.verbs4j.Send;
import org.verbs4j.SendBatch;
import org.verbs4j.WorkCompletion;
import org.verbs4j.WorkCompletions;
import org.verbs4j.WorkOpcode;
import org.verbs4j.Write;

import java.lang.foreign.ValueLayout;

/** Not one byte of garbage for a message, counted by the virtual machine for this thread. */
class HotPathAllocationIT {
    private static final int FULL = 1_000_000;
    private static final int WARM_UP = 30_000;
    private static final int BATCH = 16;
    private static final int QUICK = 10;

    private long sum;

    private static int messages() {
        return TestPlace.timeScale() >= QUICK ? FULL / QUICK : FULL;
    }

    @Test
    void aMillionWritesAndPollsAllocateNothing() {
        try (RdmaPair pair = RdmaPair.onOneDevice()) {
            RdmaPair.Side left = pair.left;
            RemoteBuffer there = pair.right.memory.remote();
            Write write = left.pair.newWrite();
            WorkCompletions completions = WorkCompletions.allocate(BATCH);
            Garbage.assertNone(
                    "post and poll of writes",
                    WARM_UP,
                    messages(),
                    count -> writes(left, write, there, completions, count));
            assertThat(sum).isPositive();
        }
    }

    @SuppressWarnings("ThreadPriorityCheck") // the device may need this processor
    private void writes(
            RdmaPair.Side left,
            Write write,
            RemoteBuffer there,
            WorkCompletions completions,
            int count) {
        for (int i = 0; i < count; i++) {
            long offset = (i & 1023) * 64L;
            left.pair.post(
                    write.id(i)
                            .from(left.memory, offset, 64)
                            .to(there, offset)
                            .inline((i & 1) == 0));
            while (left.queue.poll(completions) == 0) {
                Thread.yield();
            }
            take(completions.get(0), WorkOpcode.WRITE);
        }
    }

    private void take(WorkCompletion completion, WorkOpcode expected) {
        completion.requireSuccess();
        if (completion.opcode() != expected) {
            throw new AssertionError(completion);
        }
        sum += completion.wrId() + completion.byteLength() + completion.queuePairNumber();
    }

    @Test
    void messagesWithImmediateAndTheirReceivesAllocateNothing() {
        try (RdmaPair pair = RdmaPair.onOneDevice()) {
            Send send = pair.left.pair.newSend();
            ReceiveRequest receive = pair.right.pair.newReceive();
            WorkCompletions completions = WorkCompletions.allocate(BATCH);
            Garbage.assertNone(
                    "post and poll of sends and receives",
                    WARM_UP,
                    messages() / QUICK,
                    count -> sends(pair, send, receive, completions, count));
        }
    }

    private void sends(
            RdmaPair pair,
            Send send,
            ReceiveRequest receive,
            WorkCompletions completions,
            int count) {
        for (int i = 0; i < count; i++) {
            long offset = (i & 1023) * 64L;
            pair.right.pair.post(receive.id(i).into(pair.right.memory, offset, 64));
            pair.left.memory.segment().set(ValueLayout.JAVA_INT, offset, i);
            pair.left.pair.post(send.id(i).from(pair.left.memory, offset, 8).immediate(i));
            drain(pair.left, completions, 1);
            drain(pair.right, completions, 1);
            WorkCompletion received = completions.get(0);
            if (received.immediate() != i) {
                throw new AssertionError(received);
            }
        }
    }

    @Test
    void batchesAllocateNothing() {
        try (RdmaPair pair = RdmaPair.onOneDevice()) {
            RemoteBuffer there = pair.right.memory.remote();
            SendBatch batch = pair.left.pair.newSendBatch(BATCH);
            Write[] writes = new Write[BATCH];
            for (int i = 0; i < BATCH; i++) {
                writes[i] =
                        pair.left
                                .pair
                                .newWrite()
                                .from(pair.left.memory, i * 64L, 64)
                                .to(there, i * 64L);
            }
            WorkCompletions completions = WorkCompletions.allocate(BATCH);
            Garbage.assertNone(
                    "batches of " + BATCH,
                    WARM_UP * 4,
                    messages() / QUICK,
                    count -> batches(pair.left, batch, writes, completions, count / BATCH));
        }
    }

    private void batches(
            RdmaPair.Side left,
            SendBatch batch,
            Write[] writes,
            WorkCompletions completions,
            int rounds) {
        for (int round = 0; round < rounds; round++) {
            batch.clear();
            for (Write write : writes) {
                batch.add(write.id(round));
            }
            left.pair.post(batch);
            drain(left, completions, BATCH);
        }
    }

    @SuppressWarnings("ThreadPriorityCheck") // the device may need this processor
    private void drain(RdmaPair.Side side, WorkCompletions completions, int count) {
        int taken = 0;
        while (taken < count) {
            int now = side.queue.poll(completions);
            for (int i = 0; i < now; i++) {
                completions.get(i).requireSuccess();
            }
            taken += now;
            if (now == 0) {
                Thread.yield();
            }
        }
    }
}
