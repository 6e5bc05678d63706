package org.verbs4j.examples;

import org.verbs4j.ConnectedQueuePair;
import org.verbs4j.ReceiveQueue;
import org.verbs4j.Send;

import java.util.List;

/**
 * Queue pairs that each talk to one peer.
 *
 * @param pairs of one type
 * @param receives the one queue pair, or the queue that all share
 */
record ConnectedEnds(
        List<? extends ConnectedQueuePair> pairs,
        ReceiveQueue receives,
        ConnectedPingPongOptions options)
        implements PingPongEnds {
    @Override
    public void connect(int index, PingPongEndpoint remote, Send send) {
        pairs.get(index).connect(remote.toQueuePairEndpoint(options.mtu), options.connectOptions());
    }

    @Override
    public void close() {
        pairs.forEach(ConnectedQueuePair::close);
        receives.close();
    }
}
