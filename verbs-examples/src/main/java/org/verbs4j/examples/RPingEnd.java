package org.verbs4j.examples;

import org.verbs4j.Access;
import org.verbs4j.CompletionChannel;
import org.verbs4j.CompletionQueue;
import org.verbs4j.DeviceContext;
import org.verbs4j.MemoryRegion;
import org.verbs4j.ProtectionDomain;
import org.verbs4j.RcQueuePair;
import org.verbs4j.ReceiveRequest;
import org.verbs4j.Send;
import org.verbs4j.WorkCompletion;
import org.verbs4j.WorkCompletions;
import org.verbs4j.WorkStatus;
import org.verbs4j.cm.Connection;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;
import java.time.Duration;
import java.util.function.BooleanSupplier;

/**
 * What both sides of {@link RPing} have: a queue pair, its buffers, and messages of 16 bytes, in
 * which a side offers a buffer.
 *
 * <pre>
 *    0                       8           12          16
 *   +-----------------------+-----------+-----------+
 *   | address               | rkey      | size      |   big-endian
 *   +-----------------------+-----------+-----------+
 * </pre>
 *
 * Belongs to one thread.
 */
final class RPingEnd implements AutoCloseable {
    /** Bytes of the largest ping. */
    static final int LARGEST = 65_535;

    private static final int MESSAGE = 16;
    private static final int RECEIVED = MESSAGE;
    private static final int SENDS = 16;
    private static final int RECEIVES = 2;
    private static final int COMPLETIONS = 32;
    private static final long RECEIVE_ID = 1;
    private static final long MESSAGE_ID = 2;
    private static final long TRANSFER_ID = 3;

    /** How long the end of the connection may go unnoticed. */
    private static final Duration LOOK_AFTER = Duration.ofMillis(20);

    private static final ValueLayout.OfLong LONG =
            ValueLayout.JAVA_LONG.withOrder(ByteOrder.BIG_ENDIAN);
    private static final ValueLayout.OfInt INT =
            ValueLayout.JAVA_INT.withOrder(ByteOrder.BIG_ENDIAN);

    private final Duration silenceLimit;
    private final ProtectionDomain domain;
    private final CompletionChannel channel;
    private final CompletionQueue queue;
    private final RcQueuePair pair;
    private final MemoryRegion messages;
    private final MemoryRegion start;
    private final MemoryRegion sink;
    private final ReceiveRequest receive;
    private final Send message;
    private final WorkCompletions completions = WorkCompletions.allocate(COMPLETIONS);
    private int unread;
    private boolean transferred;

    RPingEnd(DeviceContext context, Duration silenceLimit) {
        this.silenceLimit = silenceLimit;
        domain = context.newProtectionDomain();
        channel = context.newCompletionChannel();
        queue = context.newCompletionQueue(COMPLETIONS, channel, 0);
        pair =
                domain.newRcQueuePair(queue, queue)
                        .remoteAccess(Access.REMOTE_READ, Access.REMOTE_WRITE)
                        .maxSendRequests(SENDS)
                        .maxReceiveRequests(RECEIVES)
                        .build();
        messages = domain.allocate(2 * MESSAGE, Access.LOCAL_WRITE);
        start = lent();
        sink = lent();
        receive = pair.newReceive().id(RECEIVE_ID).into(messages, RECEIVED, MESSAGE);
        message = pair.newSend().id(MESSAGE_ID).signaled(true).from(messages, 0, MESSAGE);
        pair.post(receive);
    }

    private MemoryRegion lent() {
        return domain.allocate(
                LARGEST + 1, Access.LOCAL_WRITE, Access.REMOTE_READ, Access.REMOTE_WRITE);
    }

    RcQueuePair pair() {
        return pair;
    }

    /** What the client sends out. */
    MemoryRegion start() {
        return start;
    }

    /** What comes back to the client; on the server what it reads and writes. */
    MemoryRegion sink() {
        return sink;
    }

    /** Sends a message that offers a buffer; a server's go-ahead has the last one's contents. */
    void offer(MemoryRegion buffer, int size) {
        MemorySegment bytes = messages.segment();
        bytes.set(LONG, 0, buffer.address());
        bytes.set(INT, 8, buffer.rkey());
        bytes.set(INT, 12, size);
        goAhead();
    }

    void goAhead() {
        pair.post(message);
    }

    long offeredAddress() {
        return messages.segment().get(LONG, RECEIVED);
    }

    int offeredKey() {
        return messages.segment().get(INT, RECEIVED + 8L);
    }

    int offeredSize() {
        return messages.segment().get(INT, RECEIVED + 12L);
    }

    /** Reads what the peer has offered into the sink. */
    void read(int size) {
        pair.post(
                pair.newRead()
                        .id(TRANSFER_ID)
                        .signaled(true)
                        .from(offeredAddress(), offeredKey())
                        .into(sink, 0, size));
    }

    /** Writes the beginning of the sink to where the peer has offered. */
    void write(int size) {
        pair.post(
                pair.newWrite()
                        .id(TRANSFER_ID)
                        .signaled(true)
                        .from(sink, 0, size)
                        .to(offeredAddress(), offeredKey()));
    }

    /** Waits for the next message; false when the connection has ended. */
    boolean awaitMessage(Connection connection) throws InterruptedException {
        if (!await(connection, () -> unread > 0)) {
            return false;
        }
        unread--;
        return true;
    }

    /** Waits for the read or write; false when the connection has ended. */
    boolean awaitTransfer(Connection connection) throws InterruptedException {
        if (!await(connection, () -> transferred)) {
            return false;
        }
        transferred = false;
        return true;
    }

    private boolean await(Connection connection, BooleanSupplier done) throws InterruptedException {
        long giveUp = System.nanoTime() + silenceLimit.toNanos();
        while (!done.getAsBoolean()) {
            int taken = queue.await(completions, LOOK_AFTER);
            for (int i = 0; i < taken; i++) {
                if (!count(completions.get(i))) {
                    return false;
                }
            }
            if (taken == 0 && !connection.isConnected()) {
                return false;
            }
            if (taken == 0 && System.nanoTime() - giveUp > 0) {
                throw new ToolFailure(
                        "the peer has been silent for " + TimeLimits.text(silenceLimit));
            }
        }
        return true;
    }

    private boolean count(WorkCompletion completion) {
        if (completion.status() == WorkStatus.FLUSHED) {
            return false;
        }
        if (!completion.isSuccess()) {
            throw new ToolFailure("cq completion failed status " + completion.statusCode());
        }
        if (completion.wrId() == RECEIVE_ID) {
            if (completion.byteLength() != MESSAGE) {
                throw new ToolFailure("Received bogus data, size " + completion.byteLength());
            }
            unread++;
            pair.post(receive);
        } else if (completion.wrId() == TRANSFER_ID) {
            transferred = true;
        }
        return true;
    }

    @Override
    public void close() {
        pair.close();
        sink.close();
        start.close();
        messages.close();
        queue.close();
        channel.close();
        domain.close();
    }
}
