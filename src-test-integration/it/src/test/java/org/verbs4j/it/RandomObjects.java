package org.verbs4j.it;

import org.verbs4j.Access;
import org.verbs4j.AddressHandle;
import org.verbs4j.AddressVector;
import org.verbs4j.CompletionChannel;
import org.verbs4j.CompletionQueue;
import org.verbs4j.DeviceContext;
import org.verbs4j.Devices;
import org.verbs4j.GidEntry;
import org.verbs4j.MemoryRegion;
import org.verbs4j.MemoryWindow;
import org.verbs4j.ProtectionDomain;
import org.verbs4j.QueuePair;
import org.verbs4j.QueuePairBuilder;
import org.verbs4j.RcQueuePair;
import org.verbs4j.SharedReceiveQueue;
import org.verbs4j.UcQueuePair;
import org.verbs4j.UdQueuePair;
import org.verbs4j.pool.BufferPool;
import org.verbs4j.pool.PooledBuffer;

import java.lang.foreign.Arena;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;
import java.util.stream.Stream;

/**
 * Steps that make objects of every kind with random arguments, right and wrong, and close them: a
 * closed one is kept for a while.
 */
class RandomObjects extends RandomSteps {
    private static final int MOST = 8;
    private static final int MOST_CONTEXTS = 3;

    private static final Integer[] COUNTS = {
        Integer.MIN_VALUE, -1, 0, 1, 2, 3, 7, 64, 1000, 1 << 15, 1 << 21, Integer.MAX_VALUE
    };
    private static final Long[] LENGTHS = {
        Long.MIN_VALUE, -1L, 0L, 1L, 8L, 63L, 64L, 4095L, 65_537L, 1L << 20, Long.MAX_VALUE
    };

    final List<DeviceContext> contexts = new ArrayList<>();
    final List<ProtectionDomain> domains = new ArrayList<>();
    final List<CompletionChannel> channels = new ArrayList<>();
    final List<CompletionQueue> queues = new ArrayList<>();
    final List<MemoryRegion> regions = new ArrayList<>();
    final List<MemoryWindow> windows = new ArrayList<>();
    final List<SharedReceiveQueue> sharedQueues = new ArrayList<>();
    final List<AddressHandle> ways = new ArrayList<>();
    final List<QueuePair> pairs = new ArrayList<>();
    private final List<BufferPool> pools = new ArrayList<>();
    private final List<PooledBuffer> buffers = new ArrayList<>();

    /** Children first, which is the order to close them in. */
    private final List<List<? extends AutoCloseable>> all =
            new ArrayList<>(
                    List.of(
                            pairs,
                            windows,
                            sharedQueues,
                            ways,
                            regions,
                            pools,
                            queues,
                            channels,
                            domains,
                            contexts));

    RandomObjects(long seed) {
        super(seed);
        add(1, "open", () -> make(contexts, MOST_CONTEXTS, () -> any(Devices.list()).open()));
        add(2, "domain", () -> make(domains, MOST, () -> any(contexts).newProtectionDomain()));
        add(2, "channel", () -> make(channels, MOST, () -> any(contexts).newCompletionChannel()));
        add(3, "queue", () -> make(queues, MOST, this::newQueue));
        add(4, "region", () -> make(regions, MOST, this::newRegion));
        add(2, "window", () -> make(windows, MOST, this::newWindow));
        add(2, "shared queue", () -> make(sharedQueues, MOST, this::newSharedQueue));
        add(2, "way", () -> make(ways, MOST, this::newWay));
        add(1, "pool", () -> make(pools, MOST, this::newPool));
        add(3, "take buffer", this::takeBuffer);
        add(3, "release buffer", this::releaseBuffer);
        add(10, "pair", () -> make(pairs, MOST, this::newPair));
        add(20, "close", this::closeAny);
    }

    /** Adds objects that nothing else is made from. */
    final void closeFirst(List<? extends AutoCloseable> some) {
        all.addFirst(some);
    }

    final <T> void make(List<T> list, int most, Supplier<T> maker) {
        room(list, most);
        list.add(maker.get());
    }

    private void closeAny() {
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

    /** Closes everything that is left, children first. */
    final void closeAll() throws Exception {
        for (PooledBuffer buffer : buffers) {
            try {
                buffer.release();
            } catch (IllegalStateException e) {
                remember("  it had been released: " + e);
            }
        }
        for (List<? extends AutoCloseable> some : all) {
            for (AutoCloseable one : some) {
                one.close();
            }
        }
    }

    /** Mostly a small number, which is likely to be accepted. */
    final int small() {
        return random.nextInt(8) == 0 ? any(COUNTS) : 1 + random.nextInt(16);
    }

    final int count() {
        return any(COUNTS);
    }

    final long length() {
        return any(LENGTHS);
    }

    /** Mostly a part of a region. */
    final long part() {
        return random.nextInt(8) == 0 ? length() : random.nextInt(64);
    }

    final Access[] access() {
        return random.nextInt(3) > 0
                ? RdmaPair.ALL
                : Stream.generate(() -> any(Access.values()))
                        .limit(random.nextInt(4))
                        .toArray(Access[]::new);
    }

    private CompletionQueue newQueue() {
        DeviceContext context = any(contexts);
        return random.nextBoolean()
                ? context.newCompletionQueue(small())
                : context.newCompletionQueue(small(), any(channels), random.nextInt(3) - 1);
    }

    private MemoryRegion newRegion() {
        ProtectionDomain domain = any(domains);
        return random.nextInt(4) > 0
                ? domain.allocate(length(), access())
                : domain.register(Arena.ofAuto().allocate(1 + random.nextInt(10_000)), access());
    }

    private MemoryWindow newWindow() {
        return any(domains).newMemoryWindow(any(MemoryWindow.Type.values()));
    }

    private SharedReceiveQueue newSharedQueue() {
        return any(domains).newSharedReceiveQueue(small(), small());
    }

    /** The way to the own port, or somewhere near. */
    private AddressHandle newWay() {
        ProtectionDomain domain = any(domains);
        GidEntry own = domain.context().activePort().routableGid().orElseThrow();
        int index = random.nextInt(8) > 0 ? own.index() : random.nextInt(256);
        AddressVector.GlobalRoute route =
                new AddressVector.GlobalRoute(own.gid(), index, 0, random.nextInt(256), 0);
        return domain.newAddressHandle(
                new AddressVector(
                        1 + random.nextInt(2), 0, 0, random.nextInt(8) > 0 ? route : null));
    }

    private BufferPool newPool() {
        return BufferPool.create(any(domains), 1 + random.nextInt(4), small(), access());
    }

    private void takeBuffer() {
        room(buffers, MOST);
        PooledBuffer buffer = any(pools).poll();
        if (buffer != null) {
            buffers.add(buffer);
        }
    }

    private void releaseBuffer() {
        PooledBuffer buffer = any(buffers);
        buffer.release();
        if (random.nextBoolean()) {
            buffers.remove(buffer);
        }
    }

    private QueuePair newPair() {
        ProtectionDomain domain = any(domains);
        CompletionQueue sends = any(queues);
        CompletionQueue receives = any(queues);
        boolean share = random.nextInt(4) == 0;
        return switch (random.nextInt(5)) {
            case 0 -> {
                UcQueuePair.Builder builder = options(domain.newUcQueuePair(sends, receives));
                if (share) {
                    builder.sharedReceiveQueue(any(sharedQueues));
                }
                yield builder.remoteAccess(access()).build();
            }
            case 1 -> {
                UdQueuePair.Builder builder = options(domain.newUdQueuePair(sends, receives));
                if (share) {
                    builder.sharedReceiveQueue(any(sharedQueues));
                }
                yield builder.queueKey(random.nextInt(2)).build();
            }
            default -> {
                RcQueuePair.Builder builder = options(domain.newRcQueuePair(sends, receives));
                if (share) {
                    builder.sharedReceiveQueue(any(sharedQueues));
                }
                yield builder.remoteAccess(access()).build();
            }
        };
    }

    private <B extends QueuePairBuilder<B>> B options(B builder) {
        builder.signalAll(random.nextInt(4) == 0);
        if (random.nextInt(4) == 0) {
            builder.maxSendRequests(small()).maxSendSge(small()).maxInlineData(small());
        }
        if (random.nextInt(8) == 0) {
            builder.gidIndex(random.nextInt(4));
        }
        return builder;
    }
}
