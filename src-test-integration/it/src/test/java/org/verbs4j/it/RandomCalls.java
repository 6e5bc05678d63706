package org.verbs4j.it;

import org.verbs4j.ConnectOptions;
import org.verbs4j.ConnectedQueuePair;
import org.verbs4j.Gid;
import org.verbs4j.MemoryRegion;
import org.verbs4j.MemoryWindow;
import org.verbs4j.Mtu;
import org.verbs4j.QueuePair;
import org.verbs4j.QueuePairAttributes;
import org.verbs4j.QueuePairState;
import org.verbs4j.RcQueuePair;
import org.verbs4j.ReceiveBatch;
import org.verbs4j.ReceiveQueue;
import org.verbs4j.ReceiveRequest;
import org.verbs4j.RemoteBuffer;
import org.verbs4j.SendBatch;
import org.verbs4j.SendRequest;
import org.verbs4j.UcQueuePair;
import org.verbs4j.UdQueuePair;
import org.verbs4j.WorkCompletions;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * Steps that post, poll, change and ask with random arguments, right and wrong, on whatever objects
 * there are.
 */
class RandomCalls extends RandomObjects {
    private static final int MOST_REQUESTS = 16;

    private static final Duration[] WAITS = {
        Duration.ofSeconds(-1), Duration.ZERO, Duration.ofNanos(1), Duration.ofMillis(1)
    };

    /** A request, and where it was made. */
    private record Sending(QueuePair pair, SendRequest request) {}

    private record Receiving(ReceiveQueue queue, ReceiveRequest request) {}

    private final List<Sending> sends = new ArrayList<>();
    private final List<Receiving> receives = new ArrayList<>();

    RandomCalls(long seed) {
        super(seed);
        add(12, "make send", this::makeSend);
        add(6, "make receive", this::makeReceive);
        add(30, "send", this::send);
        add(4, "send batch", this::sendBatch);
        add(15, "receive", this::receive);
        add(2, "receive batch", this::receiveBatch);
        add(20, "poll", this::poll);
        add(3, "arm", () -> any(queues).requestNotification(random.nextBoolean()));
        add(2, "await", () -> any(queues).await(WorkCompletions.allocate(2), any(WAITS)));
        add(2, "await channel", () -> any(channels).await(any(WAITS)));
        add(20, "connect", this::connect);
        addChanges();
        addQuestions();
    }

    private void addChanges() {
        add(6, "modify", () -> any(pairs).modify(attributes()));
        add(2, "reset", () -> any(pairs).reset());
        add(2, "init", () -> any(pairs).moveToInit());
        add(2, "error", () -> any(pairs).moveToError());
        add(1, "drain", () -> any(pairs).drain());
        add(1, "resume", () -> any(pairs).resume());
        add(1, "arm limit", () -> any(sharedQueues).armLimit(small()));
        add(1, "resize", () -> any(sharedQueues).resize(small()));
        add(3, "bind", this::bind);
        add(1, "unbind", () -> any(windows).unbind(any(pairs), random.nextLong()));
        add(2, "multicast", this::multicast);
    }

    private void addQuestions() {
        add(2, "query", () -> any(pairs).query());
        add(1, "query shared", () -> any(sharedQueues).query());
        add(1, "gid", () -> any(contexts).port(small()).gid(small()));
        add(1, "partition key", () -> any(contexts).port(1).partitionKey(count()));
        add(2, "slice", () -> any(regions).slice(length(), length()).remote());
        add(1, "first failure", () -> any(pairs).firstFailure());
    }

    /** Requests need no closing: one makes place for another. */
    private <T> void keep(List<T> list, T made) {
        if (list.size() < MOST_REQUESTS) {
            list.add(made);
        } else {
            list.set(random.nextInt(list.size()), made);
        }
    }

    private void makeSend() {
        QueuePair pair = any(pairs);
        SendRequest request =
                switch (pair) {
                    case RcQueuePair rc -> reliable(rc);
                    case UcQueuePair uc -> unreliable(uc);
                    case UdQueuePair ud ->
                            ud.newSend()
                                    .from(any(regions), part(), part())
                                    .to(any(ways), any(pairs).number(), random.nextInt(2));
                    default -> pair.newSend().from(any(regions), part(), part());
                };
        request.id(random.nextLong());
        request.signaled(random.nextInt(4) > 0);
        request.fenced(random.nextInt(8) == 0);
        keep(sends, new Sending(pair, request));
    }

    private SendRequest unreliable(UcQueuePair pair) {
        return switch (random.nextInt(4)) {
            case 0 -> pair.newWrite().from(any(regions), part(), part()).to(remote(), part());
            case 1 ->
                    pair.newBindWindow()
                            .window(any(windows), random.nextInt())
                            .over(any(regions).slice(part(), part()), access());
            case 2 -> pair.newLocalInvalidate().key(any(windows).rkey());
            default -> pair.newSend().from(any(regions), part(), part());
        };
    }

    private SendRequest reliable(RcQueuePair pair) {
        MemoryRegion local = any(regions);
        return switch (random.nextInt(7)) {
            case 0 -> pair.newWrite().from(local, part(), part()).to(remote(), part());
            case 1 -> pair.newRead().from(remote(), part()).into(local, part(), part());
            case 2 -> pair.newFetchAndAdd().at(remote(), part() & -8).into(local, 8).add(1);
            case 3 -> pair.newCompareAndSwap().at(remote(), part() & -8).into(local, 8);
            case 4 ->
                    pair.newBindWindow()
                            .window(any(windows), random.nextInt())
                            .over(local.slice(part(), part()), access());
            case 5 -> pair.newLocalInvalidate().key(any(regions).rkey());
            default -> pair.newSend().from(local, part(), part()).inline(random.nextBoolean());
        };
    }

    /** What a peer could have been told, or would like to know. */
    private RemoteBuffer remote() {
        RemoteBuffer told = any(regions).remote();
        return random.nextInt(8) > 0
                ? told
                : new RemoteBuffer(told.address() + part(), told.length(), random.nextInt());
    }

    private ReceiveQueue receiveQueue() {
        return random.nextInt(4) == 0 ? any(sharedQueues) : any(pairs);
    }

    private void makeReceive() {
        ReceiveQueue queue = receiveQueue();
        ReceiveRequest request =
                queue.newReceive().id(random.nextLong()).into(any(regions), part(), part());
        keep(receives, new Receiving(queue, request));
    }

    private void send() {
        Sending one = any(sends);
        QueuePair pair = random.nextInt(8) > 0 ? one.pair() : any(pairs);
        if (random.nextBoolean()) {
            pair.post(one.request());
        } else {
            pair.offer(one.request());
        }
    }

    private void receive() {
        Receiving one = any(receives);
        ReceiveQueue queue = random.nextInt(8) > 0 ? one.queue() : receiveQueue();
        if (random.nextBoolean()) {
            queue.post(one.request());
        } else {
            queue.offer(one.request());
        }
    }

    private void sendBatch() {
        QueuePair pair = any(sends).pair();
        SendBatch batch = pair.newSendBatch(1 + random.nextInt(4));
        try {
            sends.stream()
                    .filter(one -> one.pair() == pair)
                    .forEach(one -> batch.add(one.request()));
        } finally {
            try {
                pair.post(batch);
            } finally {
                batch.clear();
            }
        }
    }

    private void receiveBatch() {
        ReceiveQueue queue = any(receives).queue();
        ReceiveBatch batch = queue.newReceiveBatch(1 + random.nextInt(4));
        try {
            receives.stream()
                    .filter(one -> one.queue() == queue)
                    .forEach(one -> batch.add(one.request()));
        } finally {
            try {
                queue.post(batch);
            } finally {
                batch.clear();
            }
        }
    }

    private void poll() {
        WorkCompletions some = WorkCompletions.allocate(1 + random.nextInt(8));
        int taken = any(queues).poll(some);
        if (taken > 0) {
            some.get(random.nextInt(taken + 1)).requireSuccess();
        }
    }

    private void connect() {
        QueuePair pair = any(pairs);
        switch (pair) {
            case ConnectedQueuePair connected ->
                    connected.connect(any(pairs).endpoint(), options());
            case UdQueuePair ud -> ud.activate();
            default -> throw new AssertionError(pair);
        }
    }

    private void bind() {
        MemoryWindow window = any(windows);
        window.bind(any(pairs), any(regions).slice(part(), part()), random.nextLong(), access());
    }

    private void multicast() {
        Gid group = Gid.parse("239.1.2." + random.nextInt(3));
        if (any(pairs) instanceof UdQueuePair ud) {
            if (random.nextBoolean()) {
                ud.joinMulticast(group, 0);
            }
            ud.leaveMulticast(group, 0);
        }
    }

    /** Never those that repeat for ever. */
    private ConnectOptions options() {
        return ConnectOptions.defaults()
                .withTimeout(8 + random.nextInt(4))
                .withRetries(random.nextInt(3), random.nextInt(3))
                .withMinRnrTimer(1 + random.nextInt(12))
                .withReads(random.nextInt(4), random.nextInt(4))
                .withPathMtu(any(Mtu.BYTES_256, Mtu.BYTES_1024, Mtu.BYTES_4096));
    }

    private QueuePairAttributes attributes() {
        QueuePairAttributes attributes = new QueuePairAttributes();
        if (random.nextInt(8) > 0) {
            attributes.state(any(QueuePairState.values()));
        }
        List<Runnable> setters =
                List.of(
                        () -> attributes.currentState(any(QueuePairState.values())),
                        () -> attributes.port(small()),
                        () -> attributes.partitionKeyIndex(small()),
                        () -> attributes.remoteAccess(access()),
                        () -> attributes.pathMtu(any(Mtu.values())),
                        () -> attributes.destinationQueuePair(random.nextInt()),
                        () -> attributes.receiveSequence(small()),
                        () -> attributes.sendSequence(small()),
                        () -> attributes.queueKey(random.nextInt()),
                        () -> attributes.minRnrTimer(small()),
                        () -> attributes.timeout(8 + random.nextInt(4)),
                        () -> attributes.retryCount(random.nextInt(3)),
                        () -> attributes.rnrRetryCount(random.nextInt(3)),
                        () -> attributes.maxInitiatedReads(random.nextInt(4)),
                        () -> attributes.maxAcceptedReads(small()));
        for (int i = random.nextInt(4); i > 0; i--) {
            any(setters).run();
        }
        return attributes;
    }
}
