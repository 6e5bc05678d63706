package org.verbs4j.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.verbs4j.CompletionChannel;
import org.verbs4j.CompletionQueue;
import org.verbs4j.DeviceContext;
import org.verbs4j.WorkCompletions;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicReference;

/** Completion queues, channels, and every way in which a wait ends. */
class CompletionIT {
    private static final Duration SHORT = Duration.ofMillis(20);

    private RdmaPair pair;
    private RdmaPair.Side left;
    private RdmaPair.Side right;
    private final WorkCompletions completions = WorkCompletions.allocate(8);

    @BeforeEach
    void open() {
        pair = RdmaPair.onOneDevice();
        left = pair.left;
        right = pair.right;
    }

    @AfterEach
    void close() {
        pair.close();
    }

    private void write(int count) {
        for (int i = 0; i < count; i++) {
            left.pair.post(
                    left.pair
                            .newWrite()
                            .id(i)
                            .from(left.memory, 0, 8)
                            .to(right.memory.remote(), 0));
        }
    }

    @Test
    void anEmptyQueueGivesNothing() {
        assertThat(left.queue.poll(completions)).isZero();
        assertThat(completions.size()).isZero();
        assertThatThrownBy(() -> completions.get(0)).isInstanceOf(IndexOutOfBoundsException.class);
    }

    @Test
    void aPollTakesAsMuchAsThereIsRoomFor() {
        WorkCompletions two = WorkCompletions.allocate(2);
        write(3);
        Waits.until("two completions", () -> left.queue.poll(two) == 2);
        assertThat(two.get(0).wrId()).isZero();
        assertThat(two.get(1).wrId()).isEqualTo(1);
        assertThat(left.next().id()).isEqualTo(2);
    }

    @Test
    @Holds("23")
    void capacityIsAtLeastWhatWasAskedForAndItsLimitsAreTold() {
        DeviceContext context = left.context;
        int most = context.attributes().maxCompletions();
        try (CompletionQueue queue = context.newCompletionQueue(10)) {
            assertThat(queue.capacity()).isGreaterThanOrEqualTo(10);
            assertThat(queue.channel()).isNull();
        }
        for (int wrong : new int[] {0, -1, most + 1}) {
            assertThatThrownBy(() -> context.newCompletionQueue(wrong))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("holds 1 to " + most);
        }
        assertThatThrownBy(
                        () ->
                                context.newCompletionQueue(
                                        1, left.channel, context.completionVectors()))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("vector");
        assertThatThrownBy(() -> context.newCompletionQueue(1, right.channel, 0))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("another context");
    }

    @Test
    void aQueueWithoutChannelCannotBeWaitedFor() {
        try (CompletionQueue queue = left.context.newCompletionQueue(1)) {
            assertThatThrownBy(() -> queue.requestNotification(false))
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("has no channel");
            assertThatThrownBy(() -> queue.await(completions, SHORT))
                    .isInstanceOf(IllegalStateException.class);
        }
    }

    @Test
    void awaitTakesWhatIsThereAndWhatComes() throws InterruptedException {
        write(1);
        assertThat(left.queue.await(completions, Waits.LIMIT)).isEqualTo(1);
        Thread later =
                Thread.ofPlatform()
                        .start(
                                () -> {
                                    sleep(SHORT);
                                    write(1);
                                });
        assertThat(left.queue.await(completions, Waits.LIMIT)).isEqualTo(1);
        Waits.join(later);
    }

    @Test
    @Holds("28")
    void awaitEndsWhenTheTimeIsUp() throws InterruptedException {
        long start = System.nanoTime();
        assertThat(left.queue.await(completions, SHORT)).isZero();
        assertThat(System.nanoTime() - start).isGreaterThanOrEqualTo(SHORT.toNanos());
        assertThat(left.queue.await(completions, Duration.ZERO)).isZero();
        assertThat(left.channel.await(Duration.ofSeconds(-1))).isNull();
    }

    @Test
    @Holds("26")
    void aNotificationComesOnceForEachRequest() throws InterruptedException {
        left.queue.requestNotification(false);
        write(2);
        assertThat(left.channel.await(Waits.LIMIT)).isSameAs(left.queue);
        assertThat(left.next(2)).hasSize(2);
        assertThat(left.channel.await(SHORT)).isNull();
        write(1);
        left.next();
        assertThat(left.channel.await(SHORT)).isNull();
        left.queue.requestNotification(false);
        write(1);
        assertThat(left.channel.await(Waits.LIMIT)).isSameAs(left.queue);
        left.next();
    }

    @Test
    @Holds("27")
    void aMessageThatIsNotSolicitedDoesNotWakeWhoAskedForSolicitedOnes()
            throws InterruptedException {
        right.receive(1, 0, 8);
        right.receive(2, 0, 8);
        right.queue.requestNotification(true);
        left.run(left.pair.newSend().from(left.memory, 0, 8));
        right.next();
        assertThat(right.channel.await(SHORT)).isNull();
        left.run(left.pair.newSend().from(left.memory, 0, 8).solicited(true));
        assertThat(right.channel.await(Waits.LIMIT)).isSameAs(right.queue);
        right.next();
    }

    @Test
    void anInterruptEndsTheWait() throws InterruptedException {
        AtomicReference<Throwable> thrown = new AtomicReference<>();
        Thread waiter = waitInThread(left.queue, thrown);
        waiter.interrupt();
        Waits.join(waiter);
        assertThat(thrown.get()).isInstanceOf(InterruptedException.class);
    }

    @Test
    void aThreadThatIsInterruptedAlreadyDoesNotWait() {
        Thread.currentThread().interrupt();
        assertThatThrownBy(() -> left.queue.await(completions, Waits.LIMIT))
                .isInstanceOf(InterruptedException.class);
        assertThat(Thread.interrupted()).isFalse();
    }

    @Test
    void closingTheQueueEndsTheWait() throws InterruptedException {
        CompletionQueue queue = left.context.newCompletionQueue(8, left.channel, 0);
        AtomicReference<Throwable> thrown = new AtomicReference<>();
        Thread waiter = waitInThread(queue, thrown);
        queue.close();
        Waits.join(waiter);
        assertThat(thrown.get())
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("is closed");
    }

    @Test
    void closingTheChannelEndsTheWaitOfEveryThread() throws InterruptedException {
        CompletionChannel channel = left.context.newCompletionChannel();
        AtomicReference<Throwable> first = new AtomicReference<>();
        AtomicReference<Throwable> second = new AtomicReference<>();
        Thread one = start(first, () -> channel.await(Waits.LIMIT.multipliedBy(2)));
        Thread two = start(second, () -> channel.await(Waits.LIMIT.multipliedBy(2)));
        sleep(SHORT);
        channel.close();
        Waits.join(one);
        Waits.join(two);
        assertThat(first.get()).isInstanceOf(IllegalStateException.class);
        assertThat(second.get()).isInstanceOf(IllegalStateException.class);
        assertThatThrownBy(() -> channel.await(SHORT)).isInstanceOf(IllegalStateException.class);
    }

    @Test
    void threadsThatWaitForQueuesOfOneChannelEachGetTheirOwn() throws InterruptedException {
        CompletionQueue idle = left.context.newCompletionQueue(8, left.channel, 0);
        AtomicReference<Throwable> leader = new AtomicReference<>();
        Thread leading = waitInThread(idle, leader);
        Thread writer =
                Thread.ofPlatform()
                        .start(
                                () -> {
                                    sleep(SHORT);
                                    write(1);
                                });
        assertThat(left.queue.await(completions, Waits.LIMIT)).isEqualTo(1);
        Waits.join(writer);
        idle.close();
        Waits.join(leading);
        assertThat(leader.get()).isInstanceOf(IllegalStateException.class);
    }

    @Test
    @Holds("29")
    void manyNotificationsThatNobodyTookDoNotHangTheClose() throws InterruptedException {
        for (int i = 0; i < 100; i++) {
            left.queue.requestNotification(false);
            write(1);
            left.next();
            if (i % 3 == 0) {
                assertThat(left.channel.await(Waits.LIMIT)).isSameAs(left.queue);
            }
        }
        Thread closer = Thread.ofPlatform().start(() -> pair.close());
        Waits.join(closer);
    }

    private static Thread waitInThread(CompletionQueue queue, AtomicReference<Throwable> thrown) {
        Thread waiter =
                start(
                        thrown,
                        () ->
                                queue.await(
                                        WorkCompletions.allocate(1), Waits.LIMIT.multipliedBy(2)));
        sleep(SHORT);
        return waiter;
    }

    private interface Waiting {
        Object run() throws InterruptedException;
    }

    private static Thread start(AtomicReference<Throwable> thrown, Waiting waiting) {
        return Thread.ofPlatform()
                .start(
                        () -> {
                            try {
                                waiting.run();
                            } catch (Throwable e) {
                                thrown.set(e);
                            }
                        });
    }

    private static void sleep(Duration time) {
        try {
            Thread.sleep(time);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
