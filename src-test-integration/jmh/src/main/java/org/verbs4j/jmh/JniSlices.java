package org.verbs4j.jmh;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.foreign.Arena;
import java.util.Optional;

/**
 * The operations through {@link JniVerbs}, requests and completions in raw memory as DiSNI keeps
 * them.
 */
final class JniSlices {
    private static final int MAX_BATCH = 64;

    private final JniVerbs verbs = new JniVerbs();
    private final long pair;
    private final long queue;
    private final long local;
    private final int length;
    private final int lkey;
    private final long remote;
    private final int rkey;
    private final long requests;
    private final long gather;
    private final long receive;
    private final long completions;

    JniSlices(Arena arena, Loopback loopback) {
        pair = loopback.pair().handle().address();
        queue = loopback.queue().handle().address();
        local = loopback.region().address();
        length = loopback.length();
        lkey = loopback.region().lkey();
        remote = loopback.remote().address();
        rkey = loopback.remote().rkey();
        requests = Raw.allocate(arena, MAX_BATCH * Raw.REQUEST_SIZE).address();
        gather = Raw.allocate(arena, MAX_BATCH * Raw.SGE_SIZE).address();
        receive = Raw.receive(arena, local, length, lkey);
        completions = Raw.allocate(arena, MAX_BATCH * Raw.COMPLETION_SIZE).address();
        for (int i = 0; i < MAX_BATCH; i++) {
            long request = requests + i * Raw.REQUEST_SIZE;
            Raw.write(request, gather + i * Raw.SGE_SIZE, 0, local, length, lkey, remote, rkey);
        }
    }

    /** Empty for what needs no call. */
    Optional<Slice> of(Operation operation) {
        return switch (operation) {
            case POST -> Optional.of(this::post);
            case POLL_HIT -> Optional.of(this::pollHit);
            case POLL_EMPTY -> Optional.of(this::pollEmpty);
            case NOTIFY -> Optional.of(this::requestNotification);
            case RECEIVE -> Optional.of(this::postReceive);
            case PAIR, SYSCALL_PAIR -> Optional.of(this::pair);
            case FULL_PAIR -> Optional.of(this::fullPair);
            case BATCH_4, BATCH_16, BATCH_32 ->
                    Optional.of(operations -> batch(operations, operation.batch()));
            case FILL, READ -> Optional.empty();
        };
    }

    private static IllegalStateException failure() {
        return new IllegalStateException("an operation failed in the JNI slice");
    }

    private void postSend(long qp, long request) {
        try {
            verbs.postSend(qp, request);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private void postReceive(long qp, long request) {
        try {
            verbs.postReceive(qp, request);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private int poll(long cq, int wanted, long completion) {
        try {
            return verbs.poll(cq, wanted, completion);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private int arm(long cq) {
        try {
            return verbs.requestNotification(cq);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private long post(int operations) {
        long qp = pair;
        long request = requests;
        for (int i = 0; i < operations; i++) {
            postSend(qp, request);
        }
        return operations;
    }

    private long postReceive(int operations) {
        long qp = pair;
        long request = receive;
        for (int i = 0; i < operations; i++) {
            postReceive(qp, request);
        }
        return operations;
    }

    private long requestNotification(int operations) {
        long cq = queue;
        for (int i = 0; i < operations; i++) {
            if (arm(cq) != 0) {
                throw failure();
            }
        }
        return operations;
    }

    private long pollHit(int operations) {
        long cq = queue;
        long completion = completions;
        long sum = 0;
        for (int i = 0; i < operations; i++) {
            if (poll(cq, 1, completion) != 1 || Raw.status(completion) != 0) {
                throw failure();
            }
            sum += Raw.completedId(completion);
        }
        return sum;
    }

    private long pollEmpty(int operations) {
        long cq = queue;
        long completion = completions;
        int found = 0;
        for (int i = 0; i < operations; i++) {
            found += poll(cq, 1, completion);
        }
        if (found != 0) {
            throw failure();
        }
        return operations;
    }

    private int await(long cq, int wanted, long completions) {
        int count;
        do {
            count = poll(cq, wanted, completions);
        } while (count == 0);
        return count;
    }

    private long pair(int operations) {
        long qp = pair;
        long cq = queue;
        long request = requests;
        long completion = completions;
        long sum = 0;
        for (int i = 0; i < operations; i++) {
            Raw.id(request, i);
            postSend(qp, request);
            if (await(cq, 1, completion) != 1 || Raw.status(completion) != 0) {
                throw failure();
            }
            sum += Raw.completedId(completion);
        }
        return sum;
    }

    private long fullPair(int operations) {
        long qp = pair;
        long cq = queue;
        long request = requests;
        long sge = gather;
        long completion = completions;
        long sum = 0;
        for (int i = 0; i < operations; i++) {
            Raw.write(request, sge, i, local, length, lkey, remote, rkey);
            postSend(qp, request);
            if (await(cq, 1, completion) != 1 || Raw.status(completion) != 0) {
                throw failure();
            }
            sum += Raw.sum(completion);
        }
        return sum;
    }

    private long batch(int operations, int size) {
        for (int i = 0; i < size; i++) {
            long request = requests + i * Raw.REQUEST_SIZE;
            Raw.next(request, i + 1 < size ? request + Raw.REQUEST_SIZE : 0);
        }
        long sum = 0;
        for (int base = 0; base < operations; base += size) {
            for (int i = 0; i < size; i++) {
                Raw.id(requests + i * Raw.REQUEST_SIZE, base + i);
            }
            postSend(pair, requests);
            for (int done = 0; done < size; ) {
                int count = await(queue, size, completions);
                if (count < 0) {
                    throw failure();
                }
                sum += Raw.sumOfIds(completions, count);
                done += count;
            }
        }
        Raw.next(requests, 0);
        return sum;
    }
}
