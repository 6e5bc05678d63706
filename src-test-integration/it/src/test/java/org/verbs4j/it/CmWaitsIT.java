package org.verbs4j.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.verbs4j.WorkCompletions;
import org.verbs4j.cm.Connection;
import org.verbs4j.cm.ConnectionEvent;
import org.verbs4j.cm.ConnectionException;
import org.verbs4j.cm.ConnectionId;
import org.verbs4j.cm.ConnectionParameters;
import org.verbs4j.cm.ConnectionRequest;
import org.verbs4j.cm.Connector;
import org.verbs4j.cm.EventChannel;
import org.verbs4j.cm.Listener;

import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/**
 * Every wait ends: on success, failure, time-out, interrupt, and when another thread closes what is
 * waited on; in platform threads and in virtual ones.
 */
@Timeout(value = 5, unit = TimeUnit.MINUTES)
class CmWaitsIT {
    private static final Duration LONG = Duration.ofMinutes(10);
    private static final Duration SHORT = Duration.ofMillis(200);
    private static final Duration LIMIT = CmPlace.limit(10);

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void awaitingAnEventEnds(boolean virtual) throws Exception {
        try (EventChannel channel = EventChannel.open()) {
            assertThat(channel.poll()).isNull();
            long start = System.nanoTime();
            assertThat(channel.await(SHORT)).isNull();
            assertThat(System.nanoTime() - start).isGreaterThanOrEqualTo(SHORT.toNanos());

            Waiting interrupted = Waiting.start(virtual, () -> channel.await(LONG));
            interrupted.thread().interrupt();
            assertThat(interrupted.end()).isInstanceOf(InterruptedException.class);

            Waiting served = Waiting.start(virtual, () -> channel.await(LONG));
            try (ConnectionId id = channel.newId()) {
                id.resolveAddress(null, CmPlace.anyPort(), LIMIT);
                assertThat(served.end()).asString().startsWith("AddressResolved");
            }
            Waiting first = Waiting.start(virtual, () -> channel.await(LONG));
            Waiting second = Waiting.start(!virtual, () -> channel.await(LONG));
            channel.close();
            assertThat(first.end()).isInstanceOf(IllegalStateException.class);
            assertThat(second.end()).isInstanceOf(IllegalStateException.class);
            assertThatThrownBy(channel::poll).isInstanceOf(IllegalStateException.class);
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void acceptingEnds(boolean virtual) throws Exception {
        try (Listener listener = Listener.bind(CmPlace.anyPort(), 4)) {
            assertThat(listener.accept(Duration.ZERO)).isNull();
            assertThat(listener.accept(SHORT)).isNull();

            Waiting interrupted = Waiting.start(virtual, listener::accept);
            interrupted.thread().interrupt();
            assertThat(interrupted.end()).isInstanceOf(InterruptedException.class);

            Waiting served =
                    Waiting.start(
                            virtual,
                            () -> {
                                try (ConnectionRequest request = listener.accept()) {
                                    request.reject(CmPlace.bytes("no"));
                                    return "request";
                                }
                            });
            try (Connector connector = Connector.resolve(listener.localAddress(), LIMIT);
                    CmSide side = new CmSide(connector.context())) {
                assertThat(catchThrowable(() -> connect(connector, side, LONG)))
                        .isInstanceOf(ConnectionException.class);
            }
            assertThat(served.end()).isEqualTo("request");

            Waiting closed = Waiting.start(virtual, listener::accept);
            listener.close();
            assertThat(closed.end()).isInstanceOf(IllegalStateException.class);
        }
    }

    private static Connection connect(Connector connector, CmSide side, Duration timeout)
            throws InterruptedException {
        return connector.connect(side.pair, ConnectionParameters.defaults(), timeout);
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void connectingToASilentServerEnds(boolean virtual) throws Exception {
        try (Listener silent = Listener.bind(CmPlace.anyPort(), 4)) {
            try (Connector connector = Connector.resolve(silent.localAddress(), LIMIT);
                    CmSide side = new CmSide(connector.context())) {
                Waiting waiting = Waiting.start(virtual, () -> connect(connector, side, LONG));
                waiting.thread().interrupt();
                assertThat(waiting.end()).isInstanceOf(InterruptedException.class);
            }
            try (Connector connector = Connector.resolve(silent.localAddress(), LIMIT);
                    CmSide side = new CmSide(connector.context())) {
                Waiting waiting = Waiting.start(virtual, () -> connect(connector, side, LONG));
                connector.close();
                assertThat(waiting.end()).isInstanceOf(IllegalStateException.class);
            }
            try (Connector connector = Connector.resolve(silent.localAddress(), LIMIT);
                    CmSide side = new CmSide(connector.context())) {
                Waiting waiting =
                        Waiting.start(
                                virtual, () -> connect(connector, side, SHORT.multipliedBy(4)));
                assertThat(waiting.end()).isInstanceOf(ConnectionException.class);
            }
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void acceptingAPeerThatHasGivenUpEnds(boolean virtual) throws Exception {
        try (Listener listener = Listener.bind(CmPlace.anyPort(), 4)) {
            ConnectionRequest interrupted = abandonedRequest(listener);
            try (CmSide side = new CmSide(interrupted.context())) {
                Thread.currentThread().interrupt();
                assertThatThrownBy(() -> accept(interrupted, side, LONG))
                        .isInstanceOfAny(InterruptedException.class, ConnectionException.class);
                Thread.interrupted();
            }
            ConnectionRequest late = abandonedRequest(listener);
            try (CmSide side = new CmSide(late.context())) {
                assertThatThrownBy(() -> accept(late, side, SHORT))
                        .isInstanceOf(ConnectionException.class);
            }
            ConnectionRequest closed = abandonedRequest(listener);
            try (CmSide side = new CmSide(closed.context())) {
                CompletableFuture<Object> outcome = new CompletableFuture<>();
                Thread.Builder builder = virtual ? Thread.ofVirtual() : Thread.ofPlatform();
                builder.start(
                        () -> outcome.complete(catchThrowable(() -> accept(closed, side, LONG))));
                Thread.sleep(SHORT);
                closed.close();
                assertThat(outcome.get(LIMIT.toMillis(), TimeUnit.MILLISECONDS))
                        .isInstanceOfAny(IllegalStateException.class, ConnectionException.class);
            }
        }
    }

    private static Connection accept(ConnectionRequest request, CmSide side, Duration timeout)
            throws InterruptedException {
        return request.accept(side.pair, ConnectionParameters.defaults(), timeout);
    }

    /** A request whose peer has gone before it could be accepted. */
    private static ConnectionRequest abandonedRequest(Listener listener) throws Exception {
        try (Connector connector = Connector.resolve(listener.localAddress(), LIMIT);
                CmSide side = new CmSide(connector.context())) {
            Waiting waiting = Waiting.start(false, () -> connect(connector, side, LONG));
            ConnectionRequest request = listener.accept(LIMIT);
            connector.close();
            assertThat(waiting.end()).isInstanceOf(IllegalStateException.class);
            return request;
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void awaitingTheDisconnectEnds(boolean virtual) throws Exception {
        try (Listener listener = Listener.bind(CmPlace.anyPort(), 4)) {
            try (CmConnected both = CmConnected.through(listener)) {
                Connection c = both.client;
                assertThat(c.awaitDisconnect(SHORT)).isFalse();
                Waiting interrupted = Waiting.start(virtual, () -> c.awaitDisconnect(LONG));
                interrupted.thread().interrupt();
                assertThat(interrupted.end()).isInstanceOf(InterruptedException.class);

                Waiting first = Waiting.start(virtual, () -> c.awaitDisconnect(LONG));
                Waiting second = Waiting.start(!virtual, () -> c.awaitDisconnect(LONG));
                both.server.disconnect();
                assertThat(first.end()).isEqualTo("true");
                assertThat(second.end()).isEqualTo("true");
            }
            try (CmConnected both = CmConnected.through(listener)) {
                Connection c = both.client;
                Waiting closed = Waiting.start(virtual, () -> c.awaitDisconnect(LONG));
                c.close();
                Object end = closed.end(); // the peer's acknowledgement may come first
                if (!(end instanceof IllegalStateException)) {
                    assertThat(end).isEqualTo("true");
                }
            }
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void resolvingEnds(boolean virtual) throws Exception {
        InetSocketAddress dead = new InetSocketAddress(CmPlace.unusedNeighbour(), 7000);
        long start = System.nanoTime();
        assertThatThrownBy(() -> Connector.resolve(dead, Duration.ofMillis(700)))
                .isInstanceOf(ConnectionException.class)
                .hasMessageContaining(dead.getAddress().getHostAddress());
        assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(LIMIT);

        Waiting waiting = Waiting.start(virtual, () -> Connector.resolve(dead, LIMIT));
        waiting.thread().interrupt();
        assertThat(waiting.end()).isInstanceOf(InterruptedException.class);

        try (Connector closed = Connector.to(dead).open()) {
            Waiting resolving = Waiting.start(virtual, () -> resolve(closed));
            closed.close();
            assertThat(resolving.end()).isInstanceOf(IllegalStateException.class);
        }
        try (Connector found = Connector.to(CmPlace.anyPort()).open()) {
            assertThatThrownBy(found::context).isInstanceOf(IllegalStateException.class);
            found.resolve(LIMIT);
            assertThat(found.context()).isNotNull();
            assertThatThrownBy(() -> found.resolve(LIMIT))
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("has been used already");
        }

        assertThatThrownBy(() -> Connector.resolve(new InetSocketAddress("192.0.2.1", 7000), LIMIT))
                .isInstanceOf(ConnectionException.class)
                .hasMessageContaining("192.0.2.1");
    }

    private static String resolve(Connector connector) throws InterruptedException {
        connector.resolve(LONG);
        return "resolved";
    }

    /** The other ends need a queue pair that never gives back what it owes: DrainTest. */
    @Test
    void drainingEndsWhenEverythingIsBackOrTheConnectionClosed() throws Exception {
        WorkCompletions into = WorkCompletions.allocate(1);
        try (Listener listener = Listener.bind(CmPlace.anyPort(), 4);
                CmConnected both = CmConnected.through(listener)) {
            both.clientSide.receive(5, 0, 16);
            List<Long> flushed = new ArrayList<>();
            assertThat(both.client.drain(into, c -> flushed.add(c.wrId()), LIMIT)).isTrue();
            assertThat(flushed).containsExactly(5L);
            both.client.close();
            assertThatThrownBy(() -> both.client.drain(into, c -> {}, LONG))
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("is closed");
        }
    }

    @Test
    void anInterruptLosesNoEvent() throws Exception {
        try (EventChannel channel = EventChannel.open();
                ConnectionId id = channel.newId()) {
            id.resolveAddress(null, CmPlace.anyPort(), LIMIT);
            Thread.currentThread().interrupt();
            assertThatThrownBy(() -> channel.await(LIMIT)).isInstanceOf(InterruptedException.class);
            assertThat(Thread.interrupted()).isFalse();
            assertThat(channel.await(LIMIT)).isEqualTo(new ConnectionEvent.AddressResolved(id));
        }
    }
}
