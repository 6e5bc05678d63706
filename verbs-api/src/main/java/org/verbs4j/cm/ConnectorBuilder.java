package org.verbs4j.cm;

import org.jspecify.annotations.Nullable;

import java.net.InetSocketAddress;
import java.time.Duration;

/** Settings of a {@link Connector}. Belongs to one thread. */
public final class ConnectorBuilder {
    final InetSocketAddress remote;
    @Nullable InetSocketAddress source;
    private @Nullable Integer typeOfService;
    private @Nullable Integer ackTimeout;

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
     * @param value as {@link ConnectionOptions#typeOfService}
     */
    public ConnectorBuilder typeOfService(int value) {
        typeOfService = value;
        return this;
    }

    /**
     * Sets how long the sender waits for an acknowledgement.
     *
     * @param exponent as {@link ConnectionOptions#ackTimeout}
     */
    public ConnectorBuilder ackTimeout(int exponent) {
        ackTimeout = exponent;
        return this;
    }

    /**
     * Finds the way to the server.
     *
     * @param timeout the longest that this may take
     * @throws ConnectionException when there is no way, with what to check
     * @throws InterruptedException when the thread is interrupted
     */
    public Connector resolve(Duration timeout) throws InterruptedException {
        return Connector.resolve(this, timeout);
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
