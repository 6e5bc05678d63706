package org.verbs4j.examples;

import org.verbs4j.ExtendedSender;
import org.verbs4j.MemorySlice;
import org.verbs4j.QueuePair;
import org.verbs4j.RcQueuePair;
import org.verbs4j.ReceiveQueue;
import org.verbs4j.Send;

import java.util.List;

/**
 * A queue pair whose messages are posted by {@code ibv_wr_start}, {@code ibv_wr_send} and {@code
 * ibv_wr_complete}.
 *
 * @param sender of the one queue pair
 */
record ExtendedEnds(ConnectedEnds ends, ExtendedSender sender) implements PingPongEnds {
    static ExtendedEnds of(RcQueuePair pair, ConnectedPingPongOptions options) {
        return new ExtendedEnds(
                new ConnectedEnds(List.of(pair), pair, options), pair.newExtendedSender());
    }

    @Override
    public List<? extends QueuePair> pairs() {
        return ends.pairs();
    }

    @Override
    public ReceiveQueue receives() {
        return ends.receives();
    }

    @Override
    public void connect(int index, PingPongEndpoint remote, Send send) {
        ends.connect(index, remote, send);
    }

    @Override
    public void post(int index, Send send, MemorySlice message) {
        sender.send().id(send.id()).part(message.region(), message.offset(), message.length());
        sender.post();
    }

    @Override
    public void close() {
        ends.close();
    }
}
