package org.verbs4j.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.verbs4j.CompletionChannel;
import org.verbs4j.CompletionQueue;
import org.verbs4j.ConnectOptions;
import org.verbs4j.RcQueuePair;
import org.verbs4j.UnsupportedVerbException;
import org.verbs4j.VerbsException;
import org.verbs4j.WorkCompletions;
import org.verbs4j.bindings.Posix;

import java.lang.foreign.ValueLayout;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** Completion queues are resized, moderated, and share a channel. */
class CompletionQueueControlIT {
    private static final int PENDING = 20;

    private RdmaPair pair;
    private RdmaPair.Side left;
    private RdmaPair.Side right;

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

    /** Completions that are in the queue and stay there: the last one is looked at by reading. */
    private void fill(int count) {
        write(count);
        left.pair.post(
                left.pair
                        .newRead()
                        .id(count)
                        .into(left.memory, 64, 8)
                        .from(right.memory.remote(), 0));
        right.memory.segment().set(ValueLayout.JAVA_LONG, 0, -1L);
        Waits.until("the read", () -> left.memory.segment().get(ValueLayout.JAVA_LONG, 64) != 0);
    }

    @Test
    @Holds("31")
    void aQueueGrowsAndShrinksWithWhatIsInIt() {
        right.memory.segment().set(ValueLayout.JAVA_LONG, 0, -1L);
        left.memory.segment().set(ValueLayout.JAVA_LONG, 0, -1L);
        fill(PENDING);
        left.queue.resize(1000);
        assertThat(left.queue.capacity()).isGreaterThanOrEqualTo(1000);
        left.queue.resize(PENDING + 10);
        assertThat(left.queue.capacity()).isBetween(PENDING + 10, 1000);
        assertThat(left.next(PENDING + 1)).extracting(Done::id).contains(0L, (long) PENDING);
        write(2);
        assertThat(left.next(2)).extracting(Done::id).containsExactly(0L, 1L);
    }

    @Test
    @Holds("31")
    void aQueueDoesNotShrinkBelowWhatIsInIt() {
        left.memory.segment().set(ValueLayout.JAVA_LONG, 0, -1L);
        right.memory.segment().set(ValueLayout.JAVA_LONG, 0, -1L);
        fill(PENDING);
        Throwable refused = catchThrowable(() -> left.queue.resize(2));
        // Kernels from 6.12 on do not look.
        if (refused != null) {
            assertThat(refused)
                    .isInstanceOfSatisfying(
                            VerbsException.class,
                            e -> assertThat(e.errno()).isEqualTo(Posix.EINVAL()))
                    .hasMessageContaining("poll first");
            assertThat(left.next(PENDING + 1)).hasSize(PENDING + 1);
        }
    }

    @Test
    void aCapacityThatTheDeviceDoesNotHaveIsRefused() {
        int most = left.context.attributes().maxCompletions();
        for (int wrong : new int[] {0, -1, most + 1}) {
            assertThatThrownBy(() -> left.queue.resize(wrong))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("holds 1 to " + most);
        }
    }

    @Test
    void aClosedQueueIsNotResized() {
        CompletionQueue queue = left.context.newCompletionQueue(8);
        queue.close();
        assertThatThrownBy(() -> queue.resize(16))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("is closed");
    }

    @Test
    void softRoceDoesNotModerate() {
        assertThatThrownBy(() -> left.queue.moderate(16, Duration.ofNanos(10_000)))
                .isInstanceOf(UnsupportedVerbException.class)
                .hasMessageContaining("ibv_modify_cq")
                .hasMessageContaining("the provider " + left.context.provider());
        assertThatThrownBy(() -> left.queue.moderate(0x10000, Duration.ZERO))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("0 to 65535");
        assertThatThrownBy(() -> left.queue.moderate(1, Duration.ofSeconds(1)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("period in microseconds");
    }

    @Test
    @Holds("26")
    void oneChannelTellsWhichOfItsQueuesHasNotified() throws InterruptedException {
        int vectors = left.context.completionVectors();
        try (CompletionChannel channel = left.context.newCompletionChannel()) {
            List<CompletionQueue> queues = new ArrayList<>();
            List<RcQueuePair> pairs = new ArrayList<>();
            for (int i = 0; i < 3; i++) {
                CompletionQueue queue = left.context.newCompletionQueue(8, channel, i % vectors);
                queues.add(queue);
                pairs.add(left.domain.newRcQueuePair(queue, queue).build());
                queue.requestNotification(false);
            }
            RcQueuePair second = pairs.get(1);
            second.connect(second.endpoint(), ConnectOptions.defaults());
            second.post(second.newReceive().into(left.memory, 0, 8));
            second.post(second.newSend().from(left.memory, 8, 8));
            assertThat(channel.await(Waits.LIMIT)).isSameAs(queues.get(1));
            assertThat(channel.await(Duration.ZERO)).isNull();
            pairs.forEach(RcQueuePair::close);
            queues.forEach(CompletionQueue::close);
        }
    }

    @Test
    @Holds("29")
    void notificationsThatNobodyTookDoNotHoldUpTheClose() {
        try (CompletionChannel channel = left.context.newCompletionChannel()) {
            CompletionQueue queue = left.context.newCompletionQueue(64, channel, 0);
            RcQueuePair self = left.domain.newRcQueuePair(queue, queue).build();
            self.connect(self.endpoint(), ConnectOptions.defaults());
            WorkCompletions some = WorkCompletions.allocate(4);
            for (int i = 0; i < 5; i++) {
                queue.requestNotification(false);
                self.post(self.newReceive().into(left.memory, 0, 8));
                self.post(self.newSend().from(left.memory, 8, 8));
                Waits.until("a completion", () -> queue.poll(some) > 0);
            }
            self.close();
            queue.close();
        }
    }
}
