package org.verbs4j.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.verbs4j.CompletionQueue;
import org.verbs4j.RcQueuePair;
import org.verbs4j.WorkCompletions;
import org.verbs4j.WorkStatus;
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
import java.util.concurrent.TimeUnit;

/**
 * Waits beyond {@link WaitsIT}: several threads at a time, peers that have gone, and what is left.
 */
@Timeout(value = 5, unit = TimeUnit.MINUTES)
class CmWaitsIT {
    private static final Duration LONG = Duration.ofMinutes(10);
    private static final Duration SHORT = Duration.ofMillis(200);
    private static final Duration LIMIT = CmPlace.limit(10);

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void closingAChannelEndsTheWaitOfEveryThread(boolean virtual) throws Exception {
        try (EventChannel channel = EventChannel.open()) {
            Waiting first = Waiting.start(virtual, () -> channel.await(LONG));
            Waiting second = Waiting.start(!virtual, () -> channel.await(LONG));
            channel.close();
            assertThat(first.end()).isInstanceOf(IllegalStateException.class);
            assertThat(second.end()).isInstanceOf(IllegalStateException.class);
            assertThatThrownBy(channel::poll).isInstanceOf(IllegalStateException.class);
        }
    }

    @Test
    void noTimeIsALook() throws Exception {
        try (EventChannel channel = EventChannel.open();
                Listener listener = Listener.bind(CmPlace.anyPort(), 4)) {
            assertThat(channel.await(Duration.ZERO)).isNull();
            assertThat(channel.await(Duration.ofSeconds(-1))).isNull();
            assertThat(listener.accept(Duration.ZERO)).isNull();
        }
    }

    @Test
    void acceptingAPeerThatHasGoneEnds() throws Exception {
        try (Listener listener = Listener.bind(CmPlace.anyPort(), 4)) {
            ConnectionRequest abandoned = abandonedRequest(listener);
            try (CmSide side = new CmSide(abandoned.context())) {
                assertThatThrownBy(
                                () ->
                                        abandoned.accept(
                                                side.pair, ConnectionParameters.defaults(), LIMIT))
                        .isInstanceOf(ConnectionException.class)
                        .hasMessageContaining("has gone: has the peer died, or given up");
            }
        }
    }

    /** A request whose peer has gone before it could be accepted. */
    private static ConnectionRequest abandonedRequest(Listener listener) throws Exception {
        try (Connector connector = Connector.resolve(listener.localAddress(), LIMIT);
                CmSide side = new CmSide(connector.context())) {
            Waiting waiting =
                    Waiting.start(
                            false,
                            () ->
                                    connector.connect(
                                            side.pair, ConnectionParameters.defaults(), LONG));
            ConnectionRequest request = listener.accept(LIMIT);
            connector.close();
            assertThat(waiting.end()).isInstanceOf(IllegalStateException.class);
            return request;
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void everyThreadIsToldOfTheDisconnect(boolean virtual) throws Exception {
        try (Listener listener = Listener.bind(CmPlace.anyPort(), 4);
                CmConnected both = CmConnected.through(listener)) {
            Connection c = both.client;
            Waiting first = Waiting.start(virtual, () -> c.awaitDisconnect(LONG));
            Waiting second = Waiting.start(!virtual, () -> c.awaitDisconnect(LONG));
            both.server.disconnect();
            assertThat(first.end()).isEqualTo("true");
            assertThat(second.end()).isEqualTo("true");
        }
    }

    /** The peer does not look, so it does not acknowledge. */
    @Test
    void closingTakesASecondAtMostAndNoTimeWhenInterrupted() throws Exception {
        try (Listener listener = Listener.bind(CmPlace.anyPort(), 4)) {
            try (CmConnected both = CmConnected.through(listener)) {
                long start = System.nanoTime();
                both.client.close();
                assertThat(Duration.ofNanos(System.nanoTime() - start))
                        .isBetween(Duration.ofMillis(900), LIMIT);
            }
            try (CmConnected both = CmConnected.through(listener)) {
                Thread.currentThread().interrupt();
                both.client.close();
                assertThat(Thread.interrupted()).isTrue();
                assertThat(both.client.isConnected()).isFalse();
            }
        }
    }

    /** Its first close waits for a peer that does not look. */
    @Test
    void whoClosesSecondFindsItClosed() throws Exception {
        try (Listener listener = Listener.bind(CmPlace.anyPort(), 4)) {
            CmConnected both = CmConnected.through(listener);
            Waiting first =
                    Waiting.start(
                            false,
                            () -> {
                                both.client.close();
                                return "closed";
                            });
            both.client.close();
            both.clientSide.close(); // nothing uses the queue pair any more
            assertThat(both.client.isConnected()).isFalse();
            assertThat(first.end()).isEqualTo("closed");
            both.close();
        }
    }

    @Test
    void whatCannotBeReachedIsSaidAtOnce() throws Exception {
        InetSocketAddress dead = new InetSocketAddress(CmPlace.unusedNeighbour(), 7000);
        assertThatThrownBy(() -> Connector.resolve(dead, SHORT))
                .isInstanceOf(ConnectionException.class)
                .hasMessageContaining(dead.getAddress().getHostAddress());
        assertThatThrownBy(() -> Connector.resolve(new InetSocketAddress("192.0.2.1", 7000), LIMIT))
                .isInstanceOf(ConnectionException.class)
                .hasMessageContaining("192.0.2.1");
        try (Connector found = Connector.to(CmPlace.anyPort()).open()) {
            assertThatThrownBy(found::context).isInstanceOf(IllegalStateException.class);
            found.resolve(LIMIT);
            assertThat(found.context()).isNotNull();
            assertThatThrownBy(() -> found.resolve(LIMIT))
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("has been used already");
        }
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

    /** Markers of the drain's own would overrun it. */
    @Test
    void aCompletionQueueWithoutRoomIsDrained() throws Exception {
        try (Listener listener = Listener.bind(CmPlace.anyPort(), 4);
                Connector connector = Connector.resolve(listener.localAddress(), LIMIT);
                CmSide server = new CmSide(connector.context());
                CmSide client = new CmSide(connector.context());
                CompletionQueue full = connector.context().newCompletionQueue(31);
                RcQueuePair pair =
                        client.domain
                                .newRcQueuePair(full, full)
                                .maxSendRequests(15)
                                .maxReceiveRequests(16)
                                .build()) {
            Waiting serving =
                    Waiting.begin(
                            false,
                            () -> {
                                try (Connection served =
                                        listener.accept()
                                                .accept(
                                                        server.pair,
                                                        ConnectionParameters.defaults(),
                                                        LIMIT)) {
                                    return served.awaitDisconnect(LIMIT);
                                }
                            });
            Connection connection = connector.connect(pair, ConnectionParameters.defaults(), LIMIT);
            for (int i = 0; i < 16; i++) {
                pair.post(pair.newReceive().into(client.memory, 0, 8));
            }
            for (int i = 0; i < 15; i++) {
                pair.post(pair.newSend().signaled(true).from(client.memory, 0, 8));
            }
            List<WorkStatus> owed = new ArrayList<>();
            WorkCompletions into = WorkCompletions.allocate(8);
            assertThat(connection.drain(into, c -> owed.add(c.status()), LIMIT)).isTrue();
            assertThat(owed).hasSize(full.capacity());
            connection.close();
            assertThat(serving.end()).isEqualTo("true");
        }
    }

    @Test
    void whatIsClosedIsNamed() throws Exception {
        Listener listener = Listener.bind(CmPlace.anyPort(), 4);
        try (listener;
                CmConnected both = CmConnected.through(listener)) {
            both.client.close();
            both.server.close();
            listener.close();
            assertThatThrownBy(() -> both.client.fileDescriptor())
                    .hasMessage(both.client + " is closed");
            assertThatThrownBy(() -> listener.accept(LIMIT)).hasMessage(listener + " is closed");
            assertThatThrownBy(listener::fileDescriptor).hasMessage(listener + " is closed");
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
