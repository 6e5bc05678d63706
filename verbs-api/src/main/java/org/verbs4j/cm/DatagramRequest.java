package org.verbs4j.cm;

import org.jspecify.annotations.Nullable;
import org.verbs4j.DeviceContext;
import org.verbs4j.Port;
import org.verbs4j.UdQueuePair;
import org.verbs4j.bindings.Verbs;

import java.net.InetSocketAddress;
import java.nio.ByteBuffer;

/**
 * A peer that asks whom to send its datagrams to, {@code RDMA_CM_EVENT_CONNECT_REQUEST} with {@code
 * RDMA_PS_UDP}: accept it, reject it, or close it, which rejects as well.
 *
 * <p>Any thread may use it, one answers. It does not depend on the listener, which may be closed
 * meanwhile.
 */
public final class DatagramRequest implements AutoCloseable {
    private final Link link;
    private final ConnectionEvent.DatagramRequested requested;
    private final DeviceContext context;
    private final Port port;
    private final @Nullable InetSocketAddress remote;
    private final @Nullable InetSocketAddress local;
    private boolean answered;

    DatagramRequest(Link link, ConnectionEvent.DatagramRequested requested) {
        this.link = link;
        this.requested = requested;
        this.context = link.id().context();
        this.port = context.port(link.id().port());
        this.remote = link.id().remoteAddress();
        this.local = link.id().localAddress();
        link.channel().belongsTo(this);
    }

    /** The device that the request came in on: make the queue pair from it. */
    public DeviceContext context() {
        return context;
    }

    /**
     * What the peer sent along, read-only, {@value
     * ConnectionParameters#MAX_DATAGRAM_CONNECT_PRIVATE_DATA} bytes with zeros at the end.
     */
    public ByteBuffer privateData() {
        return requested.privateData();
    }

    /** The peer's address. */
    public @Nullable InetSocketAddress remoteAddress() {
        return remote;
    }

    /** The port that the request came in on, and the peer's datagrams will. */
    public Port port() {
        return port;
    }

    /** The address that the peer asked for. */
    public @Nullable InetSocketAddress localAddress() {
        return local;
    }

    /**
     * Tells the peer to send to this queue pair, {@code rdma_accept(3)}, and makes that ready
     * unless it is. Done on return: one queue pair can serve any number of peers. Where to answer,
     * the peer's first datagram tells: make the way with {@link
     * org.verbs4j.ProtectionDomain#newAddressHandle} from its completion and {@link #port()}, and
     * send to the completion's {@code sourceQueuePairNumber} with the queue key of this pair.
     *
     * @param pair made from {@link #context()}, with the queue key that builders choose by
     *     themselves; post its first receives before
     * @param privateData at most {@value ConnectionParameters#MAX_DATAGRAM_ACCEPT_PRIVATE_DATA}
     *     bytes for the peer to read; an empty buffer for none
     * @throws IllegalArgumentException when the pair has another key, which peers would not know
     * @throws IllegalStateException when this has been answered or closed
     * @throws ConnectionException when the kernel refuses
     */
    public synchronized void accept(UdQueuePair pair, ByteBuffer privateData) {
        requireUnanswered();
        boolean known = link.id().portSpace() != PortSpace.UDP; // the network's own key
        if (!known && pair.queueKey() != Verbs.RDMA_UDP_QKEY()) {
            throw new IllegalArgumentException(
                    "%s has queue key 0x%08x, but peers will be told 0x%08x: build it without queueKey"
                            .formatted(pair, pair.queueKey(), Verbs.RDMA_UDP_QKEY()));
        }
        link.makeReady(pair);
        link.id().accept(pair, ConnectionParameters.defaults().withPrivateData(privateData));
        close();
    }

    /**
     * Rejects, {@code rdma_reject(3)}.
     *
     * @param privateData at most {@value ConnectionParameters#MAX_DATAGRAM_ACCEPT_PRIVATE_DATA}
     *     bytes for the peer to read, such as a reason; an empty buffer for none
     * @throws IllegalStateException when this has been answered or closed
     */
    public synchronized void reject(ByteBuffer privateData) {
        requireUnanswered();
        link.id().reject(privateData);
        close();
    }

    private void requireUnanswered() {
        if (answered) {
            throw new IllegalStateException(this + " has been answered or closed");
        }
    }

    /** Rejects unless it has been answered. Does nothing when it is closed. */
    @Override
    public synchronized void close() {
        if (!answered) {
            answered = true;
            link.close();
        }
    }

    @Override
    public String toString() {
        return "datagram request from " + SocketAddresses.text(remote);
    }
}
