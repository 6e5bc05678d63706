package org.verbs4j.examples;

import org.jspecify.annotations.Nullable;
import org.verbs4j.CompletionChannel;
import org.verbs4j.CompletionField;
import org.verbs4j.CompletionQueue;
import org.verbs4j.DeviceContext;
import org.verbs4j.ExtendedCompletion;
import org.verbs4j.ExtendedCompletionQueue;
import org.verbs4j.ExtendedCompletions;
import org.verbs4j.WorkCompletion;
import org.verbs4j.WorkCompletions;

import java.time.Duration;

/**
 * Where a ping-pong's messages complete, with or without time stamps. Nothing is allocated per
 * message. Belongs to one thread.
 */
abstract sealed class PingPongQueue implements AutoCloseable {
    /** What a completion means to the game. */
    interface Taker {
        /**
         * Called for each, which succeeded.
         *
         * @param timestamp in clock cycles of the device; 0 without time stamps
         */
        void take(int queuePairNumber, long wrId, long byteLength, long timestamp);
    }

    static PingPongQueue plain(
            DeviceContext context, int capacity, @Nullable CompletionChannel channel, int atOnce) {
        return new Plain(
                channel == null
                        ? context.newCompletionQueue(capacity)
                        : context.newCompletionQueue(capacity, channel, 0),
                atOnce);
    }

    static PingPongQueue stamped(
            DeviceContext context, int capacity, @Nullable CompletionChannel channel, int atOnce) {
        ExtendedCompletionQueue.Builder builder =
                context.newExtendedCompletionQueue(capacity)
                        .fields(
                                CompletionField.TIMESTAMP,
                                CompletionField.BYTE_LENGTH,
                                CompletionField.QUEUE_PAIR_NUMBER);
        if (channel != null) {
            builder.channel(channel, 0);
        }
        return new Stamped(builder.build(), atOnce);
    }

    /** To make queue pairs on. */
    abstract CompletionQueue queue();

    /** Takes what is there; returns how many. */
    abstract int poll();

    /** Waits; returns 0 on time-out. */
    abstract int await(Duration limit) throws InterruptedException;

    /** Hands out what was taken. */
    abstract void handOut(int count, Taker taker);

    @Override
    public abstract void close();

    private static final class Plain extends PingPongQueue {
        private final CompletionQueue queue;
        private final WorkCompletions completions;

        Plain(CompletionQueue queue, int atOnce) {
            this.queue = queue;
            this.completions = WorkCompletions.allocate(atOnce);
        }

        @Override
        CompletionQueue queue() {
            return queue;
        }

        @Override
        int poll() {
            return queue.poll(completions);
        }

        @Override
        int await(Duration limit) throws InterruptedException {
            return queue.await(completions, limit);
        }

        @Override
        void handOut(int count, Taker taker) {
            for (int i = 0; i < count; i++) {
                WorkCompletion one = completions.get(i);
                one.requireSuccess();
                taker.take(one.queuePairNumber(), one.wrId(), one.byteLength(), 0);
            }
        }

        @Override
        public void close() {
            queue.close();
        }
    }

    private static final class Stamped extends PingPongQueue {
        private final ExtendedCompletionQueue queue;
        private final ExtendedCompletions completions;

        Stamped(ExtendedCompletionQueue queue, int atOnce) {
            this.queue = queue;
            this.completions = ExtendedCompletions.allocate(atOnce);
        }

        @Override
        CompletionQueue queue() {
            return queue.queue();
        }

        @Override
        int poll() {
            return queue.poll(completions);
        }

        @Override
        int await(Duration limit) throws InterruptedException {
            return queue.await(completions, limit);
        }

        @Override
        void handOut(int count, Taker taker) {
            for (int i = 0; i < count; i++) {
                ExtendedCompletion one = completions.get(i);
                one.requireSuccess();
                taker.take(one.queuePairNumber(), one.wrId(), one.byteLength(), one.timestamp());
            }
        }

        @Override
        public void close() {
            queue.close();
        }
    }
}
