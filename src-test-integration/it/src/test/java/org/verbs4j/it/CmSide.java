package org.verbs4j.it;

import org.verbs4j.Access;
import org.verbs4j.CompletionQueue;
import org.verbs4j.DeviceContext;
import org.verbs4j.MemoryRegion;
import org.verbs4j.ProtectionDomain;
import org.verbs4j.RcQueuePair;
import org.verbs4j.WorkCompletion;
import org.verbs4j.WorkCompletions;

import java.time.Duration;

/** What one end of a connection needs beside the connection. */
final class CmSide implements AutoCloseable {
    private static final int BYTES = 4096;

    final ProtectionDomain domain;
    final CompletionQueue queue;
    final RcQueuePair pair;
    final MemoryRegion memory;
    final WorkCompletions completions = WorkCompletions.allocate(8);

    CmSide(DeviceContext context) {
        domain = context.newProtectionDomain();
        queue = context.newCompletionQueue(64);
        pair =
                domain.newRcQueuePair(queue, queue)
                        .remoteAccess(Access.REMOTE_WRITE, Access.REMOTE_READ)
                        .maxSendRequests(16)
                        .maxReceiveRequests(16)
                        .build();
        memory =
                domain.allocate(BYTES, Access.LOCAL_WRITE, Access.REMOTE_WRITE, Access.REMOTE_READ);
    }

    /** Waits for one completion, which must be a success. */
    WorkCompletion await() {
        WorkCompletion completion = awaitAny();
        completion.requireSuccess();
        return completion;
    }

    WorkCompletion awaitAny() {
        long end = System.nanoTime() + TestPlace.limit(Duration.ofSeconds(20)).toNanos();
        WorkCompletions one = WorkCompletions.allocate(1);
        for (int empty = 0; queue.poll(one) == 0; empty++) {
            Thread.yield();
            if (empty % 100 == 0 && System.nanoTime() - end > 0) {
                throw new AssertionError("no completion on " + pair);
            }
        }
        return one.get(0);
    }

    void receive(long id, int offset, int length) {
        pair.post(pair.newReceive().id(id).into(memory, offset, length));
    }

    void send(long id, int offset, int length) {
        pair.post(pair.newSend().id(id).signaled(true).from(memory, offset, length));
    }

    @Override
    public void close() {
        pair.close();
        memory.close();
        queue.close();
        domain.close();
    }
}
