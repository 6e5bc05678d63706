package org.verbs4j.cm;

import org.verbs4j.CompletionHandler;
import org.verbs4j.CompletionQueue;
import org.verbs4j.PostException;
import org.verbs4j.RcQueuePair;
import org.verbs4j.ReceiveRequest;
import org.verbs4j.Send;
import org.verbs4j.WorkCompletion;
import org.verbs4j.WorkCompletions;
import org.verbs4j.internal.VerbsInternals;

import java.util.concurrent.ThreadLocalRandom;

/**
 * Takes everything that a queue pair in error still owes: a marker is posted to each of its queues,
 * and when it comes out flushed, so has everything before it.
 */
final class Drain {
    private final RcQueuePair pair;
    private final WorkCompletions into;
    private final CompletionHandler handler;
    private final Runnable requireOpen;
    private final long marker = ThreadLocalRandom.current().nextLong();
    private boolean sendsMarked;
    private boolean receivesMarked;
    private boolean sendsDone;
    private boolean receivesDone;

    /**
     * A drain of one connection's queue pair.
     *
     * @param requireOpen throws when the connection has been closed, which ends the drain
     */
    Drain(RcQueuePair pair, WorkCompletions into, CompletionHandler handler, Runnable requireOpen) {
        this.pair = pair;
        this.into = into;
        this.handler = handler;
        this.requireOpen = requireOpen;
    }

    @SuppressWarnings("ThreadPriorityCheck") // the device may need this very processor
    boolean run(Deadline deadline) throws InterruptedException {
        CompletionQueue sends = VerbsInternals.get().sendQueueOf(pair);
        CompletionQueue receives = VerbsInternals.get().receiveQueueOf(pair);
        Send last = pair.newSend().id(marker).signaled(true);
        ReceiveRequest lastReceive = pair.newReceive().id(~marker);
        while (true) {
            mark(last, lastReceive);
            int taken = sends.poll(into, this::take);
            if (receives != sends) {
                taken += receives.poll(into, this::take);
            }
            if (sendsDone && receivesDone) {
                return true;
            }
            if (Thread.interrupted()) {
                throw new InterruptedException("interrupted while draining " + pair);
            }
            requireOpen.run();
            if (taken == 0) {
                if (deadline.left().isZero()) {
                    return false;
                }
                Thread.yield();
            }
        }
    }

    /** A full queue takes its marker when something has come out. */
    private void mark(Send last, ReceiveRequest lastReceive) {
        boolean before = sendsMarked && receivesMarked;
        sendsMarked = sendsMarked || offer(last);
        receivesMarked = receivesMarked || pair.offer(lastReceive);
        if (!before && receivesMarked && sendsMarked) {
            // rxe of Linux 6.1 flushes a receive that came after the error only at the next push
            pair.moveToError();
        }
    }

    private boolean offer(Send last) {
        try {
            return pair.offer(last);
        } catch (PostException e) {
            sendsDone = true; // a provider that refuses in error has flushed what it had
            return true;
        }
    }

    private void take(WorkCompletion completion) {
        if (completion.queuePairNumber() == pair.number() && completion.wrId() == marker) {
            sendsDone = true;
        } else if (completion.queuePairNumber() == pair.number() && completion.wrId() == ~marker) {
            receivesDone = true;
        } else {
            handler.onCompletion(completion);
        }
    }
}
