package org.verbs4j.examples;

import org.jspecify.annotations.Nullable;
import org.verbs4j.AddressHandle;
import org.verbs4j.AddressVector;
import org.verbs4j.Gid;
import org.verbs4j.GidEntry;
import org.verbs4j.ProtectionDomain;
import org.verbs4j.ReceiveQueue;
import org.verbs4j.Send;
import org.verbs4j.UdQueuePair;

import java.util.List;

/** A queue pair for datagrams with the way to its one peer. */
final class DatagramEnds implements PingPongEnds {
    /** The key that {@code ibv_ud_pingpong} has agreed on with itself. */
    static final int QUEUE_KEY = 0x1111_1111;

    /** As in {@code ibv_ud_pingpong} of rdma-core 44. */
    private static final int HOP_LIMIT = 1;

    private final ProtectionDomain domain;
    private final UdQueuePair pair;
    private final PortChoice port;
    private final int serviceLevel;
    private @Nullable AddressHandle peer;

    DatagramEnds(ProtectionDomain domain, UdQueuePair pair, PortChoice port, int serviceLevel) {
        this.domain = domain;
        this.pair = pair;
        this.port = port;
        this.serviceLevel = serviceLevel;
    }

    @Override
    public List<UdQueuePair> pairs() {
        return List.of(pair);
    }

    @Override
    public ReceiveQueue receives() {
        return pair;
    }

    @Override
    public void connect(int index, PingPongEndpoint remote, Send send) {
        pair.activate();
        AddressHandle way = domain.newAddressHandle(way(remote));
        peer = way;
        send.to(way, remote.queuePairNumber(), QUEUE_KEY);
    }

    private AddressVector way(PingPongEndpoint remote) {
        Gid destination = remote.gid();
        GidEntry source = port.gid().orElse(null);
        AddressVector.GlobalRoute route =
                source == null || destination.interfaceId() == 0
                        ? null
                        : new AddressVector.GlobalRoute(
                                destination, source.index(), 0, HOP_LIMIT, 0);
        return new AddressVector(port.port().number(), remote.lid(), serviceLevel, route);
    }

    @Override
    public void close() {
        pair.close();
        if (peer != null) {
            peer.close();
        }
    }
}
