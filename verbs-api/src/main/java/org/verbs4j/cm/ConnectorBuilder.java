package org.verbs4j.cm;

import org.jspecify.annotations.Nullable;

import java.net.InetSocketAddress;
import java.time.Duration;

/**
 * Settings of a {@link Connector} or {@link DatagramConnector}, as {@code rdma_set_option(3)} takes
 * them. Belongs to one thread.
 */
public final class ConnectorBuilder {
    final InetSocketAddress remote;
    @Nullable InetSocketAddress source;
    private @Nullable Integer typeOfService;
    private @Nullable Integer ackTimeout;
    private PortSpace datagrams = PortSpace.UDP;

    ConnectorBuilder(InetSocketAddress remote) {
        this.remote = remote;
    }

    /**
     * Chooses the local address, and with it the device.
     *
     * @param local port 0 leaves the port to the system
     */
    public ConnectorBuilder from(InetSocketAddress local) {
        source = local;
        return this;
    }

    /**
     * Sets the type of service of all packets.
     *
     * @param value 0 to 255, as {@link ConnectionOptions#typeOfService}
     */
    public ConnectorBuilder typeOfService(int value) {
        typeOfService = value;
        return this;
    }

    /**
     * Sets how long the sender waits for an acknowledgement before it repeats.
     *
     * <p>A request whose peer's host or network is gone fails after 4.096 µs · 2<sup>exponent</sup>
     * · ({@link ConnectionParameters#retryCount} + 1), or later: devices may wait longer, and
     * soft-RoCE repeats for ever where the retry count is 7, which is the default: choose 6 or less
     * to be told there. 14 and 6 make half a second. Without this method the kernel chooses; 6.1
     * sets 19 for soft-RoCE, which is 2.1 s each time. The accepting end's own exponent follows
     * from this one. An end that only receives is never told: let the peers exchange a message now
     * and then.
     *
     * @param exponent 0 to 31, as {@link ConnectionOptions#ackTimeout}
     */
    public ConnectorBuilder ackTimeout(int exponent) {
        ackTimeout = exponent;
        return this;
    }

    /**
     * Sends datagrams among IP over InfiniBand's own, {@link PortSpace#IPOIB}, with the queue key
     * of its network. InfiniBand alone has that; connections are not concerned.
     */
    public ConnectorBuilder overIpoib() {
        datagrams = PortSpace.IPOIB;
        return this;
    }

    /**
     * A connector that has not found the way yet: for {@link Connector#resolve(Duration)}, which
     * another thread may end by {@link Connector#close()}.
     *
     * @throws ConnectionException when the connection manager cannot be reached
     */
    public Connector open() {
        return new Connector(Outbound.create(this, PortSpace.TCP));
    }

    /**
     * Finds the way to the server.
     *
     * @param timeout the longest that this may take
     * @throws ConnectionException when there is no way, with what to check
     * @throws InterruptedException when the thread is interrupted
     */
    public Connector resolve(Duration timeout) throws InterruptedException {
        Connector connector = open();
        connector.resolve(timeout);
        return connector;
    }

    /** As {@link #open()}, to a server of datagrams. */
    public DatagramConnector openDatagrams() {
        return new DatagramConnector(Outbound.create(this, datagrams));
    }

    /** As {@link #resolve}, to a server of datagrams. */
    public DatagramConnector resolveDatagrams(Duration timeout) throws InterruptedException {
        DatagramConnector connector = openDatagrams();
        connector.resolve(timeout);
        return connector;
    }

    void apply(ConnectionOptions options) {
        if (typeOfService != null) {
            options.typeOfService(typeOfService);
        }
        if (ackTimeout != null) {
            options.ackTimeout(ackTimeout);
        }
    }
}
