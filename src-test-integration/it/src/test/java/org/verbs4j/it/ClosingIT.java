package org.verbs4j.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.verbs4j.AddressHandle;
import org.verbs4j.CompletionChannel;
import org.verbs4j.CompletionField;
import org.verbs4j.CompletionQueue;
import org.verbs4j.DeviceContext;
import org.verbs4j.Devices;
import org.verbs4j.ExtendedCompletionQueue;
import org.verbs4j.MemoryRegion;
import org.verbs4j.MemoryWindow;
import org.verbs4j.Port;
import org.verbs4j.ProtectionDomain;
import org.verbs4j.RcQueuePair;
import org.verbs4j.ReceiveRequest;
import org.verbs4j.RemoteBuffer;
import org.verbs4j.Send;
import org.verbs4j.SharedReceiveQueue;
import org.verbs4j.UcQueuePair;
import org.verbs4j.WorkCompletion;
import org.verbs4j.WorkCompletionException;
import org.verbs4j.WorkCompletions;
import org.verbs4j.Write;
import org.verbs4j.pool.BufferPool;

import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;

/** Children first, twice does nothing, and nothing that is closed can crash. */
class ClosingIT {
    private static final int ROUNDS = 30;

    private static void refuses(AutoCloseable parent, Object child) {
        assertThatThrownBy(parent::close)
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("is still used by " + child)
                .hasMessageContaining("close them first");
    }

    @Test
    @Holds({"10", "24", "25"})
    void aParentClosedTooEarlyNamesItsChildrenAndStaysOpen() {
        DeviceContext context = Devices.first().open();
        ProtectionDomain domain = context.newProtectionDomain();
        refuses(context, domain);
        CompletionChannel channel = context.newCompletionChannel();
        CompletionQueue queue = context.newCompletionQueue(8, channel, 0);
        refuses(channel, queue);
        MemoryRegion memory = domain.allocate(100);
        refuses(domain, memory);
        RcQueuePair pair = domain.newRcQueuePair(queue, queue).build();
        refuses(queue, pair);
        memory.close();
        refuses(domain, pair);

        assertThat(queue.poll(WorkCompletions.allocate(1))).isZero();
        pair.close();
        queue.close();
        channel.close();
        domain.close();
        context.close();
    }

    @Test
    @Holds("10")
    void aProtectionDomainNamesAWindowASharedReceiveQueueAnAddressHandleAndAPool() {
        try (OpenDevice device = new OpenDevice();
                ProtectionDomain domain = device.context.newProtectionDomain()) {
            try (MemoryWindow window = domain.newMemoryWindow(MemoryWindow.Type.TYPE_2)) {
                refuses(domain, window);
            }
            try (SharedReceiveQueue shared = domain.newSharedReceiveQueue(4, 1)) {
                refuses(domain, shared);
                try (UcQueuePair pair =
                        domain.newUcQueuePair(device.sends, device.receives)
                                .sharedReceiveQueue(shared)
                                .build()) {
                    refuses(shared, pair);
                    refuses(device.receives, pair);
                }
            }
            try (AddressHandle way = domain.newAddressHandle(device.loopback())) {
                refuses(domain, way);
            }
            try (BufferPool pool = BufferPool.create(domain, 4, 64)) {
                assertThat(pool.toString()).isNotEmpty();
                refuses(domain, "memory region");
            }
        }
    }

    @Test
    @Holds("25")
    void aChannelNamesAnExtendedQueueToo() {
        try (OpenDevice device = new OpenDevice();
                CompletionChannel channel = device.context.newCompletionChannel();
                ExtendedCompletionQueue queue =
                        device.context
                                .newExtendedCompletionQueue(4)
                                .channel(channel, 0)
                                .fields(CompletionField.BYTE_LENGTH)
                                .build()) {
            refuses(channel, queue.queue());
            refuses(device.context, "protection domain");
        }
    }

    @Test
    void closingTwiceDoesNothing() {
        RdmaPair rdma = RdmaPair.onOneDevice();
        rdma.close();
        rdma.left.pair.close();
        rdma.left.memory.close();
        rdma.left.queue.close();
        rdma.left.channel.close();
        rdma.left.domain.close();
        rdma.left.context.close();
    }

    private static void closed(Consumer<RdmaPair.Side> use, RdmaPair.Side side) {
        assertThatThrownBy(() -> use.accept(side))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("is closed");
    }

    @Test
    void whateverIsClosedThrowsAndDoesNotCrash() {
        RdmaPair rdma = RdmaPair.onOneDevice();
        RdmaPair.Side side = rdma.left;
        Send send = side.pair.newSend().from(side.memory, 0, 8);
        Write write = side.pair.newWrite().from(side.memory, 0, 8);
        ReceiveRequest receive = side.pair.newReceive().into(side.memory, 0, 8);
        var sends = side.pair.newSendBatch(1).add(side.pair.newSend().from(side.memory, 0, 8));
        var receives =
                side.pair.newReceiveBatch(1).add(side.pair.newReceive().into(side.memory, 0, 8));
        Port port = side.context.port(1);
        WorkCompletions completions = WorkCompletions.allocate(4);
        rdma.close();

        closed(s -> s.pair.post(send), side);
        closed(s -> s.pair.offer(write), side);
        closed(s -> s.pair.post(receive), side);
        closed(s -> s.pair.offer(receive), side);
        closed(s -> s.pair.post(sends), side);
        closed(s -> s.pair.post(receives), side);
        closed(s -> s.pair.query(), side);
        closed(s -> s.pair.reset(), side);
        closed(s -> s.pair.moveToError(), side);
        closed(s -> s.pair.newSend(), side);
        closed(s -> s.pair.newRead(), side);
        closed(s -> s.pair.endpoint(), side);
        closed(s -> s.pair.handle(), side);
        closed(s -> s.queue.poll(completions), side);
        closed(s -> s.queue.requestNotification(false), side);
        closed(s -> s.queue.handle(), side);
        closed(s -> s.channel.fileDescriptor(), side);
        closed(s -> s.memory.segment(), side);
        closed(s -> s.memory.handle(), side);
        closed(s -> s.domain.allocate(10), side);
        closed(s -> s.domain.newRcQueuePair(s.queue, s.queue), side);
        closed(s -> s.context.newProtectionDomain(), side);
        closed(s -> s.context.newCompletionQueue(1), side);
        closed(s -> s.context.newCompletionChannel(), side);
        closed(s -> s.context.completionVectors(), side);
        closed(s -> port.attributes(), side);
        closed(s -> port.gidTable(), side);
        assertThatThrownBy(() -> send.from(side.memory, 0, 8))
                .isInstanceOf(IllegalStateException.class);

        // What does not need the device is memory that is still there.
        send.id(3).signaled(false).immediate(5);
        assertThat(send.id()).isEqualTo(3);
        assertThat(send.handle().byteSize()).isPositive();
    }

    /** Soft-RoCE leaves it in the queue, other providers take it out. */
    @Test
    void aCompletionOfAQueuePairThatIsGoneIsHarmless() throws InterruptedException {
        try (RdmaPair rdma = RdmaPair.onOneDevice()) {
            RdmaPair.Side side = rdma.left;
            side.queue.requestNotification(false);
            RemoteBuffer wrong = new RemoteBuffer(64, 8, 0x5a5a5a);
            side.pair.post(side.pair.newWrite().id(6).from(side.memory, 0, 8).to(wrong, 0));
            assertThat(side.channel.await(Waits.LIMIT)).isSameAs(side.queue);
            int number = side.pair.number();
            side.pair.close();
            WorkCompletions left = WorkCompletions.allocate(2);
            if (side.queue.poll(left) > 0) {
                WorkCompletion completion = left.get(0);
                assertThat(completion.queuePairNumber()).isEqualTo(number);
                assertThat(completion.wrId()).isEqualTo(6);
                assertThat(completion.isSuccess()).isFalse();
                assertThatThrownBy(completion::requireSuccess)
                        .isInstanceOf(WorkCompletionException.class);
            }
            assertThat(left.size()).isEqualTo(side.context.provider().equals("rxe") ? 1 : 0);
        }
    }

    @Test
    void aQueuePairClosesWithEverythingOutstanding() {
        try (RdmaPair rdma = RdmaPair.onOneDevice()) {
            for (int i = 0; i < 50; i++) {
                rdma.right.receive(i, 0, 8);
                rdma.left.pair.post(
                        rdma.left
                                .pair
                                .newWrite()
                                .from(rdma.left.memory, 0, 1 << 20)
                                .to(rdma.right.memory.remote(), 0));
            }
            rdma.left.pair.close();
            rdma.left.memory.close();
            rdma.right.pair.close();
            rdma.right.memory.close();
        }
    }

    @Test
    void aCloseDuringPostsAndPollsOfAnotherThreadEndsThemByAnException()
            throws InterruptedException {
        int rounds = Math.max(5, ROUNDS / TestPlace.timeScale());
        for (int round = 0; round < rounds; round++) {
            RdmaPair rdma = RdmaPair.onOneDevice();
            AtomicReference<Throwable> sender = new AtomicReference<>();
            AtomicReference<Throwable> receiver = new AtomicReference<>();
            AtomicReference<Throwable> poller = new AtomicReference<>();
            Thread sending =
                    start(
                            sender,
                            () -> {
                                Write write =
                                        rdma.left
                                                .pair
                                                .newWrite()
                                                .from(rdma.left.memory, 0, 8)
                                                .to(rdma.right.memory.remote(), 0);
                                while (true) {
                                    rdma.left.pair.offer(write);
                                }
                            });
            Thread receiving =
                    start(
                            receiver,
                            () -> {
                                ReceiveRequest receive =
                                        rdma.left.pair.newReceive().into(rdma.left.memory, 0, 8);
                                while (true) {
                                    rdma.left.pair.offer(receive);
                                }
                            });
            Thread polling =
                    start(
                            poller,
                            () -> {
                                WorkCompletions completions = WorkCompletions.allocate(16);
                                while (true) {
                                    rdma.left.queue.poll(completions);
                                }
                            });
            Thread.sleep(round % 7);
            rdma.close();
            Waits.join(sending);
            Waits.join(receiving);
            Waits.join(polling);
            assertThat(sender.get()).isInstanceOf(IllegalStateException.class);
            assertThat(receiver.get()).isInstanceOf(IllegalStateException.class);
            assertThat(poller.get()).isInstanceOf(IllegalStateException.class);
        }
    }

    private static Thread start(AtomicReference<Throwable> thrown, Runnable work) {
        return Thread.ofPlatform()
                .daemon()
                .start(
                        () -> {
                            try {
                                work.run();
                            } catch (Throwable e) {
                                thrown.set(e);
                            }
                        });
    }
}
