package org.verbs4j.jmh;

import org.verbs4j.bindings.DataPath;

import java.lang.foreign.Arena;

/** The operations over {@code org.verbs4j.bindings} and raw memory: no object, no check. */
final class BindingsSlices {
    private static final int MAX_BATCH = 64;

    private final long pair;
    private final long queue;
    private final long postSend;
    private final long postReceive;
    private final long poll;
    private final long notify;
    private final long local;
    private final int length;
    private final int lkey;
    private final long remote;
    private final int rkey;
    private final long requests;
    private final long gather;
    private final long receive;
    private final long completions;
    private final long bad;

    BindingsSlices(Arena arena, Loopback loopback) {
        long context = loopback.context().handle().address();
        pair = loopback.pair().handle().address();
        queue = loopback.queue().handle().address();
        postSend = DataPath.postSendFunction(context);
        postReceive = DataPath.postRecvFunction(context);
        poll = DataPath.pollCqFunction(context);
        notify = DataPath.reqNotifyCqFunction(context);
        local = loopback.region().address();
        length = loopback.length();
        lkey = loopback.region().lkey();
        remote = loopback.remote().address();
        rkey = loopback.remote().rkey();
        requests = Raw.allocate(arena, MAX_BATCH * Raw.REQUEST_SIZE).address();
        gather = Raw.allocate(arena, MAX_BATCH * Raw.SGE_SIZE).address();
        receive = Raw.receive(arena, local, length, lkey);
        completions = Raw.allocate(arena, MAX_BATCH * Raw.COMPLETION_SIZE).address();
        bad = Raw.allocate(arena, Long.BYTES).address();
        for (int i = 0; i < MAX_BATCH; i++) {
            fill(i, 0);
        }
    }

    private void fill(int index, long id) {
        Raw.write(
                requests + index * Raw.REQUEST_SIZE,
                gather + index * Raw.SGE_SIZE,
                id,
                local,
                length,
                lkey,
                remote,
                rkey);
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
            case BATCH_4, BATCH_16, BATCH_32 -> operations -> batch(operations, operation.batch());
            case FILL -> this::fillMany;
            case READ -> readPolled();
        };
    }

    /** The post plain, as on a provider whose post enters the kernel; the poll critical. */
    Slice plainPostOf(Operation operation) {
        return switch (operation) {
            case POST -> this::plainPost;
            case PAIR, SYSCALL_PAIR -> this::plainPair;
            default -> throw new IllegalArgumentException(operation + " has no plain twin");
        };
    }

    private static IllegalStateException failure() {
        return new IllegalStateException("an operation failed in the bindings' slice");
    }

    private long post(int operations) {
        long function = postSend;
        long qp = pair;
        long request = requests;
        long slot = bad;
        for (int i = 0; i < operations; i++) {
            if (DataPath.postSendCritical(function, qp, request, slot) != 0) {
                throw failure();
            }
        }
        return operations;
    }

    private long plainPost(int operations) {
        long function = postSend;
        long qp = pair;
        long request = requests;
        long slot = bad;
        for (int i = 0; i < operations; i++) {
            if (DataPath.postSend(function, qp, request, slot) != 0) {
                throw failure();
            }
        }
        return operations;
    }

    private long postReceive(int operations) {
        long function = postReceive;
        long qp = pair;
        long request = receive;
        long slot = bad;
        for (int i = 0; i < operations; i++) {
            if (DataPath.postRecvCritical(function, qp, request, slot) != 0) {
                throw failure();
            }
        }
        return operations;
    }

    private long requestNotification(int operations) {
        long function = notify;
        long cq = queue;
        for (int i = 0; i < operations; i++) {
            if (DataPath.reqNotifyCqCritical(function, cq, 0) != 0) {
                throw failure();
            }
        }
        return operations;
    }

    private long pollHit(int operations) {
        long function = poll;
        long cq = queue;
        long completion = completions;
        long sum = 0;
        for (int i = 0; i < operations; i++) {
            if (DataPath.pollCqCritical(function, cq, 1, completion) != 1
                    || Raw.status(completion) != 0) {
                throw failure();
            }
            sum += Raw.completedId(completion);
        }
        return sum;
    }

    private long pollEmpty(int operations) {
        long function = poll;
        long cq = queue;
        long completion = completions;
        int found = 0;
        for (int i = 0; i < operations; i++) {
            found += DataPath.pollCqCritical(function, cq, 1, completion);
        }
        if (found != 0) {
            throw failure();
        }
        return operations;
    }

    private static int await(long function, long cq, int wanted, long completions) {
        int count;
        do {
            count = DataPath.pollCqCritical(function, cq, wanted, completions);
        } while (count == 0);
        return count;
    }

    private long pair(int operations) {
        long send = postSend;
        long take = poll;
        long qp = pair;
        long cq = queue;
        long request = requests;
        long completion = completions;
        long slot = bad;
        long sum = 0;
        for (int i = 0; i < operations; i++) {
            Raw.id(request, i);
            if (DataPath.postSendCritical(send, qp, request, slot) != 0
                    || await(take, cq, 1, completion) != 1
                    || Raw.status(completion) != 0) {
                throw failure();
            }
            sum += Raw.completedId(completion);
        }
        return sum;
    }

    private long plainPair(int operations) {
        long send = postSend;
        long take = poll;
        long qp = pair;
        long cq = queue;
        long request = requests;
        long completion = completions;
        long slot = bad;
        long sum = 0;
        for (int i = 0; i < operations; i++) {
            Raw.id(request, i);
            if (DataPath.postSend(send, qp, request, slot) != 0
                    || await(take, cq, 1, completion) != 1
                    || Raw.status(completion) != 0) {
                throw failure();
            }
            sum += Raw.completedId(completion);
        }
        return sum;
    }

    private long fullPair(int operations) {
        long send = postSend;
        long take = poll;
        long qp = pair;
        long cq = queue;
        long request = requests;
        long sge = gather;
        long completion = completions;
        long slot = bad;
        long sum = 0;
        for (int i = 0; i < operations; i++) {
            Raw.write(request, sge, i, local, length, lkey, remote, rkey);
            if (DataPath.postSendCritical(send, qp, request, slot) != 0
                    || await(take, cq, 1, completion) != 1
                    || Raw.status(completion) != 0) {
                throw failure();
            }
            sum += Raw.sum(completion);
        }
        return sum;
    }

    private long batch(int operations, int size) {
        link(size);
        long sum = 0;
        for (int base = 0; base < operations; base += size) {
            for (int i = 0; i < size; i++) {
                Raw.id(requests + i * Raw.REQUEST_SIZE, base + i);
            }
            if (DataPath.postSendCritical(postSend, pair, requests, bad) != 0) {
                throw failure();
            }
            for (int done = 0; done < size; ) {
                int count = await(poll, queue, size, completions);
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

    private void link(int size) {
        for (int i = 0; i < size; i++) {
            long request = requests + i * Raw.REQUEST_SIZE;
            Raw.next(request, i + 1 < size ? request + Raw.REQUEST_SIZE : 0);
        }
    }

    private long fillMany(int operations) {
        for (int i = 0; i < operations; i++) {
            fill(i & 63, i);
        }
        return operations;
    }

    /** Of completions polled beforehand. */
    private Slice readPolled() {
        if (DataPath.pollCqCritical(poll, queue, MAX_BATCH, completions) != MAX_BATCH) {
            throw failure();
        }
        return this::readMany;
    }

    private long readMany(int operations) {
        long first = completions;
        long sum = 0;
        for (int base = 0; base < operations; base += MAX_BATCH) {
            for (int i = 0; i < MAX_BATCH; i++) {
                sum += Raw.sum(first + i * Raw.COMPLETION_SIZE);
            }
        }
        return sum;
    }
}
