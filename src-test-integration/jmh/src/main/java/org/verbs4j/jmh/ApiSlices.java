package org.verbs4j.jmh;

import org.verbs4j.CompletionQueue;
import org.verbs4j.MemoryRegion;
import org.verbs4j.RcQueuePair;
import org.verbs4j.ReceiveRequest;
import org.verbs4j.RemoteBuffer;
import org.verbs4j.SendBatch;
import org.verbs4j.WorkCompletion;
import org.verbs4j.WorkCompletions;
import org.verbs4j.Write;

import java.util.stream.IntStream;

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
        writes =
                IntStream.range(0, PREPARED)
                        .mapToObj(i -> fill(pair.newWrite(), 0))
                        .toArray(Write[]::new);
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
        RcQueuePair to = pair;
        Write request = write;
        for (int i = 0; i < operations; i++) {
            to.post(request);
        }
        return operations;
    }

    private long postReceive(int operations) {
        RcQueuePair to = pair;
        ReceiveRequest request = receive;
        for (int i = 0; i < operations; i++) {
            to.post(request);
        }
        return operations;
    }

    private long requestNotification(int operations) {
        CompletionQueue of = queue;
        for (int i = 0; i < operations; i++) {
            of.requestNotification(false);
        }
        return operations;
    }

    private long pollHit(int operations) {
        CompletionQueue from = queue;
        WorkCompletions done = one;
        long sum = 0;
        for (int i = 0; i < operations; i++) {
            if (from.poll(done) != 1) {
                throw failure();
            }
            sum += successful(done.get(0)).wrId();
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
        CompletionQueue from = queue;
        WorkCompletions done = one;
        int found = 0;
        for (int i = 0; i < operations; i++) {
            found += from.poll(done);
        }
        if (found != 0) {
            throw failure();
        }
        return operations;
    }

    private static WorkCompletion await(CompletionQueue from, WorkCompletions done) {
        while (from.poll(done) == 0) {
            Thread.onSpinWait();
        }
        return successful(done.get(0));
    }

    private long pair(int operations) {
        RcQueuePair to = pair;
        CompletionQueue from = queue;
        Write request = write;
        WorkCompletions done = one;
        long sum = 0;
        for (int i = 0; i < operations; i++) {
            to.post(request.id(i));
            sum += await(from, done).wrId();
        }
        return sum;
    }

    private long fullPair(int operations) {
        RcQueuePair to = pair;
        CompletionQueue from = queue;
        Write request = write;
        WorkCompletions done = one;
        MemoryRegion memory = region;
        RemoteBuffer target = remote;
        long sum = 0;
        for (int i = 0; i < operations; i++) {
            to.post(request.id(i).from(memory, 0, length).to(target, 0).signaled(true));
            sum += sum(await(from, done));
        }
        return sum;
    }

    /** Identifier, status, opcode and length, the numbers that C has. */
    private static long sum(WorkCompletion completion) {
        return completion.wrId()
                + completion.statusCode()
                + completion.opcodeCode()
                + completion.byteLength();
    }

    private Slice batchOf(int size) {
        SendBatch batch = pair.newSendBatch(size);
        for (int i = 0; i < size; i++) {
            batch.add(writes[i]);
        }
        return operations -> batch(operations, batch, size);
    }

    private long batch(int operations, SendBatch batch, int size) {
        RcQueuePair to = pair;
        CompletionQueue from = queue;
        WorkCompletions done = many;
        Write[] requests = writes;
        long sum = 0;
        for (int base = 0; base < operations; base += size) {
            for (int i = 0; i < size; i++) {
                requests[i].id(base + i);
            }
            to.post(batch);
            for (int taken = 0; taken < size; ) {
                int count = from.poll(done);
                for (int i = 0; i < count; i++) {
                    sum += successful(done.get(i)).wrId();
                }
                taken += count;
            }
        }
        return sum;
    }

    private long fillMany(int operations) {
        Write[] requests = writes;
        for (int i = 0; i < operations; i++) {
            fill(requests[i & 63], i);
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
        WorkCompletions done = many;
        long sum = 0;
        for (int base = 0; base < operations; base += PREPARED) {
            for (int i = 0; i < PREPARED; i++) {
                sum += sum(done.get(i));
            }
        }
        return sum;
    }
}
