package org.verbs4j.it;

import org.verbs4j.cm.Connection;
import org.verbs4j.cm.ConnectionParameters;
import org.verbs4j.cm.ConnectionRequest;
import org.verbs4j.cm.Connector;
import org.verbs4j.cm.ConnectorBuilder;
import org.verbs4j.cm.Listener;

import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/** Both ends of a connection in this JVM. */
final class CmConnected implements AutoCloseable {
    private static final Duration LIMIT = CmPlace.limit(10);

    final Connection client;
    final Connection server;
    final CmSide clientSide;
    final CmSide serverSide;

    private record End(CmSide side, Connection connection) {}

    private CmConnected(End client, End server) {
        this.client = client.connection();
        this.clientSide = client.side();
        this.server = server.connection();
        this.serverSide = server.side();
    }

    /** From the listener's own device. */
    static CmConnected through(Listener listener) throws Exception {
        return connect(listener, Connector.to(listener.localAddress()));
    }

    /** From the last device, so that packets take the link between the two. */
    static CmConnected across(Listener listener) throws Exception {
        InetSocketAddress source = new InetSocketAddress(CmPlace.addresses().getLast(), 0);
        return connect(listener, Connector.to(listener.localAddress()).from(source));
    }

    private static CmConnected connect(Listener listener, ConnectorBuilder builder)
            throws Exception {
        CompletableFuture<End> accepted = new CompletableFuture<>();
        Thread.ofPlatform()
                .start(
                        () -> {
                            try {
                                accepted.complete(accept(listener));
                            } catch (Throwable e) {
                                accepted.completeExceptionally(e);
                            }
                        });
        try (Connector connector = builder.resolve(LIMIT)) {
            CmSide side = new CmSide(connector.context());
            Connection connection =
                    connector.connect(side.pair, ConnectionParameters.defaults(), LIMIT);
            End server = accepted.get(LIMIT.toMillis(), TimeUnit.MILLISECONDS);
            return new CmConnected(new End(side, connection), server);
        }
    }

    private static End accept(Listener listener) throws InterruptedException {
        try (ConnectionRequest request =
                Objects.requireNonNull(listener.accept(LIMIT), "no request")) {
            CmSide side = new CmSide(request.context());
            return new End(side, request.accept(side.pair, ConnectionParameters.defaults(), LIMIT));
        }
    }

    /** The client goes first, so the server hears of it. */
    @Override
    public void close() throws InterruptedException {
        client.disconnect();
        server.awaitDisconnect(LIMIT);
        client.close();
        server.close();
        clientSide.close();
        serverSide.close();
    }
}
