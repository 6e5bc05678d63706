package org.verbs4j.it;

import org.verbs4j.Advice;
import org.verbs4j.CompletionField;
import org.verbs4j.DataOperation;
import org.verbs4j.Ece;
import org.verbs4j.ExtendedCompletionQueue;
import org.verbs4j.ExtendedCompletions;
import org.verbs4j.ExtendedSender;
import org.verbs4j.FlowRule;
import org.verbs4j.MemoryRegion;
import org.verbs4j.MemorySlice;
import org.verbs4j.RateLimit;
import org.verbs4j.RawPacketQueuePair;
import org.verbs4j.RcQueuePair;
import org.verbs4j.Reregistration;
import org.verbs4j.SendOperation;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** The same with extended queues and sends, events, and what soft-RoCE does not have. */
class RandomExtendedCalls extends RandomCalls {
    private static final int MOST = 4;
    private static final int MOST_COLLECTED = 8;

    private final List<ExtendedCompletionQueue> extendedQueues = new ArrayList<>();
    private final List<ExtendedSender> senders = new ArrayList<>();
    private final Arena closed = Arena.ofShared();

    RandomExtendedCalls(long seed) {
        super(seed);
        closed.close();
        add(2, "extended queue", this::newExtendedQueue);
        add(8, "extended poll", this::pollExtended);
        add(2, "extended pair", this::newExtendedPair);
        add(10, "extended send", this::sendExtended);
        add(2, "clear", () -> any(senders).clear());
        add(2, "resize queue", () -> any(queues).resize(small()));
        add(2, "await event", () -> any(contexts).awaitAsyncEvent(Duration.ZERO));
        add(1, "moderate", () -> any(queues).moderate(small(), Duration.ofMillis(1)));
        add(1, "thread domain", () -> any(contexts).newThreadDomain().close());
        add(1, "device memory", () -> any(contexts).newDeviceMemory(length(), small()).close());
        add(1, "null region", () -> any(domains).newNullRegion().close());
        add(1, "clock", () -> any(contexts).clock());
        addRare();
    }

    /** What soft-RoCE lacks, which has to leave everything as it was. */
    private void addRare() {
        add(1, "parent", () -> any(domains).newParentDomain(null).close());
        add(1, "work queue", () -> any(domains).newWorkQueue(any(queues)).build().close());
        add(1, "table", () -> any(contexts).newIndirectionTable(List.of()).close());
        add(1, "counters", () -> any(contexts).newFlowCounters().close());
        add(1, "flow", () -> any(pairs).newFlow(FlowRule.on(1 + random.nextInt(2)).build()));
        add(1, "xrc domain", () -> any(contexts).newXrcDomain().close());
        add(1, "xrc", () -> any(domains).newXrcSendQueuePair(any(queues)).build().close());
        add(1, "raw", () -> newRawPair().close());
        add(1, "reregister", this::reregister);
        add(1, "advise", () -> any(domains).advise(Advice.PREFETCH, true, slice(), slice()));
        add(1, "import domain", () -> any(contexts).importProtectionDomain(count()).close());
        add(1, "import region", () -> any(domains).importMemoryRegion(count(), length()).close());
        add(1, "dma buf", () -> any(domains).registerDmaBuf(-1, length(), length(), 0).close());
        add(1, "address space", () -> any(domains).registerAddressSpace(access()).close());
        add(2, "at", () -> registered(memory()).close());
        add(1, "huge", () -> any(domains).allocateOnHugePages(length() & 0xffff).close());
        add(1, "limit rate", () -> any(pairs).limitRate(new RateLimit(count(), 0, 0)));
        add(1, "ece", () -> any(pairs).ece(new Ece(count(), count())));
        add(1, "order", () -> any(pairs).isDataInOrder(any(DataOperation.values())));
    }

    private RawPacketQueuePair newRawPair() {
        return any(domains).newRawPacketQueuePair(any(queues), any(queues)).build();
    }

    private MemorySlice slice() {
        return any(regions).slice(part(), part());
    }

    private MemorySegment memory() {
        Arena arena = any(Arena.ofAuto(), Arena.global(), closed);
        return arena.allocate(1 + random.nextInt(100));
    }

    private MemoryRegion registered(MemorySegment memory) {
        return any(domains).registerAt(memory, memory.address() + part() * 512, access());
    }

    private void reregister() {
        Reregistration change = new Reregistration().access(access());
        if (random.nextBoolean()) {
            change.protectionDomain(any(domains));
        }
        any(regions).reregister(change);
    }

    private void newExtendedQueue() {
        room(queues, MOST);
        ExtendedCompletionQueue made =
                any(contexts)
                        .newExtendedCompletionQueue(small())
                        .fields(any(CompletionField.values()), CompletionField.BYTE_LENGTH)
                        .build();
        extendedQueues.add(made);
        queues.add(made.queue());
        if (extendedQueues.size() > MOST) {
            extendedQueues.removeFirst();
        }
    }

    private void pollExtended() {
        ExtendedCompletions some = ExtendedCompletions.allocate(1 + random.nextInt(4));
        int taken = any(extendedQueues).poll(some);
        if (taken > 0) {
            some.get(random.nextInt(taken + 1)).requireSuccess();
        }
    }

    private void newExtendedPair() {
        room(pairs, MOST);
        RcQueuePair made =
                any(domains)
                        .newRcQueuePair(any(queues), any(queues))
                        .remoteAccess(access())
                        .extendedSends(SendOperation.SEND, SendOperation.WRITE, SendOperation.READ)
                        .maxInlineData(small())
                        .build();
        pairs.add(made);
        senders.add(made.newExtendedSender());
        if (senders.size() > MOST) {
            senders.removeFirst();
        }
    }

    private void sendExtended() {
        ExtendedSender sender = any(senders);
        MemoryRegion region = any(regions);
        if (sender.size() < MOST_COLLECTED) {
            switch (random.nextInt(5)) {
                case 0 -> sender.send().part(region, part(), part());
                case 1 -> sender.write(region.remote()).part(region, part(), part());
                case 2 -> sender.read(region.remote()).part(region, part(), part());
                case 3 -> sender.send().inline(MemorySegment.ofArray(new byte[random.nextInt(40)]));
                default -> sender.fetchAndAdd(region.remote(), 1);
            }
        }
        if (random.nextBoolean()) {
            sender.post();
        }
    }
}
