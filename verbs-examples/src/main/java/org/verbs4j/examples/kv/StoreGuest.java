package org.verbs4j.examples.kv;

import org.jspecify.annotations.Nullable;
import org.verbs4j.MemoryRegion;
import org.verbs4j.RcQueuePair;
import org.verbs4j.Send;
import org.verbs4j.VerbsException;
import org.verbs4j.cm.Connection;

import java.util.concurrent.atomic.AtomicLong;

/**
 * A client as its server sees it. The port's thread answers; the client's own thread waits for its
 * end and closes it.
 */
final class StoreGuest {
    private final RcQueuePair pair;
    private final MemoryRegion outbox;
    private final long answerId;
    private @Nullable Send send;
    private volatile @Nullable Connection connection;
    private final AtomicLong messages = new AtomicLong();

    /**
     * @param outbox for one answer, which is sent inline, so that all clients share it
     */
    StoreGuest(RcQueuePair pair, MemoryRegion outbox, long answerId) {
        this.pair = pair;
        this.outbox = outbox;
        this.answerId = answerId;
    }

    void connected(Connection made) {
        connection = made;
    }

    long messages() {
        return messages.get();
    }

    /** Of the port's thread. */
    void answer(Answer answer) {
        messages.incrementAndGet();
        answer.encode(outbox.segment().asByteBuffer());
        try {
            if (!pair.offer(request())) { // a client that sends, but takes no answers
                end();
            }
        } catch (IllegalStateException | VerbsException e) {
            end(); // it has gone meanwhile
        }
    }

    private Send request() {
        Send made = send;
        if (made == null) {
            made = pair.newSend().id(answerId).from(outbox, 0, Answer.ENCODED_LENGTH).inline(true);
            send = made;
        }
        return made;
    }

    /** Lets the client's thread find the end of the connection. */
    void end() {
        Connection ended = connection;
        if (ended != null) {
            ended.disconnect();
        }
    }
}
