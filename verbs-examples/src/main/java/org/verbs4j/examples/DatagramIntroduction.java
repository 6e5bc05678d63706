package org.verbs4j.examples;

import org.verbs4j.CompletionQueue;
import org.verbs4j.Send;
import org.verbs4j.UdQueuePair;
import org.verbs4j.WorkCompletion;
import org.verbs4j.WorkCompletions;
import org.verbs4j.cm.ConnectionException;
import org.verbs4j.cm.Connector;
import org.verbs4j.cm.DatagramConnector;
import org.verbs4j.cm.DatagramListener;
import org.verbs4j.cm.DatagramPeer;
import org.verbs4j.cm.DatagramRequest;

import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.time.Duration;

/**
 * Tells the queue pairs of a datagram test by rdma_cm where to send, one after the other, as
 * perftest does with {@code -R -c UD}. Belongs to one thread.
 *
 * <pre>
 *   client                                               server
 *     |-- may I send to you? ------------------------------>|
 *     |<----------- yes: its queue pair, the way to it -----|
 *     |   where both sides will send:                       |
 *     |-- a datagram, whose immediate data is the number -->|  which so learns the way back
 *     |   of the client's queue pair                        |
 * </pre>
 */
final class DatagramIntroduction {
    /** Bytes of the datagram; what they are does not matter. */
    private static final int LENGTH = Integer.BYTES;

    private static final ByteBuffer NOTHING = ByteBuffer.allocate(0);
    private static final Duration BETWEEN_TRIES = Duration.ofMillis(100);

    private final PerfEnds ends;
    private final boolean mutual;
    private final String peer;
    private final Duration limit;
    private final WorkCompletions completions = WorkCompletions.allocate(1);

    /**
     * @param mutual whether the server sends, too
     * @param peer for sentences about it
     * @param limit how long the peer may take for one answer
     */
    DatagramIntroduction(PerfEnds ends, boolean mutual, String peer, Duration limit) {
        this.ends = ends;
        this.mutual = mutual;
        this.peer = peer;
        this.limit = limit;
    }

    /** The client's part. */
    void call(InetSocketAddress server) throws InterruptedException {
        for (int i = 0; i < ends.count(); i++) {
            UdQueuePair pair = (UdQueuePair) ends.pair(i);
            DatagramPeer found = find(server, pair);
            ends.reached(found.addressHandle());
            if (mutual) {
                Send hello = pair.newSend().from(ends.buffer(), 0, LENGTH).immediate(pair.number());
                pair.post(found.address(hello).signaled(true));
                await(ends.sends(), "this side's datagram has not left");
            }
        }
    }

    /** The C server begins to listen at about the time that its client begins to call. */
    private DatagramPeer find(InetSocketAddress server, UdQueuePair pair)
            throws InterruptedException {
        long deadline = System.nanoTime() + limit.toNanos();
        while (true) {
            try (DatagramConnector connector = Connector.to(server).resolveDatagrams(limit)) {
                return connector.connect(pair, NOTHING, limit);
            } catch (ConnectionException e) {
                if (e.event() == null || System.nanoTime() - deadline > 0) {
                    throw e;
                }
            }
            Thread.sleep(BETWEEN_TRIES);
        }
    }

    /** The server's part. */
    void answer(DatagramListener listener) throws InterruptedException {
        for (int i = 0; i < ends.count(); i++) {
            UdQueuePair pair = (UdQueuePair) ends.pair(i);
            try (DatagramRequest request = listener.accept(limit)) {
                if (request == null) {
                    throw RdmaPerfChannel.fewerPairs(peer);
                }
                if (mutual) {
                    pair.post(ends.newReceive(i, LENGTH, 0));
                }
                request.accept(pair, NOTHING);
            }
            if (mutual) {
                ends.reachedBack(await(ends.receives(), "no datagram has arrived"), i);
            }
        }
    }

    private WorkCompletion await(CompletionQueue queue, String otherwise) {
        BusyWait patience = new BusyWait(limit);
        while (queue.poll(completions) == 0) {
            if (!patience.pause()) {
                throw new ToolFailure(
                        "%s for %s while %s and this side told each other where to send"
                                .formatted(otherwise, TimeLimits.text(limit), peer));
            }
        }
        WorkCompletion completion = completions.get(0);
        completion.requireSuccess();
        return completion;
    }
}
