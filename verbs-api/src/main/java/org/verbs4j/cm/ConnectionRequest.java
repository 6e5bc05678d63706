package org.verbs4j.cm;

import static org.verbs4j.cm.ConnectionParameters.MAX_ACCEPT_PRIVATE_DATA;
import static org.verbs4j.cm.ConnectionParameters.MAX_REJECT_PRIVATE_DATA;
import static org.verbs4j.cm.ConnectionParameters.requireAtMost;

import org.jspecify.annotations.Nullable;
import org.verbs4j.DeviceContext;
import org.verbs4j.RcQueuePair;

import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.time.Duration;

/**
 * A peer that wants to connect, {@code RDMA_CM_EVENT_CONNECT_REQUEST}: accept it, reject it, or
 * close it, which rejects as well.
 *
 * <p>One thread answers; any other may {@link #close()}, which ends its wait. It does not depend on
 * the listener, which may be closed meanwhile.
 */
public final class ConnectionRequest implements AutoCloseable {
    private static final String GONE = "has the peer died or given up before it was accepted?";

    private final Link link;
    private final ConnectionEvent.Requested requested;
    private final DeviceContext context;
    private final @Nullable InetSocketAddress remote;
    private final @Nullable InetSocketAddress local;

    /** Under the lock of this object. */
    private State state = State.ASKED;

    private enum State {
        ASKED,
        ACCEPTING,
        ANSWERED,
        CLOSED
    }

    ConnectionRequest(Link link, ConnectionEvent.Requested requested) {
        this.link = link;
        this.requested = requested;
        this.context = link.id().context();
        this.remote = link.id().remoteAddress();
        this.local = link.id().localAddress();
        link.channel().belongsTo(this);
    }

    /** The device that the request came in on: make the queue pair from it. */
    public DeviceContext context() {
        return context;
    }

    /**
     * What the peer sent along, read-only, as long as the transport makes it: {@value
     * ConnectionParameters#MAX_CONNECT_PRIVATE_DATA} bytes, with zeros at the end.
     */
    public ByteBuffer privateData() {
        return requested.privateData();
    }

    /** What the peer proposes, as seen from here. */
    public ConnectionParameters offer() {
        return requested.offer();
    }

    /** The peer's address. */
    public @Nullable InetSocketAddress remoteAddress() {
        return remote;
    }

    /** The address that the peer asked for. */
    public @Nullable InetSocketAddress localAddress() {
        return local;
    }

    /**
     * Accepts, {@code rdma_accept(3)}, and waits up to ten seconds for the peer to confirm. When it
     * throws, the peer is rejected unless it has gone, but an argument that is wrong leaves the
     * request to be answered.
     *
     * @param pair made from {@link #context()}, in INIT or RESET; post its first receives before
     * @param parameters with at most {@value ConnectionParameters#MAX_ACCEPT_PRIVATE_DATA} bytes of
     *     private data
     * @throws ConnectionException when the peer has gone or does not confirm in time
     * @throws InterruptedException when the thread is interrupted
     * @throws IllegalArgumentException when the pair is of another device, or the private data too
     *     long
     * @throws IllegalStateException when this has been answered, or closed, before or meanwhile, or
     *     the pair has been used
     */
    public Connection accept(RcQueuePair pair, ConnectionParameters parameters)
            throws InterruptedException {
        return accept(pair, parameters, Deadline.DEFAULT);
    }

    /**
     * As {@link #accept(RcQueuePair, ConnectionParameters)}.
     *
     * @param timeout the longest wait for the peer to confirm
     */
    public Connection accept(RcQueuePair pair, ConnectionParameters parameters, Duration timeout)
            throws InterruptedException {
        Deadline deadline = Deadline.in(timeout);
        begin(
                State.ACCEPTING,
                () -> {
                    link.requireUsable(pair);
                    requireAtMost(MAX_ACCEPT_PRIVATE_DATA, parameters.privateData());
                });
        try {
            link.moveToInit(pair);
            link.moveToReady(pair, parameters, requested.offer());
            link.id().accept(pair, parameters);
            ConnectionEvent answer = link.await("rdma_accept", deadline, remote, GONE);
            if (!(answer instanceof ConnectionEvent.Established)) {
                throw Diagnosis.unexpected("rdma_accept", answer, remote);
            }
            Connection connection = new Connection(link, pair, requested.privateData());
            handOver(connection);
            return connection;
        } catch (RuntimeException | InterruptedException e) {
            fail(e);
            throw e;
        }
    }

    /** An argument that is wrong leaves it to be answered. */
    private synchronized void begin(State next, Runnable arguments) {
        if (state != State.ASKED) {
            throw new IllegalStateException(
                    this + (state == State.CLOSED ? " is closed" : " has been answered"));
        }
        arguments.run();
        state = next;
    }

    private synchronized void handOver(Connection connection) {
        if (state == State.CLOSED) {
            connection.abandon();
            throw new IllegalStateException(this + " has been closed");
        }
        state = State.ANSWERED;
    }

    private synchronized void fail(Throwable cause) {
        if (state != State.CLOSED) {
            state = State.CLOSED;
            link.closeAfter(cause);
        }
    }

    /**
     * Rejects, {@code rdma_reject(3)}.
     *
     * @param privateData at most {@value ConnectionParameters#MAX_REJECT_PRIVATE_DATA} bytes for
     *     the peer to read, such as a reason; an empty buffer for none
     * @throws IllegalArgumentException when it is longer, which leaves the request to be answered
     * @throws IllegalStateException when this has been answered or closed
     */
    public synchronized void reject(ByteBuffer privateData) {
        begin(State.ANSWERED, () -> requireAtMost(MAX_REJECT_PRIVATE_DATA, privateData));
        try {
            link.id().reject(privateData);
        } finally {
            link.close();
        }
    }

    /** Rejects unless it has been answered. Does nothing when it is closed. */
    @Override
    public synchronized void close() {
        if (state == State.ASKED || state == State.ACCEPTING) {
            state = State.CLOSED;
            link.close();
        }
    }

    @Override
    public String toString() {
        return "connection request from " + SocketAddresses.text(remote);
    }
}
