package org.verbs4j.it;

import static org.assertj.core.api.Assertions.assertThat;

import org.verbs4j.QueuePairState;
import org.verbs4j.cm.Connection;
import org.verbs4j.cm.ConnectionEvent;
import org.verbs4j.cm.ConnectionId;
import org.verbs4j.cm.ConnectionParameters;
import org.verbs4j.cm.ConnectionRequest;
import org.verbs4j.cm.Connector;
import org.verbs4j.cm.EventChannel;
import org.verbs4j.cm.Listener;
import org.verbs4j.cm.Reconnector;

import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.Objects;

/** The waits of reliable connections. */
final class ConnectionCalls {
    private static final Duration LIMIT = CmPlace.limit(10);
    private static final ConnectionParameters DEFAULTS = ConnectionParameters.defaults();

    private ConnectionCalls() {}

    /** An event of an id that has a device. */
    static final class AwaitEvent extends BlockingCall {
        private final EventChannel channel = keep(EventChannel.open());
        private final ConnectionId id = keep(channel.newId());

        AwaitEvent() {
            id.bind(CmPlace.anyPort());
        }

        @Override
        Object await(Duration timeout) throws Exception {
            return String.valueOf(channel.await(timeout));
        }

        @Override
        void succeed() {
            id.resolveAddress(null, CmPlace.anyPort(), LIMIT);
        }

        @Override
        void fail() throws Exception {
            var dead = new InetSocketAddress(CmPlace.unusedNeighbour(), 7000);
            id.resolveAddress(null, dead, Duration.ofMillis(300));
        }

        @Override
        void closeWaitedOn() {
            id.close();
            channel.close();
        }
    }

    /** A request of a client. */
    static final class Accept extends BlockingCall {
        private final Listener listener = keep(Listener.bind(CmPlace.anyPort(), 4));

        @Override
        Object await(Duration timeout) throws Exception {
            try (ConnectionRequest request = listener.accept(timeout)) {
                return request == null ? "null" : "request";
            }
        }

        @Override
        void succeed() throws Exception {
            Connector connector = keep(Connector.resolve(listener.localAddress(), LIMIT));
            CmSide side = keep(new CmSide(connector.context()));
            Waiting.begin(false, () -> connector.connect(side.pair, DEFAULTS, LIMIT)).end();
        }

        @Override
        void closeWaitedOn() {
            listener.close();
        }
    }

    /** The way to a neighbour that does not answer, until it does. */
    static final class Resolve extends UnansweredWay<Connector> {
        Resolve() {
            super(Connector.to(DEAD).open());
        }

        @Override
        Object await(Duration timeout) throws Exception {
            resolver.resolve(timeout);
            return "resolved";
        }
    }

    /** The answer of a server. */
    static final class Connect extends BlockingCall {
        private final Listener listener = keep(Listener.bind(CmPlace.anyPort(), 4));
        private final Connector connector;
        private final CmSide side;

        Connect() throws InterruptedException {
            connector = keep(Connector.resolve(listener.localAddress(), LIMIT));
            side = keep(new CmSide(connector.context()));
        }

        @Override
        Object await(Duration timeout) throws Exception {
            connector.connect(side.pair, DEFAULTS, timeout).close();
            return "connected";
        }

        private ConnectionRequest request() throws InterruptedException {
            return keep(Objects.requireNonNull(listener.accept(LIMIT)));
        }

        @Override
        void succeed() throws Exception {
            CmSide server = keep(new CmSide(connector.context()));
            keep(request().accept(server.pair, DEFAULTS, LIMIT));
        }

        @Override
        void fail() throws Exception {
            request().reject(CmPlace.bytes("no"));
        }

        @Override
        void closeWaitedOn() {
            connector.close();
        }
    }

    /** The last word of a client, which goes step by step and leaves the last one out. */
    static final class AcceptRequest extends BlockingCall {
        private final Listener listener = keep(Listener.bind(CmPlace.anyPort(), 4));
        private final EventChannel channel = keep(EventChannel.open());
        private final ConnectionId client = keep(channel.newId());
        private final CmSide clientSide;
        private final CmSide side;
        private final ConnectionRequest request;

        AcceptRequest() throws InterruptedException {
            client.resolveAddress(null, listener.localAddress(), LIMIT);
            next(ConnectionEvent.AddressResolved.class);
            client.resolveRoute(LIMIT);
            next(ConnectionEvent.RouteResolved.class);
            clientSide = keep(new CmSide(client.context()));
            move(QueuePairState.INIT);
            client.connect(clientSide.pair, DEFAULTS);
            request = keep(Objects.requireNonNull(listener.accept(LIMIT)));
            side = keep(new CmSide(request.context()));
        }

        private void next(Class<? extends ConnectionEvent> type) throws InterruptedException {
            assertThat(channel.await(LIMIT)).isInstanceOf(type);
        }

        private void move(QueuePairState state) {
            clientSide.pair.modify(client.attributesFor(state));
        }

        @Override
        Object await(Duration timeout) throws Exception {
            request.accept(side.pair, DEFAULTS, timeout).close();
            return "accepted";
        }

        @Override
        void succeed() throws Exception {
            next(ConnectionEvent.Responded.class);
            move(QueuePairState.READY_TO_RECEIVE);
            move(QueuePairState.READY_TO_SEND);
            client.establish();
        }

        @Override
        void fail() throws Exception {
            next(ConnectionEvent.Responded.class);
            client.close();
        }

        @Override
        void closeWaitedOn() {
            request.close();
        }
    }

    /** The end of a connection. */
    static final class AwaitDisconnect extends BlockingCall {
        private final Listener listener = keep(Listener.bind(CmPlace.anyPort(), 4));
        private final CmConnected both;

        AwaitDisconnect() throws Exception {
            both = keep(CmConnected.through(listener));
        }

        @Override
        Object await(Duration timeout) throws Exception {
            return both.client.awaitDisconnect(timeout);
        }

        @Override
        void succeed() {
            both.server.disconnect();
        }

        /** The peer does not look and so does not acknowledge. */
        @Override
        void closeWaitedOn() {
            both.client.close();
        }
    }

    /** A server that is not there yet. */
    static final class Reconnect extends BlockingCall {
        private final InetSocketAddress address;
        private final Reconnector reconnector;

        Reconnect() {
            try (Listener listener = Listener.bind(CmPlace.anyPort(), 1)) {
                address = listener.localAddress();
            }
            reconnector =
                    new Reconnector(
                            Connector.to(address),
                            device -> keep(new CmSide(device)).pair,
                            DEFAULTS,
                            completion -> {});
        }

        @Override
        Object await(Duration timeout) throws Exception {
            Connection made = reconnector.connection(timeout);
            return made.isConnected() ? "connected" : "not connected";
        }

        @Override
        void succeed() throws Exception {
            Listener listener = keep(Listener.bind(address, 4));
            ConnectionRequest request =
                    keep(Objects.requireNonNull(listener.accept(LIMIT), "no attempt"));
            CmSide server = keep(new CmSide(request.context()));
            keep(request.accept(server.pair, DEFAULTS, LIMIT));
        }

        @Override
        void closeWaitedOn() {
            reconnector.close();
        }

        /** Its queue pair is of one of those kept. */
        @Override
        public void close() throws Exception {
            reconnector.close();
            super.close();
        }
    }
}
