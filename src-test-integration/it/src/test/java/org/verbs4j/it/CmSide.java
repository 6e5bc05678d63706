package org.verbs4j.it;

import static org.assertj.core.api.Assertions.assertThat;

import org.verbs4j.Access;
import org.verbs4j.CompletionQueue;
import org.verbs4j.DeviceContext;
import org.verbs4j.MemoryRegion;
import org.verbs4j.ProtectionDomain;
import org.verbs4j.RcQueuePair;
import org.verbs4j.WorkCompletions;
import org.verbs4j.WorkStatus;

/** What one end of a connection needs beside the connection. */
final class CmSide implements AutoCloseable {
    /** So many receives it takes at a time. */
    static final int RECEIVES = 16;

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
                        .maxReceiveRequests(RECEIVES)
                        .build();
        memory =
                domain.allocate(BYTES, Access.LOCAL_WRITE, Access.REMOTE_WRITE, Access.REMOTE_READ);
    }

    /** Waits for one completion, which must be a success. */
    Done await() {
        Done done = awaitAny();
        assertThat(done.status()).isEqualTo(WorkStatus.SUCCESS);
        return done;
    }

    /** Waits for one completion. */
    Done awaitAny() {
        return Waits.completions(queue, 1).getFirst();
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
