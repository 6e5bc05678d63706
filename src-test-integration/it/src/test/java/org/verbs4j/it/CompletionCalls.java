package org.verbs4j.it;

import org.verbs4j.CompletionChannel;
import org.verbs4j.CompletionField;
import org.verbs4j.CompletionQueue;
import org.verbs4j.ConnectOptions;
import org.verbs4j.DeviceContext;
import org.verbs4j.ExtendedCompletionQueue;
import org.verbs4j.ExtendedCompletions;
import org.verbs4j.MemoryRegion;
import org.verbs4j.ProtectionDomain;
import org.verbs4j.QueuePairAttributes;
import org.verbs4j.QueuePairState;
import org.verbs4j.RcQueuePair;
import org.verbs4j.WorkCompletions;

import java.time.Duration;

/** The waits for completions and for events of a device. */
final class CompletionCalls {
    private CompletionCalls() {}

    /** A queue pair that is connected to itself. */
    private abstract static class OnDevice extends BlockingCall {
        final DeviceContext context = keep(TestPlace.devices().getFirst().open());
        final CompletionChannel channel = keep(context.newCompletionChannel());
        final ProtectionDomain domain = keep(context.newProtectionDomain());
        final MemoryRegion memory = keep(domain.allocate(4096, RdmaPair.ALL));

        RcQueuePair newPair(CompletionQueue queue) {
            RcQueuePair pair =
                    keep(domain.newRcQueuePair(queue, queue).remoteAccess(RdmaPair.ALL[1]).build());
            pair.connect(pair.endpoint(), ConnectOptions.defaults());
            return pair;
        }

        void write(RcQueuePair pair) {
            pair.post(pair.newWrite().signaled(true).from(memory, 0, 8).to(memory.remote(), 64));
        }
    }

    /** The completion of a write, or of one that is flushed because it is posted in ERROR. */
    private abstract static class OfAWrite extends OnDevice {
        abstract RcQueuePair pair();

        @Override
        final void succeed() {
            write(pair());
        }

        @Override
        final void fail() {
            pair().moveToError();
            write(pair());
        }
    }

    /** A completion. */
    static final class AwaitCompletion extends OfAWrite {
        private final CompletionQueue queue = keep(context.newCompletionQueue(8, channel, 0));
        private final RcQueuePair pair = newPair(queue);

        @Override
        RcQueuePair pair() {
            return pair;
        }

        @Override
        Object await(Duration timeout) throws Exception {
            WorkCompletions into = WorkCompletions.allocate(1);
            int taken = queue.await(into, timeout);
            return taken == 0 ? "0" : taken + " " + into.get(0).status();
        }

        @Override
        void closeWaitedOn() {
            pair.close();
            queue.close();
        }
    }

    /** A completion with more fields. */
    static final class AwaitExtendedCompletion extends OfAWrite {
        private final ExtendedCompletionQueue queue =
                keep(
                        context.newExtendedCompletionQueue(8)
                                .fields(CompletionField.BYTE_LENGTH)
                                .channel(channel, 0)
                                .build());
        private final RcQueuePair pair = newPair(queue.queue());

        @Override
        RcQueuePair pair() {
            return pair;
        }

        @Override
        Object await(Duration timeout) throws Exception {
            ExtendedCompletions into = ExtendedCompletions.allocate(1);
            int taken = queue.await(into, timeout);
            return taken == 0 ? "0" : taken + " " + into.get(0).status();
        }

        @Override
        void closeWaitedOn() {
            pair.close();
            queue.close();
        }
    }

    /** A notification. */
    static final class AwaitNotification extends OfAWrite {
        private final CompletionQueue queue = keep(context.newCompletionQueue(8, channel, 0));
        private final RcQueuePair pair = newPair(queue);

        AwaitNotification() {
            queue.requestNotification(false);
        }

        @Override
        RcQueuePair pair() {
            return pair;
        }

        @Override
        Object await(Duration timeout) throws Exception {
            CompletionQueue notified = channel.await(timeout);
            if (notified == null) {
                return "null";
            }
            Done done = Waits.completions(notified, 1).getFirst();
            return (notified == queue ? "the queue, " : "another queue, ") + done.status();
        }

        @Override
        void closeWaitedOn() {
            pair.close();
            queue.close();
            channel.close();
        }
    }

    /** An event of the device. */
    static final class AwaitAsyncEvent extends OnDevice {
        private final CompletionQueue queue = keep(context.newCompletionQueue(1));
        private final RcQueuePair pair = newPair(queue);

        @Override
        Object await(Duration timeout) throws Exception {
            return String.valueOf(context.awaitAsyncEvent(timeout));
        }

        @Override
        void succeed() {
            pair.modify(new QueuePairAttributes().state(QueuePairState.SEND_QUEUE_DRAIN));
        }

        /** More completions than the queue holds. */
        @Override
        void fail() {
            for (int i = 0; i < 8; i++) {
                write(pair);
            }
        }

        @Override
        void closeWaitedOn() throws Exception {
            close();
        }
    }
}
