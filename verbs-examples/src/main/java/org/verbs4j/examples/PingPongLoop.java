package org.verbs4j.examples;

import org.jspecify.annotations.Nullable;
import org.verbs4j.MemorySlice;
import org.verbs4j.QueuePair;
import org.verbs4j.ReceiveQueue;
import org.verbs4j.ReceiveRequest;
import org.verbs4j.Send;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * The traffic of a ping-pong: each queue pair sends a message once it has received one and its own
 * has left. Nothing is allocated per message. Belongs to the thread that made it.
 *
 * <p>The receives all point to one buffer, which is also what is sent, as in C: a queue pair never
 * has two messages under way, and with several of them nobody looks at the bytes.
 */
final class PingPongLoop {
    /** Request ids are those of the C tools, and serve as bits in {@link Lane#pending}. */
    static final long RECEIVE_ID = 1;

    /** See {@link #RECEIVE_ID}. */
    static final long SEND_ID = 2;

    private final List<Lane> lanes = new ArrayList<>();
    private final PingPongEnds ends;
    private final PingPongQueue queue;
    private final MemorySlice message;
    private final @Nullable ClockCycles cycles;
    private final boolean events;
    private final ReceiveQueue receives;
    private final ReceiveRequest receive;
    private final long receiveLength;
    private final int headroom;
    private final int receiveDepth;
    private final Duration limit;
    private final BusyWait patience;
    private final PingPongQueue.Taker taker = this::take;

    private int outstandingReceives;
    private int toSend;
    private int sent;
    private int received;

    /** A queue pair and what it waits for before it sends again. */
    private static final class Lane {
        final QueuePair pair;
        final int index;
        final Send send;
        long pending = RECEIVE_ID;

        Lane(QueuePair pair, int index, Send send) {
            this.pair = pair;
            this.index = index;
            this.send = send;
        }
    }

    /**
     * @param queue where everything completes; with a channel when events are asked for
     * @param cycles told the time of each receive; null without time stamps
     * @param buffer a message behind its headroom
     * @param headroom bytes that the device writes in front of what arrives
     * @param options how long the messages are, how many receives there are to be at a time, and
     *     how long traffic may stand still
     */
    PingPongLoop(
            PingPongEnds ends,
            PingPongQueue queue,
            PingPongBuffer buffer,
            int headroom,
            PingPongOptions options,
            @Nullable ClockCycles cycles) {
        this.ends = ends;
        this.queue = queue;
        this.message = buffer.slice().slice(headroom, options.size);
        this.cycles = cycles;
        this.events = options.events;
        this.receives = ends.receives();
        this.headroom = headroom;
        this.receiveLength = headroom + options.size;
        this.receive = receives.newReceive().id(RECEIVE_ID).into(buffer.slice());
        this.receiveDepth = options.receiveDepth;
        this.limit = options.silenceLimit();
        this.patience = new BusyWait(limit);
        for (QueuePair pair : ends.pairs()) {
            Send send =
                    pair.newSend()
                            .id(SEND_ID)
                            .signaled(true)
                            .from(message)
                            .inline(buffer.canBeInline() && options.size <= pair.maxInlineData());
            lanes.add(new Lane(pair, lanes.size(), send));
        }
    }

    /** Before the peer may know the queue pairs. */
    void prepare() {
        postReceives();
    }

    /** The message of a queue pair, to be addressed. */
    Send send(int index) {
        return lanes.get(index).send;
    }

    /** The client's first messages. */
    void serve() {
        lanes.forEach(this::post);
    }

    /** The next one goes out when this message has left and its answer is here. */
    private void post(Lane lane) {
        ends.post(lane.index, lane.send, message);
        lane.pending = SEND_ID | RECEIVE_ID;
    }

    /** Goes on until {@code iterations} messages went each way, of all queue pairs together. */
    void run(int iterations) throws InterruptedException {
        toSend = iterations;
        patience.reset();
        while (received < iterations || sent < iterations) {
            handle(events ? queue.await(limit) : poll());
        }
    }

    private int poll() {
        int count = queue.poll();
        while (count == 0 && patience.pause()) {
            count = queue.poll();
        }
        patience.reset();
        return count;
    }

    private void handle(int count) {
        if (count == 0) {
            throw stalled();
        }
        queue.handOut(count, taker);
    }

    private void take(int queuePairNumber, long id, long byteLength, long timestamp) {
        Lane lane = lane(queuePairNumber);
        if (id == SEND_ID) {
            sent++;
        } else if (id == RECEIVE_ID) {
            received++;
            requireLength(byteLength);
            if (cycles != null) {
                cycles.add(timestamp);
            }
            if (--outstandingReceives <= lanes.size()) {
                postReceives();
            }
        } else {
            throw new ToolFailure("completion for unknown request " + id);
        }
        lane.pending &= ~id;
        if (lane.pending == 0 && sent < toSend) {
            post(lane);
        }
    }

    private Lane lane(int queuePairNumber) {
        for (int i = 0; i < lanes.size(); i++) {
            Lane lane = lanes.get(i);
            if (lane.pair.number() == queuePairNumber) {
                return lane;
            }
        }
        throw new ToolFailure(
                "completion for unknown queue pair 0x%06x".formatted(queuePairNumber));
    }

    /** C goes on, and reports a throughput that was not there. */
    private void requireLength(long length) {
        if (length != receiveLength) {
            throw new ToolFailure(
                    "the peer sends messages of %d bytes and this side of %d: give both the same -s"
                            .formatted(length - headroom, receiveLength - headroom));
        }
    }

    private void postReceives() {
        while (outstandingReceives < receiveDepth) {
            receives.post(receive);
            outstandingReceives++;
        }
    }

    private ToolFailure stalled() {
        return new ToolFailure(
                ("no completion for %s (%d sent, %d received): the peer is gone, packets are lost,"
                                + " or it was called with another size, MTU or transport")
                        .formatted(TimeLimits.text(limit), sent, received));
    }
}
