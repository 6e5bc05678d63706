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
    /**
     * Markers come after the rest has been taken: a completion queue that has room for no more than
     * what its queue pairs owe would overrun, and lose them.
     */
    private static final long QUIET_NANOS = 1_000_000;

    private final RcQueuePair pair;
    private final WorkCompletions into;
    private final CompletionHandler handler;
    private final Runnable requireOpen;
    private final long marker = ThreadLocalRandom.current().nextLong();
    private boolean sendsMarked;
    private boolean receivesMarked;
    private boolean sendsDone;
    private boolean receivesDone;

    /** Other queue pairs on the same queues may never be quiet. */
    private boolean tookOwn;

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
        long heard = System.nanoTime();
        while (true) {
            tookOwn = false;
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
            boolean late = deadline.left().isZero();
            if (tookOwn) {
                heard = System.nanoTime();
            } else if (late || System.nanoTime() - heard >= QUIET_NANOS) {
                if (!mark(last, lastReceive) && late) {
                    return false;
                }
            }
            if (taken == 0) {
                Thread.yield();
            }
        }
    }

    /**
     * A full queue takes its marker when something has come out.
     *
     * @return whether there is a marker more
     */
    private boolean mark(Send last, ReceiveRequest lastReceive) {
        boolean sendsBefore = sendsMarked;
        boolean receivesBefore = receivesMarked;
        boolean before = sendsBefore && receivesBefore;
        sendsMarked = sendsMarked || offer(last);
        receivesMarked = receivesMarked || pair.offer(lastReceive);
        if (!before && receivesMarked && sendsMarked) {
            // rxe of Linux 6.1 flushes a receive that came after the error only at the next push
            pair.moveToError();
        }
        return sendsMarked != sendsBefore || receivesMarked != receivesBefore;
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
            tookOwn = tookOwn || completion.queuePairNumber() == pair.number();
            handler.onCompletion(completion);
        }
    }
}
