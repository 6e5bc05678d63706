package org.verbs4j.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.verbs4j.QueuePairState;
import org.verbs4j.RcQueuePair;
import org.verbs4j.bindings.Posix;
import org.verbs4j.cm.ConnectionEvent;
import org.verbs4j.cm.ConnectionEvent.AddressResolved;
import org.verbs4j.cm.ConnectionEvent.Disconnected;
import org.verbs4j.cm.ConnectionEvent.Established;
import org.verbs4j.cm.ConnectionEvent.Failed;
import org.verbs4j.cm.ConnectionEvent.Requested;
import org.verbs4j.cm.ConnectionEvent.Responded;
import org.verbs4j.cm.ConnectionEvent.RouteResolved;
import org.verbs4j.cm.ConnectionEvent.TimeWaitExited;
import org.verbs4j.cm.ConnectionException;
import org.verbs4j.cm.ConnectionId;
import org.verbs4j.cm.ConnectionParameters;
import org.verbs4j.cm.EventChannel;

import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.TimeUnit;

/** The state machine step by step, as a program with an event loop of its own drives it. */
@Timeout(value = 5, unit = TimeUnit.MINUTES)
class CmEventChannelIT {
    private static final Duration LIMIT = CmPlace.limit(10);

    private static <E extends ConnectionEvent> E next(EventChannel channel, Class<E> type)
            throws InterruptedException {
        ConnectionEvent event =
                Objects.requireNonNull(channel.await(LIMIT), () -> "no " + type.getSimpleName());
        assertThat(event).isInstanceOf(type);
        return type.cast(event);
    }

    private static ConnectionId listening(EventChannel channel) {
        ConnectionId listener = channel.newId();
        listener.bind(CmPlace.anyPort());
        listener.listen(4);
        return listener;
    }

    private static void resolve(EventChannel channel, ConnectionId id, ConnectionId listener)
            throws InterruptedException {
        id.resolveAddress(null, listener.localAddress(), LIMIT);
        assertThat(next(channel, AddressResolved.class).id()).isSameAs(id);
        id.resolveRoute(LIMIT);
        assertThat(next(channel, RouteResolved.class).id()).isSameAs(id);
    }

    private static void move(RcQueuePair pair, ConnectionId id, QueuePairState... states) {
        for (QueuePairState state : states) {
            pair.modify(id.attributesFor(state));
        }
    }

    @Test
    @Holds({"73", "77", "80"})
    void externalQueuePairsGoThroughTheWholeStateMachine() throws Exception {
        try (EventChannel passive = EventChannel.open();
                EventChannel active = EventChannel.open();
                ConnectionId listener = listening(passive);
                ConnectionId id = active.newId()) {
            resolve(active, id, listener);
            assertThat(id.port()).isEqualTo(1);
            try (CmSide client = new CmSide(id.context())) {
                move(client.pair, id, QueuePairState.INIT);
                client.receive(1, 0, 16);
                id.connect(
                        client.pair.number(),
                        ConnectionParameters.defaults()
                                .withReads(4, 8)
                                .withPrivateData(CmPlace.bytes("hi")));
                Requested request = next(passive, Requested.class);
                assertThat(request.listener()).isSameAs(listener);
                assertThat(request.queuePairNumber()).isEqualTo(client.pair.number());
                assertThat(CmPlace.text(request.privateData())).isEqualTo("hi");
                assertThat(request.offer().responderResources()).isEqualTo(4);
                assertThat(request.offer().initiatorDepth()).isEqualTo(8);
                try (ConnectionId accepted = request.id();
                        CmSide server = new CmSide(accepted.context())) {
                    move(
                            server.pair,
                            accepted,
                            QueuePairState.INIT,
                            QueuePairState.READY_TO_RECEIVE,
                            QueuePairState.READY_TO_SEND);
                    accepted.accept(server.pair.number(), ConnectionParameters.defaults());
                    assertThatThrownBy(
                                    () ->
                                            accepted.accept(
                                                    server.pair.number(),
                                                    ConnectionParameters.defaults()))
                            .isInstanceOf(IllegalStateException.class)
                            .hasMessageContaining("answered");
                    Responded response = next(active, Responded.class);
                    assertThat(response.queuePairNumber()).isEqualTo(server.pair.number());
                    move(
                            client.pair,
                            id,
                            QueuePairState.READY_TO_RECEIVE,
                            QueuePairState.READY_TO_SEND);
                    id.establish();
                    assertThat(next(passive, Established.class).id()).isSameAs(accepted);
                    assertThat(client.pair.query().maxInitiatedReads()).isEqualTo(4);
                    assertThat(server.pair.query().maxAcceptedReads()).isEqualTo(4);
                    assertThat(server.pair.query().maxInitiatedReads()).isEqualTo(8);
                    assertThatThrownBy(() -> id.connect(1, ConnectionParameters.defaults()))
                            .isInstanceOfSatisfying(
                                    ConnectionException.class,
                                    e -> assertThat(e.errno()).isEqualTo(Posix.EINVAL()));
                    server.send(2, 0, 16);
                    server.await();
                    assertThat(client.await().id()).isEqualTo(1);

                    id.disconnect();
                    assertThat(next(passive, Disconnected.class).id()).isSameAs(accepted);
                    accepted.disconnect();
                    assertThat(next(active, Disconnected.class).id()).isSameAs(id);
                    id.disconnect(); // twice is harmless
                    assertThat(next(active, TimeWaitExited.class).id()).isSameAs(id);
                    assertThat(next(passive, TimeWaitExited.class).id()).isSameAs(accepted);
                }
            }
        }
    }

    /** A client that has asked a listener which has not looked yet. */
    private static final class Asking implements AutoCloseable {
        final EventChannel passive = EventChannel.open();
        final EventChannel active = EventChannel.open();
        final ConnectionId listener = listening(passive);
        final ConnectionId id = active.newId();
        final CmSide client;

        Asking() throws InterruptedException {
            resolve(active, id, listener);
            client = new CmSide(id.context());
            move(client.pair, id, QueuePairState.INIT);
            id.connect(client.pair, ConnectionParameters.defaults());
        }

        @Override
        public void close() {
            client.close();
            id.close();
            listener.close();
            active.close();
            passive.close();
        }
    }

    /** As when a message overtakes the confirmation, which does not come here. */
    @Test
    void aNotificationEstablishesTheAcceptingSide() throws Exception {
        try (Asking asking = new Asking();
                ConnectionId accepted = next(asking.passive, Requested.class).id();
                CmSide server = new CmSide(accepted.context())) {
            move(
                    server.pair,
                    accepted,
                    QueuePairState.INIT,
                    QueuePairState.READY_TO_RECEIVE,
                    QueuePairState.READY_TO_SEND);
            accepted.accept(server.pair, ConnectionParameters.defaults());
            next(asking.active, Responded.class);
            accepted.notifyCommunication();
            assertThat(next(asking.passive, Established.class).id()).isSameAs(accepted);
        }
    }

    @Test
    @Holds("85")
    void aMigratedIdSpeaksOnItsNewChannel() throws Exception {
        try (EventChannel passive = EventChannel.open();
                EventChannel active = EventChannel.open();
                EventChannel other = EventChannel.open();
                ConnectionId listener = listening(passive);
                ConnectionId id = active.newId()) {
            resolve(active, id, listener);
            id.migrate(other);
            assertThat(id.channel()).isSameAs(other);
            try (CmSide client = new CmSide(id.context())) {
                move(client.pair, id, QueuePairState.INIT);
                id.connect(client.pair.number(), ConnectionParameters.defaults());
                Requested request = next(passive, Requested.class);
                request.id().reject(CmPlace.bytes("no"));
                request.id().close();
                Failed failed = next(other, Failed.class);
                assertThat(failed.id()).isSameAs(id);
                assertThat(failed.status()).isEqualTo(28);
                assertThat(active.poll()).isNull();
                active.close(); // nothing is left on it
            }
        }
    }

    @Test
    void requestsThatNobodyReadAreRejectedWithTheirListener() throws Exception {
        try (Asking asking = new Asking()) {
            Thread.sleep(300);
            asking.listener.close();
            assertThat(next(asking.active, Failed.class).reason())
                    .isEqualTo(Failed.Reason.REJECTED);
            assertThat(asking.passive.poll()).isNull();
        }
    }

    @Test
    void manyIdsShareAChannel() throws Exception {
        try (EventChannel channel = EventChannel.open()) {
            List<ConnectionId> ids =
                    java.util.stream.Stream.generate(channel::newId).limit(50).toList();
            ids.forEach(id -> id.resolveAddress(null, CmPlace.anyPort(), LIMIT));
            for (int i = 0; i < ids.size(); i++) {
                assertThat(ids).contains(next(channel, AddressResolved.class).id());
            }
            ids.forEach(ConnectionId::close);
        }
    }
}
