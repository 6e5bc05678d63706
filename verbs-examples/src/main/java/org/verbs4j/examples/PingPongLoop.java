package org.verbs4j.examples;

import org.verbs4j.CompletionQueue;
import org.verbs4j.QueuePair;
import org.verbs4j.ReceiveRequest;
import org.verbs4j.SendRequest;
import org.verbs4j.WorkCompletion;
import org.verbs4j.WorkCompletions;

import java.time.Duration;

/**
 * The traffic of a ping-pong: both sides send a message once they have received one and their own
 * has left. Nothing is allocated per message. Belongs to the thread that made it.
 *
 * <p>The receives all point to one buffer, which is also what is sent: a ping-pong never has two
 * messages under way.
 */
final class PingPongLoop {
    /** Request ids are those of the C tools, and serve as bits in {@link #pending}. */
    static final long RECEIVE_ID = 1;

    /** See {@link #RECEIVE_ID}. */
    static final long SEND_ID = 2;

    /** One send and one receive are the most that can end between two polls. */
    private static final int COMPLETIONS_AT_ONCE = 2;

    private final QueuePair pair;
    private final CompletionQueue queue;
    private final boolean events;
    private final SendRequest send;
    private final ReceiveRequest receive;
    private final int receiveDepth;
    private final WorkCompletions completions;
    private final Duration limit;
    private final BusyWait patience;

    private int outstandingReceives;
    private long pending = RECEIVE_ID;
    private int toSend;
    private int sent;
    private int received;

    /**
     * @param events sleep until {@code queue}, which then has a channel, notifies; else poll all
     *     the time
     * @param limit how long traffic may stand still
     */
    PingPongLoop(
            QueuePair pair,
            CompletionQueue queue,
            boolean events,
            SendRequest send,
            ReceiveRequest receive,
            int receiveDepth,
            Duration limit) {
        this.pair = pair;
        this.queue = queue;
        this.events = events;
        this.send = send.id(SEND_ID).signaled(true);
        this.receive = receive.id(RECEIVE_ID);
        this.receiveDepth = receiveDepth;
        this.completions = WorkCompletions.allocate(COMPLETIONS_AT_ONCE);
        this.limit = limit;
        this.patience = new BusyWait(limit);
    }

    /** Before the peer may know this queue pair. */
    void prepare() {
        postReceives();
    }

    /** The client's first message. */
    void serve() {
        post();
    }

    /** Goes on until {@code iterations} messages went each way. */
    void run(int iterations) throws InterruptedException {
        toSend = iterations;
        patience.reset();
        while (received < iterations || sent < iterations) {
            handle(events ? queue.await(completions, limit) : poll());
        }
    }

    private int poll() {
        int count = queue.poll(completions);
        while (count == 0 && patience.pause()) {
            count = queue.poll(completions);
        }
        patience.reset();
        return count;
    }

    private void handle(int count) {
        if (count == 0) {
            throw stalled();
        }
        for (int i = 0; i < count; i++) {
            handle(completions.get(i));
        }
    }

    private void handle(WorkCompletion completion) {
        completion.requireSuccess();
        long id = completion.wrId();
        if (id == SEND_ID) {
            sent++;
        } else if (id == RECEIVE_ID) {
            received++;
            if (--outstandingReceives <= 1) {
                postReceives();
            }
        } else {
            throw new ToolFailure("completion for unknown request " + id);
        }
        pending &= ~id;
        if (pending == 0 && sent < toSend) {
            post();
        }
    }

    /** The next one goes out when this message has left and its answer is here. */
    private void post() {
        pair.post(send);
        pending = SEND_ID | RECEIVE_ID;
    }

    private void postReceives() {
        while (outstandingReceives < receiveDepth) {
            pair.post(receive);
            outstandingReceives++;
        }
    }

    private ToolFailure stalled() {
        return new ToolFailure(
                "no completion for %s (%d sent, %d received): the peer is gone, or packets are lost"
                        .formatted(TimeLimits.text(limit), sent, received));
    }
}
