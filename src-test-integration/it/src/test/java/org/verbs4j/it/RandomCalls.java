package org.verbs4j.it;

import org.verbs4j.Access;
import org.verbs4j.CompletionChannel;
import org.verbs4j.CompletionQueue;
import org.verbs4j.ConnectOptions;
import org.verbs4j.DeviceContext;
import org.verbs4j.Devices;
import org.verbs4j.MemoryRegion;
import org.verbs4j.Mtu;
import org.verbs4j.ProtectionDomain;
import org.verbs4j.QueuePairAttributes;
import org.verbs4j.QueuePairState;
import org.verbs4j.RcQueuePair;
import org.verbs4j.ReceiveBatch;
import org.verbs4j.ReceiveRequest;
import org.verbs4j.RemoteBuffer;
import org.verbs4j.SendBatch;
import org.verbs4j.SendRequest;
import org.verbs4j.WorkCompletions;

import java.lang.foreign.Arena;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;

/**
 * Calls of the API with random arguments, right and wrong, on objects that are open or closed: a
 * closed one is kept for a while.
 */
final class RandomCalls extends RandomSteps {
    private static final int MOST_OBJECTS = 8;
    private static final int MOST_CONTEXTS = 3;
    private static final int MOST_REQUESTS = 16;

    private static final Integer[] COUNTS = {
        Integer.MIN_VALUE, -1, 0, 1, 2, 3, 7, 64, 1000, 1 << 15, 1 << 21, Integer.MAX_VALUE
    };
    private static final Long[] LENGTHS = {
        Long.MIN_VALUE, -1L, 0L, 1L, 8L, 63L, 64L, 4095L, 65_537L, 1L << 20, Long.MAX_VALUE
    };
    private static final Duration[] WAITS = {
        Duration.ofSeconds(-1), Duration.ZERO, Duration.ofNanos(1), Duration.ofMillis(1)
    };

    private final List<DeviceContext> contexts = new ArrayList<>();
    private final List<ProtectionDomain> domains = new ArrayList<>();
    private final List<CompletionChannel> channels = new ArrayList<>();
    private final List<CompletionQueue> queues = new ArrayList<>();
    private final List<MemoryRegion> regions = new ArrayList<>();
    private final List<RcQueuePair> pairs = new ArrayList<>();
    private final List<SendRequest> sends = new ArrayList<>();
    private final List<ReceiveRequest> receives = new ArrayList<>();

    /** Children first, which is the order to close them in. */
    private final List<List<? extends AutoCloseable>> all =
            List.of(pairs, regions, queues, channels, domains, contexts);

    RandomCalls(long seed) {
        super(seed);
        addMakers();
        addRequests();
        addOthers();
    }

    private void addMakers() {
        add(1, "open", () -> make(contexts, MOST_CONTEXTS, () -> any(Devices.list()).open()));
        add(2, "domain", () -> make(domains, () -> any(contexts).newProtectionDomain()));
        add(2, "channel", () -> make(channels, () -> any(contexts).newCompletionChannel()));
        add(3, "queue", () -> make(queues, this::newQueue));
        add(4, "allocate", () -> make(regions, () -> any(domains).allocate(length(), access())));
        add(1, "register", () -> make(regions, this::register));
        add(6, "pair", () -> make(pairs, this::newPair));
        add(14, "close", this::close);
    }

    private void addRequests() {
        add(8, "make send", () -> keep(sends, newSend()));
        add(4, "make receive", () -> keep(receives, newReceive()));
        add(15, "post", () -> any(pairs).post(any(sends)));
        add(8, "offer", () -> any(pairs).offer(any(sends)));
        add(4, "post batch", this::postSends);
        add(8, "post receive", () -> any(pairs).post(any(receives)));
        add(4, "offer receive", () -> any(pairs).offer(any(receives)));
        add(2, "post receive batch", this::postReceives);
    }

    private void addOthers() {
        add(15, "poll", this::poll);
        add(3, "arm", () -> any(queues).requestNotification(random.nextBoolean()));
        add(2, "await", () -> any(queues).await(WorkCompletions.allocate(2), any(WAITS)));
        add(2, "await channel", () -> any(channels).await(any(WAITS)));
        add(10, "connect", () -> any(pairs).connect(any(pairs).endpoint(), options()));
        add(6, "modify", () -> any(pairs).modify(attributes()));
        add(2, "reset", () -> any(pairs).reset());
        add(2, "init", () -> any(pairs).moveToInit());
        add(2, "error", () -> any(pairs).moveToError());
        add(2, "query", () -> any(pairs).query());
        add(1, "gid", () -> any(contexts).port(small()).gid(small()));
        add(1, "partition key", () -> any(contexts).port(1).partitionKey(any(COUNTS)));
        add(2, "slice", () -> any(regions).slice(length(), length()).remote());
    }

    /** Closes everything that is left, children first. */
    void closeAll() throws Exception {
        for (List<? extends AutoCloseable> some : all) {
            for (AutoCloseable one : some) {
                one.close();
            }
        }
    }

    private void close() {
        List<? extends AutoCloseable> some = any(all);
        AutoCloseable one = any(some);
        try {
            one.close();
        } catch (RuntimeException e) {
            throw e;
        } catch (Exception e) {
            throw new AssertionError(e);
        }
        if (random.nextBoolean()) {
            some.remove(one);
        }
    }

    private <T> void make(List<T> list, Supplier<T> maker) {
        make(list, MOST_OBJECTS, maker);
    }

    private <T> void make(List<T> list, int most, Supplier<T> maker) {
        room(list, most);
        list.add(maker.get());
    }

    /** Requests need no closing: one makes place for another. */
    private <T> void keep(List<T> list, T made) {
        if (list.size() < MOST_REQUESTS) {
            list.add(made);
        } else {
            list.set(random.nextInt(list.size()), made);
        }
    }

    /** Mostly a small number, which is likely to be accepted. */
    private int small() {
        return random.nextInt(8) == 0 ? any(COUNTS) : 1 + random.nextInt(16);
    }

    private long length() {
        return any(LENGTHS);
    }

    /** Mostly a part of a region. */
    private long part() {
        return random.nextInt(8) == 0 ? length() : random.nextInt(64);
    }

    private Access[] access() {
        return random.nextInt(3) > 0
                ? RdmaPair.ALL
                : random.ints(random.nextInt(4), 0, Access.values().length)
                        .mapToObj(i -> Access.values()[i])
                        .toArray(Access[]::new);
    }

    private CompletionQueue newQueue() {
        DeviceContext context = any(contexts);
        return random.nextBoolean()
                ? context.newCompletionQueue(small())
                : context.newCompletionQueue(small(), any(channels), random.nextInt(3) - 1);
    }

    private MemoryRegion register() {
        return any(domains).register(Arena.ofAuto().allocate(1 + random.nextInt(10_000)), access());
    }

    private RcQueuePair newPair() {
        RcQueuePair.Builder builder = any(domains).newRcQueuePair(any(queues), any(queues));
        builder.remoteAccess(access()).signalAll(random.nextInt(4) == 0);
        if (random.nextInt(4) == 0) {
            builder.maxSendRequests(small())
                    .maxReceiveRequests(small())
                    .maxSendSge(small())
                    .maxReceiveSge(small())
                    .maxInlineData(small());
        }
        if (random.nextInt(8) == 0) {
            builder.gidIndex(random.nextInt(4));
        }
        return builder.build();
    }

    private SendRequest newSend() {
        RcQueuePair pair = any(pairs);
        MemoryRegion local = any(regions);
        SendRequest send =
                switch (random.nextInt(5)) {
                    case 0 -> pair.newSend().from(local, part(), part()).solicited(random.nextBoolean());
                    case 1 -> pair.newWrite().from(local, part(), part()).to(remote(), part());
                    case 2 -> pair.newRead().from(remote(), part()).into(local, part(), part());
                    case 3 -> pair.newFetchAndAdd().at(remote(), part() & -8).into(local, 8).add(1);
                    default -> pair.newCompareAndSwap().at(remote(), part() & -8).into(local, 8);
                };
        send.id(random.nextLong()).signaled(random.nextInt(4) > 0).fenced(random.nextInt(8) == 0);
        return send;
    }

    /** What a peer could have been told, or would like to know. */
    private RemoteBuffer remote() {
        RemoteBuffer told = any(regions).remote();
        return random.nextInt(8) > 0
                ? told
                : new RemoteBuffer(told.address() + part(), told.length(), random.nextInt());
    }

    private ReceiveRequest newReceive() {
        return any(pairs).newReceive().id(random.nextLong()).into(any(regions), part(), part());
    }

    private void postSends() {
        RcQueuePair pair = any(pairs);
        SendBatch batch = pair.newSendBatch(1 + random.nextInt(4));
        try {
            for (int i = 0; i < 3; i++) {
                batch.add(any(sends));
            }
        } finally {
            try {
                pair.post(batch);
            } finally {
                batch.clear();
            }
        }
    }

    private void postReceives() {
        RcQueuePair pair = any(pairs);
        ReceiveBatch batch = pair.newReceiveBatch(1 + random.nextInt(4));
        try {
            for (int i = 0; i < 3; i++) {
                batch.add(any(receives));
            }
            pair.post(batch);
        } finally {
            batch.clear();
        }
    }

    private void poll() {
        WorkCompletions some = WorkCompletions.allocate(1 + random.nextInt(8));
        int taken = any(queues).poll(some);
        if (taken > 0) {
            some.get(random.nextInt(taken + 1)).requireSuccess();
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
