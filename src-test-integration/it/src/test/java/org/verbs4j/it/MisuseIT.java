package org.verbs4j.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.verbs4j.Access;
import org.verbs4j.CompletionChannel;
import org.verbs4j.CompletionQueue;
import org.verbs4j.ConnectOptions;
import org.verbs4j.DeviceContext;
import org.verbs4j.Devices;
import org.verbs4j.MemoryRegion;
import org.verbs4j.ProtectionDomain;
import org.verbs4j.RcQueuePair;
import org.verbs4j.Send;
import org.verbs4j.VerbsException;
import org.verbs4j.WorkCompletions;
import org.verbs4j.Write;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.channels.FileChannel;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;

/** What a program should not do ends in an exception: nothing crashes, hangs or stays behind. */
class MisuseIT {
    private static final int ROUNDS = 100;

    /** Bytes: every call on the way down enters the kernel. */
    private static final long SMALL_STACK = 512 << 10;

    private static final long LARGE = 1 << 20; // malloc maps it, so that freed is unmapped

    /** Posts inline messages until the memory is gone. */
    private static Thread sendInline(
            RdmaPair rdma, MemoryRegion memory, AtomicReference<Throwable> thrown) {
        Send send = rdma.left.pair.newSend().from(memory, LARGE - 64, 64).inline(true);
        return Thread.ofPlatform()
                .daemon()
                .start(
                        () -> {
                            try {
                                while (true) {
                                    rdma.left.pair.offer(send);
                                }
                            } catch (RuntimeException | Error e) {
                                thrown.set(e);
                            }
                        });
    }

    private static void inlineWhileClosed(boolean owned) throws InterruptedException {
        int rounds = Math.max(10, ROUNDS / TestPlace.timeScale());
        try (RdmaPair rdma = RdmaPair.onOneDevice()) {
            for (int round = 0; round < rounds; round++) {
                Arena arena = Arena.ofShared();
                MemoryRegion memory =
                        owned
                                ? rdma.left.domain.allocate(LARGE)
                                : rdma.left.domain.register(arena.allocate(LARGE, 4096));
                AtomicReference<Throwable> thrown = new AtomicReference<>();
                Thread sender = sendInline(rdma, memory, thrown);
                Thread.sleep(round % 3);
                if (owned) {
                    memory.close();
                } else {
                    arena.close();
                }
                Waits.join(sender);
                assertThat(thrown.get()).isInstanceOf(IllegalStateException.class);
                memory.close();
                if (owned) {
                    arena.close();
                }
            }
        }
    }

    @Test
    void inlineDataOfARegionThatAnotherThreadCloses() throws InterruptedException {
        inlineWhileClosed(true);
    }

    @Test
    void inlineDataOfAnArenaThatAnotherThreadCloses() throws InterruptedException {
        inlineWhileClosed(false);
    }

    @Test
    void inlineDataOfAFileThatHasBecomeShorter() throws IOException {
        Path file = Files.createTempFile("verbs4j", ".dat");
        try (RdmaPair rdma = RdmaPair.onOneDevice();
                Arena arena = Arena.ofShared();
                FileChannel channel =
                        FileChannel.open(file, StandardOpenOption.READ, StandardOpenOption.WRITE)) {
            MemorySegment mapped = channel.map(FileChannel.MapMode.READ_WRITE, 0, 8192, arena);
            try (MemoryRegion memory = rdma.left.domain.register(mapped)) {
                Send send = rdma.left.pair.newSend().from(memory, 4096, 64).inline(true);
                channel.truncate(0);
                try {
                    rdma.left.pair.post(send);
                } catch (InternalError e) {
                    assertThat(e).hasMessageContaining("fault");
                }
            }
        } finally {
            Files.delete(file);
        }
    }

    @SuppressWarnings("InfiniteRecursion") // the stack is to overflow
    private static int deeper(
            RcQueuePair pair, CompletionQueue queue, Send send, WorkCompletions into) {
        pair.offer(send);
        queue.poll(into);
        return 1 + deeper(pair, queue, send, into);
    }

    @Test
    void aStackOverflowInAPostOrPollDoesNotHangTheClose() throws InterruptedException {
        RdmaPair rdma = RdmaPair.onOneDevice();
        AtomicInteger overflows = new AtomicInteger();
        int rounds = Math.max(10, ROUNDS / TestPlace.timeScale());
        Thread recursion =
                Thread.ofPlatform()
                        .daemon()
                        .stackSize(SMALL_STACK)
                        .start(
                                () -> {
                                    WorkCompletions into = WorkCompletions.allocate(4);
                                    Send send =
                                            rdma.left.pair.newSend().from(rdma.left.memory, 0, 8);
                                    for (int i = 0; i < rounds; i++) {
                                        try {
                                            deeper(rdma.left.pair, rdma.left.queue, send, into);
                                        } catch (StackOverflowError e) {
                                            overflows.incrementAndGet();
                                        }
                                    }
                                });
        Waits.join(recursion);
        assertThat(overflows).hasValue(rounds);
        Thread closing = Thread.ofPlatform().daemon().start(rdma::close);
        Waits.join(closing);
    }

    @Test
    void manyThreadsCloseTheSameObjects() throws InterruptedException {
        for (int round = 0; round < 50; round++) {
            RdmaPair rdma = RdmaPair.onOneDevice();
            List<AutoCloseable> order =
                    List.of(
                            rdma.left.pair,
                            rdma.left.memory,
                            rdma.left.queue,
                            rdma.left.channel,
                            rdma.left.domain,
                            rdma.left.context);
            for (AutoCloseable one : order) {
                AtomicReference<Throwable> thrown = new AtomicReference<>();
                List<Thread> threads = new ArrayList<>();
                for (int i = 0; i < 3; i++) {
                    threads.add(
                            Thread.ofPlatform()
                                    .daemon()
                                    .start(
                                            () -> {
                                                try {
                                                    one.close();
                                                } catch (Exception e) {
                                                    thrown.set(e);
                                                }
                                            }));
                }
                for (Thread thread : threads) {
                    Waits.join(thread);
                }
                assertThat(thrown.get()).isNull();
            }
            rdma.close();
        }
    }

    @Test
    void memoryOfAnotherProtectionDomainIsRefused() {
        try (RdmaPair rdma = RdmaPair.onOneDevice();
                ProtectionDomain other = rdma.left.context.newProtectionDomain();
                MemoryRegion foreign = other.allocate(64, Access.LOCAL_WRITE)) {
            assertThatThrownBy(() -> rdma.left.pair.newSend().from(foreign, 0, 8))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("protection domain");
            assertThatThrownBy(() -> rdma.left.pair.newSend().from(foreign.slice(0, 8)))
                    .isInstanceOf(IllegalArgumentException.class);
            assertThatThrownBy(() -> rdma.left.pair.newReceive().into(foreign, 0, 8))
                    .isInstanceOf(IllegalArgumentException.class);
        }
    }

    @Test
    void capacitiesOfNothingAndOfFarTooMuch() {
        try (DeviceContext context = Devices.first().open();
                ProtectionDomain domain = context.newProtectionDomain();
                CompletionQueue queue = context.newCompletionQueue(1)) {
            try (RcQueuePair none =
                    domain.newRcQueuePair(queue, queue)
                            .maxSendRequests(0)
                            .maxReceiveRequests(0)
                            .maxSendSge(0)
                            .maxReceiveSge(0)
                            .build()) {
                none.connect(none.endpoint());
                none.offer(none.newSend());
                none.offer(none.newReceive().empty());
                assertThat(none.maxSendSge()).isNotNegative();
            } catch (VerbsException e) {
                assertThat(e).hasMessageContaining("queue pair");
            }
            List<Consumer<RcQueuePair.Builder>> much =
                    List.of(
                            b -> b.maxSendRequests(Integer.MAX_VALUE),
                            b -> b.maxReceiveRequests(Integer.MAX_VALUE),
                            b -> b.maxSendSge(Integer.MAX_VALUE),
                            b -> b.maxReceiveSge(Integer.MAX_VALUE),
                            b -> b.maxInlineData(Integer.MAX_VALUE));
            for (Consumer<RcQueuePair.Builder> option : much) {
                RcQueuePair.Builder builder = domain.newRcQueuePair(queue, queue);
                option.accept(builder);
                assertThatThrownBy(builder::build).isInstanceOf(VerbsException.class);
            }
            for (int wrong : new int[] {0, -1, Integer.MIN_VALUE, Integer.MAX_VALUE}) {
                assertThatThrownBy(() -> context.newCompletionQueue(wrong))
                        .isInstanceOf(IllegalArgumentException.class);
                assertThatThrownBy(() -> WorkCompletions.allocate(wrong))
                        .isInstanceOf(IllegalArgumentException.class);
            }
            for (long wrong : new long[] {0, -1, Long.MIN_VALUE, Long.MAX_VALUE}) {
                assertThatThrownBy(() -> domain.allocate(wrong))
                        .isInstanceOf(IllegalArgumentException.class);
            }
        }
    }

    @Test
    @Holds("30")
    void aCompletionQueueThatOverflowsEndsInNoHang() {
        try (DeviceContext context = Devices.first().open();
                ProtectionDomain domain = context.newProtectionDomain();
                MemoryRegion memory = domain.allocate(64, RdmaPair.ALL);
                CompletionChannel channel = context.newCompletionChannel();
                CompletionQueue queue = context.newCompletionQueue(1, channel, 0);
                RcQueuePair pair =
                        domain.newRcQueuePair(queue, queue)
                                .remoteAccess(Access.REMOTE_WRITE)
                                .build()) {
            pair.connect(pair.endpoint());
            Write write = pair.newWrite().from(memory, 0, 8).to(memory.remote(), 0);
            for (int i = 0; i < 50; i++) {
                pair.offer(write);
            }
            WorkCompletions into = WorkCompletions.allocate(1 << 10);
            try {
                for (int i = 0; i < 1000; i++) {
                    queue.poll(into);
                }
            } catch (VerbsException e) {
                assertThat(e).hasMessageContaining("overflowed");
            }
        }
    }

    @Test
    void nullIsRefusedAndBreaksNothing() throws InterruptedException {
        try (RdmaPair rdma = RdmaPair.onOneDevice()) {
            RdmaPair.Side side = rdma.left;
            List<Consumer<RdmaPair.Side>> uses =
                    List.of(
                            s -> s.pair.post((Send) null),
                            s -> s.pair.offer((Send) null),
                            s -> s.pair.post((org.verbs4j.ReceiveRequest) null),
                            s -> s.pair.post((org.verbs4j.SendBatch) null),
                            s -> s.pair.post((org.verbs4j.ReceiveBatch) null),
                            s -> s.pair.newSendBatch(1).add(null),
                            s -> s.pair.newSend().from((MemoryRegion) null, 0, 1),
                            s -> s.pair.newSend().from(s.memory.slice(0, 1), null),
                            s -> s.pair.newWrite().to(null, 0),
                            s -> s.pair.modify(null),
                            s -> s.pair.connect(null),
                            s -> s.pair.connect(s.pair.endpoint(), null),
                            s -> s.queue.poll(null),
                            s -> s.queue.poll(null, null),
                            s -> s.domain.register(null),
                            s -> s.domain.allocate(10, (Access[]) null),
                            s -> s.domain.allocate(10, (Access) null),
                            s -> s.domain.newRcQueuePair(null, s.queue),
                            s -> s.domain.newRcQueuePair(s.queue, null),
                            s -> s.domain.newRcQueuePair(s.queue, s.queue).gid(null),
                            s ->
                                    s.domain
                                            .newRcQueuePair(s.queue, s.queue)
                                            .remoteAccess((Access) null)
                                            .build(),
                            s -> s.context.newCompletionQueue(1, null, 0),
                            s -> new org.verbs4j.QueuePairAttributes().state(null),
                            s -> new org.verbs4j.QueuePairEndpoint(1, 1, 0, null, null),
                            s -> Devices.byName(null));
            for (int i = 0; i < uses.size(); i++) {
                Consumer<RdmaPair.Side> use = uses.get(i);
                assertThatThrownBy(() -> use.accept(side))
                        .as("use %d", i)
                        .isInstanceOfAny(NullPointerException.class, VerbsException.class);
            }
            assertThatThrownBy(() -> side.queue.await(WorkCompletions.allocate(1), null))
                    .isInstanceOf(NullPointerException.class);
            assertThat(
                            side.run(
                                            side.pair
                                                    .newWrite()
                                                    .id(4)
                                                    .from(side.memory, 0, 8)
                                                    .to(rdma.right.memory.remote(), 0))
                                    .id())
                    .isEqualTo(4);
        }
    }

    @Test
    void manyOpensAndClosesLeaveNothing() throws IOException, InterruptedException {
        int cycles = Math.max(20, 300 / TestPlace.timeScale());
        cycle();
        cycle();
        int before = openFiles();
        String objects = KernelObjects.show();
        for (int i = 0; i < cycles; i++) {
            cycle();
        }
        assertThat(openFiles()).isEqualTo(before);
        assertThat(KernelObjects.show()).isEqualTo(objects);
    }

    private static void cycle() throws InterruptedException {
        try (RdmaPair rdma = RdmaPair.onOneDevice()) {
            rdma.left.queue.await(WorkCompletions.allocate(1), Duration.ZERO);
            rdma.left.pair.post(
                    rdma.left
                            .pair
                            .newWrite()
                            .from(rdma.left.memory, 0, 8)
                            .to(rdma.right.memory.remote(), 0));
        }
        try (DeviceContext context = Devices.first().open();
                ProtectionDomain domain = context.newProtectionDomain();
                CompletionQueue queue = context.newCompletionQueue(1)) {
            RcQueuePair.Builder bad = domain.newRcQueuePair(queue, queue).gidIndex(250);
            assertThatThrownBy(bad::build).isInstanceOf(IllegalArgumentException.class);
            RcQueuePair.Builder partition =
                    domain.newRcQueuePair(queue, queue).maxInlineData(1 << 30);
            assertThatThrownBy(partition::build).isInstanceOf(VerbsException.class);
            RcQueuePair pair = domain.newRcQueuePair(queue, queue).build();
            pair.moveToError();
            pair.close();
        }
    }

    private static int openFiles() throws IOException {
        int count = 0;
        try (DirectoryStream<Path> files = Files.newDirectoryStream(Path.of("/proc/self/fd"))) {
            for (Path file : files) {
                count += file.toString().isEmpty() ? 0 : 1;
            }
        }
        return count;
    }

    @Test
    void connectOptionsAtTheirExtremes() {
        List<ConnectOptions> extremes =
                List.of(
                        ConnectOptions.defaults().withReads(255, 255),
                        ConnectOptions.defaults().withReads(0, 0),
                        ConnectOptions.defaults().withService(15, 255, 255),
                        ConnectOptions.defaults().withService(0, 0, 1),
                        ConnectOptions.defaults().withTimeout(31).withRetries(0, 0),
                        ConnectOptions.defaults().withTimeout(0).withMinRnrTimer(0),
                        ConnectOptions.defaults().withMinRnrTimer(31));
        for (ConnectOptions options : extremes) {
            try (RdmaPair rdma = RdmaPair.onOneDevice(builder -> {}).connect(options)) {
                assertThat(
                                rdma.left
                                        .run(
                                                rdma.left
                                                        .pair
                                                        .newWrite()
                                                        .id(7)
                                                        .from(rdma.left.memory, 0, 8)
                                                        .to(rdma.right.memory.remote(), 0))
                                        .id())
                        .isEqualTo(7);
            }
        }
    }
}
