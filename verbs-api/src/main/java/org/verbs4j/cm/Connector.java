package org.verbs4j.cm;

import static org.verbs4j.cm.ConnectionParameters.MAX_CONNECT_PRIVATE_DATA;
import static org.verbs4j.cm.ConnectionParameters.requireAtMost;

import org.jspecify.annotations.Nullable;
import org.verbs4j.DeviceContext;
import org.verbs4j.RcQueuePair;

import java.net.InetSocketAddress;
import java.time.Duration;

/**
 * The active side: finds the way to a server, whereupon there is a device to build on, then
 * connects a queue pair: {@code rdma_resolve_addr(3)}, {@code rdma_resolve_route(3)}, {@code
 * rdma_connect(3)}.
 *
 * <p>One thread resolves and connects; any other may {@link #close()}, which ends its wait. One
 * connector makes one connection. After a failure resolve anew; the queue pair can be used again as
 * long as it is in INIT.
 */
public final class Connector implements AutoCloseable {
    private static final String SILENT =
            "does its program accept or reject, and is its backlog long enough? The kernel would"
                    + " wait for ever";

    private final Outbound outbound;

    Connector(Outbound outbound) {
        this.outbound = outbound;
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

    /**
     * Finds the way to the server, for a connector that is only {@link ConnectorBuilder#open open}.
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

    /** The local address that the connection will come from, null once it has been handed over. */
    public @Nullable InetSocketAddress localAddress() {
        return outbound.localAddress();
    }

    /**
     * Connects, {@code rdma_connect(3)}, within ten seconds. Whatever it throws, this is closed
     * then, but not for an argument that is wrong.
     *
     * @param pair made from {@link #context()}, in INIT or RESET; post its first receives before
     * @param parameters with at most {@value ConnectionParameters#MAX_CONNECT_PRIVATE_DATA} bytes
     *     of private data
     * @throws ConnectionException when the server rejects, does not answer in time or cannot be
     *     reached, with what to check
     * @throws InterruptedException when the thread is interrupted
     * @throws IllegalArgumentException when the pair is of another device, or the private data too
     *     long
     * @throws IllegalStateException when this has been closed, before or meanwhile, or used, or the
     *     pair has been used
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
        Link link =
                outbound.begin(
                        found -> {
                            found.requireUsable(pair);
                            requireAtMost(MAX_CONNECT_PRIVATE_DATA, parameters.privateData());
                        });
        InetSocketAddress remote = outbound.remote();
        try {
            link.moveToInit(pair);
            link.id().connect(pair, parameters);
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
            if (!outbound.handOver()) {
                connection.abandon();
                throw new IllegalStateException(this + " has been closed");
            }
            return connection;
        } catch (RuntimeException | InterruptedException e) {
            outbound.fail(e);
            throw e;
        }
    }

    /**
     * Gives up: a thread that resolves or connects gets an {@link IllegalStateException}. Does
     * nothing once the connection is made, or when it is closed.
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
