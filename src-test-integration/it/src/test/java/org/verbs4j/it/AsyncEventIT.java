package org.verbs4j.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.verbs4j.AsyncEvent;
import org.verbs4j.AsyncEvent.QueuePairEvent;
import org.verbs4j.CompletionQueue;
import org.verbs4j.ConnectOptions;
import org.verbs4j.DeviceContext;
import org.verbs4j.Devices;
import org.verbs4j.MemoryRegion;
import org.verbs4j.ProtectionDomain;
import org.verbs4j.QueuePairAttributes;
import org.verbs4j.QueuePairState;
import org.verbs4j.RcQueuePair;
import org.verbs4j.SharedReceiveQueue;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Predicate;

/** Asynchronous events: what happens, whose it is, and every way in which a wait ends. */
class AsyncEventIT {
    private static final Duration SHORT = Duration.ofMillis(20);

    private DeviceContext context;
    private ProtectionDomain domain;
    private MemoryRegion memory;

    @BeforeEach
    void open() {
        context = Devices.first().open();
        domain = context.newProtectionDomain();
        memory = domain.allocate(4096, RdmaPair.ALL);
    }

    @AfterEach
    void close() {
        memory.close();
        domain.close();
        context.close();
    }

    private RcQueuePair connectedToItself(CompletionQueue queue) {
        RcQueuePair pair =
                domain.newRcQueuePair(queue, queue).remoteAccess(RdmaPair.ALL[1]).build();
        pair.connect(pair.endpoint(), ConnectOptions.defaults());
        return pair;
    }

    /** The next event of a kind, with a limit; others, such as of the port, may come in between. */
    private static <T extends AsyncEvent> T next(
            DeviceContext context, Class<T> type, Predicate<T> wanted) throws InterruptedException {
        long deadline = System.nanoTime() + Waits.LIMIT.toNanos();
        while (System.nanoTime() < deadline) {
            AsyncEvent event = context.awaitAsyncEvent(SHORT);
            if (type.isInstance(event) && wanted.test(type.cast(event))) {
                return type.cast(event);
            }
        }
        throw new AssertionError("no " + type.getSimpleName() + " came");
    }

    /** Item 30. */
    @Test
    @Holds("30")
    void aQueueThatOverflowsIsTold() throws InterruptedException {
        CompletionQueue queue = context.newCompletionQueue(1);
        RcQueuePair pair = connectedToItself(queue);
        for (int i = 0; i < 8; i++) {
            pair.post(pair.newWrite().id(i).from(memory, 0, 8).to(memory.remote(), 64));
        }
        AsyncEvent.CompletionQueueError event =
                next(context, AsyncEvent.CompletionQueueError.class, any -> true);
        assertThat(event.completionQueue()).isSameAs(queue);
        assertThat(event.description()).isEqualTo("CQ error");
        pair.close();
        queue.close();
    }

    @Test
    void eventsThatNobodyReadDoNotHoldUpTheClose() {
        CompletionQueue queue = context.newCompletionQueue(1);
        RcQueuePair pair = connectedToItself(queue);
        for (int i = 0; i < 8; i++) {
            pair.post(pair.newWrite().id(i).from(memory, 0, 8).to(memory.remote(), 64));
        }
        pair.moveToError();
        pair.close();
        queue.close();
    }

    /** Item 41. */
    @Test
    @Holds("41")
    void aQueuePairThatHasDrainedIsTold() throws InterruptedException {
        CompletionQueue queue = context.newCompletionQueue(16);
        RcQueuePair pair = connectedToItself(queue);
        pair.modify(new QueuePairAttributes().state(QueuePairState.SEND_QUEUE_DRAIN));
        QueuePairEvent event =
                next(
                        context,
                        QueuePairEvent.class,
                        some -> some.kind() == QueuePairEvent.Kind.SEND_QUEUE_DRAINED);
        assertThat(event.queuePair()).isSameAs(pair);
        assertThat(event.description()).isEqualTo("send queue drained");
        pair.close();
        queue.close();
    }

    /** Item 62. */
    @Test
    @Holds("62")
    void aSharedReceiveQueueThatRunsLowIsToldOnce() throws InterruptedException {
        CompletionQueue queue = context.newCompletionQueue(16);
        SharedReceiveQueue shared = domain.newSharedReceiveQueue(8, 1);
        RcQueuePair pair = domain.newRcQueuePair(queue, queue).sharedReceiveQueue(shared).build();
        pair.connect(pair.endpoint(), ConnectOptions.defaults());
        for (int i = 0; i < 3; i++) {
            shared.post(shared.newReceive().into(memory, 0, 8));
        }
        shared.armLimit(3);
        pair.post(pair.newSend().from(memory, 8, 8));
        AsyncEvent.SharedReceiveQueueEvent event =
                next(context, AsyncEvent.SharedReceiveQueueEvent.class, any -> true);
        assertThat(event.queue()).isSameAs(shared);
        assertThat(event.kind()).isEqualTo(AsyncEvent.SharedReceiveQueueEvent.Kind.LIMIT_REACHED);
        assertThat(shared.query().limit()).isZero();
        pair.close();
        shared.close();
        queue.close();
    }

    @Test
    void nothingHappensUntilTheTimeIsOver() throws InterruptedException {
        assertThat(context.awaitAsyncEvent(Duration.ZERO)).isNull();
        long before = System.nanoTime();
        assertThat(context.awaitAsyncEvent(SHORT)).isNull();
        assertThat(System.nanoTime() - before).isGreaterThanOrEqualTo(SHORT.toNanos());
        assertThat(context.awaitAsyncEvent(Duration.ofSeconds(-1))).isNull();
        assertThat(context.asyncFileDescriptor()).isNotNegative();
    }

    private static Thread waiting(
            DeviceContext context, AtomicReference<@Nullable Throwable> end, boolean virtual) {
        Runnable wait =
                () -> {
                    try {
                        end.set(new AssertionError("" + context.awaitAsyncEvent(Waits.LIMIT)));
                    } catch (Throwable e) {
                        end.set(e);
                    }
                };
        return virtual ? Thread.ofVirtual().start(wait) : Thread.ofPlatform().start(wait);
    }

    @Test
    void anInterruptEndsTheWait() throws InterruptedException {
        for (boolean virtual : new boolean[] {false, true}) {
            AtomicReference<@Nullable Throwable> end = new AtomicReference<>();
            Thread waiter = waiting(context, end, virtual);
            Thread.sleep(SHORT);
            waiter.interrupt();
            Waits.join(waiter);
            assertThat(end.get()).isInstanceOf(InterruptedException.class);
        }
        Thread.currentThread().interrupt();
        assertThatThrownBy(() -> context.awaitAsyncEvent(SHORT))
                .isInstanceOf(InterruptedException.class);
    }

    @Test
    void closingTheContextEndsEveryWait() throws InterruptedException {
        for (boolean virtual : new boolean[] {false, true}) {
            DeviceContext other = Devices.first().open();
            AtomicReference<@Nullable Throwable> first = new AtomicReference<>();
            AtomicReference<@Nullable Throwable> second = new AtomicReference<>();
            Thread one = waiting(other, first, virtual);
            Thread two = waiting(other, second, virtual);
            Thread.sleep(SHORT);
            other.close();
            Waits.join(one);
            Waits.join(two);
            for (AtomicReference<@Nullable Throwable> end : List.of(first, second)) {
                assertThat(end.get())
                        .isInstanceOf(IllegalStateException.class)
                        .hasMessageContaining("is closed");
            }
            assertThatThrownBy(() -> other.awaitAsyncEvent(Duration.ZERO))
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("is closed");
        }
    }

    @Test
    void aCloseThatIsRefusedLeavesTheEventsOpen() throws InterruptedException {
        assertThatThrownBy(context::close).isInstanceOf(IllegalStateException.class);
        assertThat(context.awaitAsyncEvent(SHORT)).isNull();
    }

    @Test
    void severalThreadsWaitAndEachEventGoesToOne() throws InterruptedException {
        CompletionQueue queue = context.newCompletionQueue(16);
        RcQueuePair first = connectedToItself(queue);
        RcQueuePair second = connectedToItself(queue);
        var drained = new ConcurrentLinkedQueue<QueuePairEvent>();
        Thread[] waiters = new Thread[2];
        for (int i = 0; i < waiters.length; i++) {
            waiters[i] =
                    Thread.ofPlatform()
                            .start(
                                    () -> {
                                        try {
                                            drained.add(
                                                    next(
                                                            context,
                                                            QueuePairEvent.class,
                                                            any -> true));
                                        } catch (InterruptedException e) {
                                            throw new AssertionError(e);
                                        }
                                    });
        }
        first.modify(new QueuePairAttributes().state(QueuePairState.SEND_QUEUE_DRAIN));
        second.modify(new QueuePairAttributes().state(QueuePairState.SEND_QUEUE_DRAIN));
        for (Thread waiter : waiters) {
            Waits.join(waiter);
        }
        assertThat(drained)
                .extracting(QueuePairEvent::queuePair)
                .containsExactlyInAnyOrder(first, second);
        first.close();
        second.close();
        queue.close();
    }

    @Test
    void aPortThatGoesDownAndUpAndANewAddressAreTold() throws Exception {
        try (SpareDevice spare = SpareDevice.make();
                DeviceContext other = Devices.byName(spare.name()).open()) {
            spare.ip("link", "set", spare.netdev(), "down");
            AsyncEvent.PortEvent down =
                    next(
                            other,
                            AsyncEvent.PortEvent.class,
                            event -> event.kind() == AsyncEvent.PortEvent.Kind.ERROR);
            assertThat(down.port()).isEqualTo(1);
            assertThat(down.description()).isEqualTo("port error");
            spare.ip("link", "set", spare.netdev(), "up");
            next(
                    other,
                    AsyncEvent.PortEvent.class,
                    event -> event.kind() == AsyncEvent.PortEvent.Kind.ACTIVE);
            spare.ip("addr", "add", "10.79.0.9/24", "dev", spare.netdev());
            next(
                    other,
                    AsyncEvent.PortEvent.class,
                    event -> event.kind() == AsyncEvent.PortEvent.Kind.GID_CHANGE);
        }
    }
}
