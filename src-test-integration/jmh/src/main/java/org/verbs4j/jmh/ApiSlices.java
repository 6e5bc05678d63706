package org.verbs4j.jmh;

import java.util.stream.IntStream;
import org.verbs4j.CompletionQueue;
import org.verbs4j.MemoryRegion;
import org.verbs4j.RcQueuePair;
import org.verbs4j.ReceiveRequest;
import org.verbs4j.RemoteBuffer;
import org.verbs4j.SendBatch;
import org.verbs4j.WorkCompletion;
import org.verbs4j.WorkCompletions;
import org.verbs4j.WorkOpcode;
import org.verbs4j.Write;

/** The operations as a program that uses {@code org.verbs4j} writes them. */
final class ApiSlices {
    private static final int PREPARED = 64;

    private final RcQueuePair pair;
    private final CompletionQueue queue;
    private final MemoryRegion region;
    private final RemoteBuffer remote;
    private final int length;
    private final Write[] writes;
    private final Write write;
    private final ReceiveRequest receive;
    private final WorkCompletions one = WorkCompletions.allocate(1);
    private final WorkCompletions many = WorkCompletions.allocate(PREPARED);

    ApiSlices(Loopback loopback) {
        pair = loopback.pair();
        queue = loopback.queue();
        region = loopback.region();
        remote = loopback.remote();
        length = loopback.length();
        writes = IntStream.range(0, PREPARED).mapToObj(i -> fill(pair.newWrite(), 0)).toArray(Write[]::new);
        write = writes[0];
        receive = pair.newReceive().into(region, 0, length);
    }

    private Write fill(Write request, long id) {
        return request.id(id).from(region, 0, length).to(remote, 0).signaled(true);
    }

    Slice of(Operation operation) {
        return switch (operation) {
            case POST -> this::post;
            case POLL_HIT -> this::pollHit;
            case POLL_EMPTY -> this::pollEmpty;
            case NOTIFY -> this::requestNotification;
            case RECEIVE -> this::postReceive;
            case PAIR, SYSCALL_PAIR -> this::pair;
            case FULL_PAIR -> this::fullPair;
            case BATCH_4, BATCH_16, BATCH_32 -> batchOf(operation.batch());
            case FILL -> this::fillMany;
            case READ -> readPolled();
        };
    }

    private static IllegalStateException failure() {
        return new IllegalStateException("an operation failed in the API's slice");
    }

    private long post(int operations) {
        for (int i = 0; i < operations; i++) {
            pair.post(write);
        }
        return operations;
    }

    private long postReceive(int operations) {
        for (int i = 0; i < operations; i++) {
            pair.post(receive);
        }
        return operations;
    }

    private long requestNotification(int operations) {
        for (int i = 0; i < operations; i++) {
            queue.requestNotification(false);
        }
        return operations;
    }

    private long pollHit(int operations) {
        long sum = 0;
        for (int i = 0; i < operations; i++) {
            if (queue.poll(one) != 1) {
                throw failure();
            }
            sum += successful(one.get(0)).wrId();
        }
        return sum;
    }

    private static WorkCompletion successful(WorkCompletion completion) {
        if (!completion.isSuccess()) {
            throw failure();
        }
        return completion;
    }

    private long pollEmpty(int operations) {
        int found = 0;
        for (int i = 0; i < operations; i++) {
            found += queue.poll(one);
        }
        if (found != 0) {
            throw failure();
        }
        return operations;
    }

    private WorkCompletion await() {
        while (queue.poll(one) == 0) {
            Thread.onSpinWait();
        }
        return successful(one.get(0));
    }

    private long pair(int operations) {
        long sum = 0;
        for (int i = 0; i < operations; i++) {
            pair.post(write.id(i));
            sum += await().wrId();
        }
        return sum;
    }

    private long fullPair(int operations) {
        long sum = 0;
        for (int i = 0; i < operations; i++) {
            pair.post(fill(write, i));
            sum += sum(await());
        }
        return sum;
    }

    /** Identifier, status, opcode as C counts it, and length. */
    private static long sum(WorkCompletion completion) {
        int opcode = completion.opcode() == WorkOpcode.WRITE ? 1 : 0;
        return completion.wrId() + completion.statusCode() + opcode + completion.byteLength();
    }

    private Slice batchOf(int size) {
        SendBatch batch = pair.newSendBatch(size);
        for (int i = 0; i < size; i++) {
            batch.add(writes[i]);
        }
        return operations -> batch(operations, batch, size);
    }

    private long batch(int operations, SendBatch batch, int size) {
        long sum = 0;
        for (int base = 0; base < operations; base += size) {
            for (int i = 0; i < size; i++) {
                writes[i].id(base + i);
            }
            pair.post(batch);
            for (int done = 0; done < size; ) {
                int count = queue.poll(many);
                for (int i = 0; i < count; i++) {
                    sum += successful(many.get(i)).wrId();
                }
                done += count;
            }
        }
        return sum;
    }

    private long fillMany(int operations) {
        for (int i = 0; i < operations; i++) {
            fill(writes[i & 63], i);
        }
        return operations;
    }

    /** Of completions polled beforehand. */
    private Slice readPolled() {
        if (queue.poll(many) != PREPARED) {
            throw failure();
        }
        return this::readMany;
    }

    private long readMany(int operations) {
        long sum = 0;
        for (int i = 0; i < operations; i++) {
            sum += sum(many.get(i & 63));
        }
        return sum;
    }
}
