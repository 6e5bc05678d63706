package org.verbs4j.cm;

import static org.verbs4j.cm.ConnectionParameters.MAX_DATAGRAM_CONNECT_PRIVATE_DATA;
import static org.verbs4j.cm.ConnectionParameters.requireAtMost;

import org.jspecify.annotations.Nullable;
import org.verbs4j.DeviceContext;
import org.verbs4j.UdQueuePair;

import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.time.Duration;

/**
 * The active side of datagrams: finds the way to a server, whereupon there is a device to build on,
 * then asks it whom to send to: {@code rdma_connect(3)} with {@code RDMA_PS_UDP}. Begin with {@link
 * Connector#to}.
 *
 * <p>One thread resolves and connects; any other may {@link #close()}, which ends its wait. One
 * connector finds one peer.
 */
public final class DatagramConnector implements AutoCloseable {
    private static final String SILENT =
            "does its program accept or reject, and is its backlog long enough?";

    private final Outbound outbound;

    DatagramConnector(Outbound outbound) {
        this.outbound = outbound;
    }

    /**
     * Finds the way to the server, for a connector that is only {@link
     * ConnectorBuilder#openDatagrams open}.
     *
     * @param timeout the longest that this may take
     * @throws ConnectionException when there is no way, with what to check; the connector is closed
     * @throws InterruptedException when the thread is interrupted; the connector is closed
     * @throws IllegalStateException when this has been closed, before or meanwhile, or resolved
     */
    public void resolve(Duration timeout) throws InterruptedException {
        outbound.resolve(timeout);
    }

    /**
     * The device that leads to the server: make the queue pair from it.
     *
     * @throws IllegalStateException before the way is found
     */
    public DeviceContext context() {
        return outbound.context();
    }

    /** The local address that the request will come from, null once it is answered. */
    public @Nullable InetSocketAddress localAddress() {
        return outbound.localAddress();
    }

    /**
     * Asks the server whom to send to, {@code rdma_connect(3)}, within ten seconds, and makes the
     * queue pair ready unless it is. Nothing stays in use of this connector afterwards; only an
     * argument that is wrong leaves it as it was.
     *
     * @param pair made from {@link #context()}; one can send to any number of peers
     * @param privateData at most {@value ConnectionParameters#MAX_DATAGRAM_CONNECT_PRIVATE_DATA}
     *     bytes for the server to read; an empty buffer for none
     * @return the server; close it before the pair's protection domain
     * @throws ConnectionException when the server rejects, does not answer in time or cannot be
     *     reached, with what to check
     * @throws InterruptedException when the thread is interrupted
     * @throws IllegalArgumentException when the pair is of another device, or the private data too
     *     long
     * @throws IllegalStateException when this has been closed, before or meanwhile, or used
     */
    public DatagramPeer connect(UdQueuePair pair, ByteBuffer privateData)
            throws InterruptedException {
        return connect(pair, privateData, Deadline.DEFAULT);
    }

    /**
     * As {@link #connect(UdQueuePair, ByteBuffer)}.
     *
     * @param timeout the longest that this may take
     */
    public DatagramPeer connect(UdQueuePair pair, ByteBuffer privateData, Duration timeout)
            throws InterruptedException {
        Deadline deadline = Deadline.in(timeout);
        Link link =
                outbound.begin(
                        found -> {
                            found.requireSameDevice(pair);
                            requireAtMost(MAX_DATAGRAM_CONNECT_PRIVATE_DATA, privateData);
                        });
        InetSocketAddress remote = outbound.remote();
        try {
            link.makeReady(pair);
            link.id().connect(pair, ConnectionParameters.defaults().withPrivateData(privateData));
            ConnectionEvent answer = link.await("rdma_connect", deadline, remote, SILENT);
            if (!(answer instanceof ConnectionEvent.DatagramEstablished established)) {
                throw Diagnosis.unexpected("rdma_connect", answer, remote);
            }
            DatagramPeer peer =
                    DatagramPeer.create(pair, established.destination(), established.privateData());
            if (!outbound.handOver()) {
                peer.close();
                throw new IllegalStateException(this + " has been closed");
            }
            link.close(); // the kernel's part is over
            return peer;
        } catch (RuntimeException | InterruptedException e) {
            outbound.fail(e);
            throw e;
        }
    }

    /**
     * Gives up: a thread that resolves or connects gets an {@link IllegalStateException}. Does
     * nothing once the peer is found, or when it is closed.
     */
    @Override
    public void close() {
        outbound.close();
    }

    @Override
    public String toString() {
        return outbound.toString();
    }
}
