package org.verbs4j.cm;

import org.jspecify.annotations.Nullable;
import org.verbs4j.DeviceContext;
import org.verbs4j.RcQueuePair;

import java.net.InetSocketAddress;
import java.time.Duration;

/**
 * The active side: finds the way to a server, whereupon there is a device to build on, then
 * connects a queue pair.
 *
 * <p>One thread resolves and connects; any other may {@link #close()}, which ends its wait. One
 * connector makes one connection. After a failure resolve anew; the queue pair can be used again as
 * long as it is in INIT.
 */
public final class Connector implements AutoCloseable {
    private static final String SILENT =
            "does its program accept or reject? The kernel would wait for ever";

    private final Link link;
    private final InetSocketAddress remote;
    private final DeviceContext context;

    /** Under the lock of this object. */
    private State state = State.RESOLVED;

    private enum State {
        RESOLVED,
        CONNECTING,
        CONNECTED,
        CLOSED
    }

    private Connector(Link link, InetSocketAddress remote) {
        this.link = link;
        this.remote = remote;
        this.context = link.id().context();
    }

    /**
     * Finds the way to a server from whichever local address the routing table says.
     *
     * @param remote the server
     * @param timeout the longest that this may take
     * @throws ConnectionException when there is no way, with what to check
     * @throws InterruptedException when the thread is interrupted
     */
    public static Connector resolve(InetSocketAddress remote, Duration timeout)
            throws InterruptedException {
        return to(remote).resolve(timeout);
    }

    /**
     * Begins a connector with settings of its own.
     *
     * @param remote the server
     */
    public static ConnectorBuilder to(InetSocketAddress remote) {
        return new ConnectorBuilder(remote);
    }

    static Connector resolve(ConnectorBuilder asked, Duration timeout) throws InterruptedException {
        Deadline deadline = Deadline.in(timeout);
        InetSocketAddress remote = asked.remote;
        Link link = Link.create();
        try {
            asked.apply(link.id().options());
            link.id().resolveAddress(asked.source, remote, deadline.left());
            link.await("rdma_resolve_addr", deadline, remote, "is the host up?");
            link.id().resolveRoute(deadline.left());
            link.await("rdma_resolve_route", deadline, remote, "is there a path?");
            return new Connector(link, remote);
        } catch (RuntimeException | InterruptedException e) {
            link.closeAfter(e);
            throw e;
        }
    }

    /** The device that leads to the server: make the queue pair from it. */
    public DeviceContext context() {
        return context;
    }

    /** The local address that the connection will come from, null once it has been handed over. */
    public synchronized @Nullable InetSocketAddress localAddress() {
        return state == State.RESOLVED || state == State.CONNECTING
                ? link.id().localAddress()
                : null;
    }

    /**
     * Connects, within ten seconds.
     *
     * @param pair made from {@link #context()}, in INIT or RESET; post its first receives before
     * @param parameters with at most {@value ConnectionParameters#MAX_CONNECT_PRIVATE_DATA} bytes
     *     of private data
     * @throws ConnectionException when the server rejects, does not answer in time or cannot be
     *     reached, with what to check
     * @throws InterruptedException when the thread is interrupted
     * @throws IllegalStateException when this has been closed, before or meanwhile, or used
     */
    public Connection connect(RcQueuePair pair, ConnectionParameters parameters)
            throws InterruptedException {
        return connect(pair, parameters, Deadline.DEFAULT);
    }

    /**
     * As {@link #connect(RcQueuePair, ConnectionParameters)}.
     *
     * @param timeout the longest that this may take
     */
    public Connection connect(RcQueuePair pair, ConnectionParameters parameters, Duration timeout)
            throws InterruptedException {
        Deadline deadline = Deadline.in(timeout);
        begin();
        try {
            link.requireUsable(pair);
            link.moveToInit(pair);
            link.id().connect(pair.number(), parameters);
            ConnectionEvent answer = link.await("rdma_connect", deadline, remote, SILENT);
            Connection connection =
                    switch (answer) {
                        case ConnectionEvent.Responded responded -> {
                            link.moveToReady(pair, parameters);
                            link.id().establish();
                            yield new Connection(link, pair, responded.privateData());
                        }
                        case ConnectionEvent.Established established -> // iWARP
                                new Connection(link, pair, established.privateData());
                        default -> throw Diagnosis.unexpected("rdma_connect", answer, remote);
                    };
            handOver(connection);
            return connection;
        } catch (RuntimeException | InterruptedException e) {
            fail(e);
            throw e;
        }
    }

    private synchronized void begin() {
        if (state != State.RESOLVED) {
            throw new IllegalStateException(
                    this
                            + (state == State.CLOSED
                                    ? " is closed or has failed"
                                    : " has been used already")
                            + ": resolve again");
        }
        state = State.CONNECTING;
    }

    private synchronized void handOver(Connection connection) {
        if (state == State.CLOSED) {
            connection.abandon();
            throw new IllegalStateException(this + " has been closed");
        }
        state = State.CONNECTED;
    }

    private synchronized void fail(Throwable cause) {
        if (state != State.CLOSED) {
            state = State.CLOSED;
            link.closeAfter(cause);
        }
    }

    /**
     * Gives up: a thread that connects gets an {@link IllegalStateException}. Does nothing once the
     * connection is made, or when it is closed.
     */
    @Override
    public synchronized void close() {
        if (state == State.RESOLVED || state == State.CONNECTING) {
            state = State.CLOSED;
            link.close();
        }
    }

    @Override
    public String toString() {
        return "connector to " + SocketAddresses.text(remote);
    }
}
