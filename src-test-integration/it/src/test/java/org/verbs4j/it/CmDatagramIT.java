package org.verbs4j.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.verbs4j.AddressHandle;
import org.verbs4j.bindings.Verbs;
import org.verbs4j.cm.ConnectionEvent;
import org.verbs4j.cm.ConnectionException;
import org.verbs4j.cm.ConnectionId;
import org.verbs4j.cm.ConnectionParameters;
import org.verbs4j.cm.Connector;
import org.verbs4j.cm.DatagramConnector;
import org.verbs4j.cm.DatagramListener;
import org.verbs4j.cm.DatagramPeer;
import org.verbs4j.cm.DatagramRequest;
import org.verbs4j.cm.EventChannel;
import org.verbs4j.cm.Listener;
import org.verbs4j.cm.PortSpace;
import org.verbs4j.cm.Rejection;

import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/** Datagrams to a peer that is found by its IP address. */
@Timeout(value = 5, unit = TimeUnit.MINUTES)
class CmDatagramIT {
    private static final Duration LIMIT = CmPlace.limit(10);

    /** Answers the next request on another thread. */
    private static CompletableFuture<Void> answer(
            DatagramListener listener, Consumer<DatagramRequest> how) {
        CompletableFuture<Void> done = new CompletableFuture<>();
        Thread.ofPlatform()
                .start(
                        () -> {
                            try (DatagramRequest request =
                                    Objects.requireNonNull(listener.accept(LIMIT), "no request")) {
                                how.accept(request);
                                done.complete(null);
                            } catch (Throwable e) {
                                done.completeExceptionally(e);
                            }
                        });
        return done;
    }

    private static DatagramListener listen() {
        return Listener.at(CmPlace.anyPort()).bindDatagrams();
    }

    private static DatagramConnector toward(DatagramListener listener) throws InterruptedException {
        return Connector.to(listener.localAddress()).resolveDatagrams(LIMIT);
    }

    private static void get(CompletableFuture<Void> done) throws Exception {
        done.get(LIMIT.toMillis(), TimeUnit.MILLISECONDS);
    }

    private static ByteBuffer filled(int length) {
        ByteBuffer data = ByteBuffer.allocate(length);
        while (data.hasRemaining()) {
            data.put((byte) data.position());
        }
        return data.flip();
    }

    @Test
    @Holds({"74b", "81"})
    void aPeerFoundByAddressIsSentToAndAnswers() throws Exception {
        ByteBuffer question = filled(ConnectionParameters.MAX_DATAGRAM_CONNECT_PRIVATE_DATA);
        ByteBuffer reply = filled(ConnectionParameters.MAX_DATAGRAM_ACCEPT_PRIVATE_DATA);
        try (DatagramListener listener = listen();
                DatagramConnector connector = toward(listener);
                CmDatagramSide client = new CmDatagramSide(connector.context());
                CmDatagramSide server = new CmDatagramSide(connector.context())) {
            server.receive(1);
            CompletableFuture<Void> answered =
                    answer(
                            listener,
                            request -> {
                                assertThat(request.context()).isSameAs(server.context);
                                assertThat(request.privateData()).isEqualTo(question);
                                assertThat(request.remoteAddress().getAddress())
                                        .isEqualTo(CmPlace.addresses().getFirst());
                                assertThat(request.localAddress())
                                        .isEqualTo(listener.localAddress());
                                request.accept(server.pair, reply);
                            });
            client.receive(2);
            try (DatagramPeer peer = connector.connect(client.pair, question, LIMIT)) {
                get(answered);
                assertThat(peer.privateData()).isEqualTo(reply);
                assertThat(connector.context()).isSameAs(client.context);
                assertThat(peer.destination().queuePairNumber()).isEqualTo(server.pair.number());
                assertThat(peer.destination().queueKey()).isEqualTo(Verbs.RDMA_UDP_QKEY());
                client.post(peer.address(client.datagram("who is there?")));
                assertThat(server.received()).isEqualTo("who is there?");
                try (AddressHandle back = server.wayBack()) {
                    server.post(
                            server.datagram("me")
                                    .to(back, server.senderNumber(), server.pair.queueKey()));
                }
                assertThat(client.received()).isEqualTo("me");
            }
        }
    }

    @Test
    void aPeerIsFoundByAnAddressOfIpv6() throws Exception {
        InetSocketAddress local = new InetSocketAddress(CmPlace.linkLocal(), 0);
        try (DatagramListener listener = Listener.at(local).bindDatagrams();
                DatagramConnector connector = toward(listener);
                CmDatagramSide server = new CmDatagramSide(connector.context());
                CmDatagramSide client = new CmDatagramSide(connector.context())) {
            server.receive(1);
            CompletableFuture<Void> answered =
                    answer(
                            listener,
                            request -> {
                                assertThat(request.port().number()).isOne();
                                request.accept(server.pair, filled(0));
                            });
            try (DatagramPeer peer = connector.connect(client.pair, filled(0), LIMIT)) {
                get(answered);
                client.post(peer.address(client.datagram("six")));
                assertThat(server.received()).isEqualTo("six");
            }
        }
    }

    @Test
    void oneQueuePairServesSeveralPeers() throws Exception {
        try (DatagramListener listener = listen();
                DatagramConnector first = toward(listener);
                DatagramConnector second = toward(listener);
                CmDatagramSide server = new CmDatagramSide(first.context());
                CmDatagramSide client = new CmDatagramSide(first.context())) {
            server.receive(1);
            server.receive(2);
            for (DatagramConnector connector : new DatagramConnector[] {first, second}) {
                CompletableFuture<Void> answered =
                        answer(
                                listener,
                                request -> request.accept(server.pair, CmPlace.bytes("yes")));
                try (DatagramPeer peer =
                        connector.connect(client.pair, CmPlace.bytes("may I?"), LIMIT)) {
                    get(answered);
                    assertThat(CmPlace.text(peer.privateData())).isEqualTo("yes");
                    client.post(peer.address(client.datagram("hello")));
                }
                assertThat(server.received()).isEqualTo("hello");
            }
        }
    }

    @Test
    @Holds({"74a", "74b"})
    void privateDataThatIsTooLongIsRefused() throws Exception {
        try (DatagramListener listener = listen();
                DatagramConnector connector = toward(listener);
                CmDatagramSide side = new CmDatagramSide(connector.context())) {
            assertThatThrownBy(() -> connector.connect(side.pair, filled(181), LIMIT))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("181 bytes")
                    .hasMessageContaining("at most 180");
            CompletableFuture<Void> answered =
                    answer(
                            listener,
                            request -> {
                                assertThatThrownBy(() -> request.accept(side.pair, filled(137)))
                                        .isInstanceOf(IllegalArgumentException.class)
                                        .hasMessageContaining("at most 136");
                                assertThatThrownBy(() -> request.reject(filled(137)))
                                        .isInstanceOf(IllegalArgumentException.class)
                                        .hasMessageContaining("at most 136");
                                request.reject(filled(136));
                            });
            ConnectionException rejected =
                    catchThrowableOfType(
                            ConnectionException.class,
                            () -> connector.connect(side.pair, filled(1), LIMIT));
            get(answered);
            assertThat(rejected.rejection()).isEqualTo(Rejection.BY_APPLICATION);
            assertThat(rejected.privateData()).isEqualTo(filled(136));
        }
    }

    @Test
    @Holds("75")
    void nobodyListeningIsSaid() throws Exception {
        InetSocketAddress closed;
        try (DatagramListener listener = listen()) {
            closed = listener.localAddress();
        }
        try (DatagramConnector connector = Connector.to(closed).resolveDatagrams(LIMIT);
                CmDatagramSide side = new CmDatagramSide(connector.context())) {
            assertThatThrownBy(() -> connector.connect(side.pair, filled(0), LIMIT))
                    .isInstanceOfSatisfying(
                            ConnectionException.class,
                            e -> assertThat(e.rejection()).isEqualTo(Rejection.NO_LISTENER))
                    .hasMessageContaining("nobody listens");
        }
    }

    @Test
    void aQueuePairWithAKeyThatPeersWouldNotKnowIsRefused() throws Exception {
        try (DatagramListener listener = listen();
                DatagramConnector connector = toward(listener);
                CmDatagramSide side = new CmDatagramSide(connector.context());
                var other =
                        side.domain.newUdQueuePair(side.sends, side.receives).queueKey(5).build()) {
            CompletableFuture<Void> answered =
                    answer(
                            listener,
                            request -> {
                                assertThatThrownBy(() -> request.accept(other, filled(0)))
                                        .isInstanceOf(IllegalArgumentException.class)
                                        .hasMessageContaining("0x00000005")
                                        .hasMessageContaining("0x01234567");
                                request.close();
                                assertThatThrownBy(() -> request.accept(side.pair, filled(0)))
                                        .isInstanceOf(IllegalStateException.class)
                                        .hasMessageContaining("has been answered or closed");
                            });
            assertThatThrownBy(() -> connector.connect(side.pair, filled(0), LIMIT))
                    .isInstanceOf(ConnectionException.class);
            get(answered);
        }
    }

    @Test
    void theStepsOneByOneTellTheSame() throws Exception {
        try (EventChannel channel = EventChannel.open();
                ConnectionId listener = channel.newId(PortSpace.UDP);
                ConnectionId client = channel.newId(PortSpace.UDP)) {
            listener.bind(CmPlace.anyPort());
            listener.listen(1);
            assertThat(listener.portSpace()).isEqualTo(PortSpace.UDP);
            client.resolveAddress(null, listener.localAddress(), LIMIT);
            assertThat(channel.await(LIMIT)).isInstanceOf(ConnectionEvent.AddressResolved.class);
            client.resolveRoute(LIMIT);
            assertThat(channel.await(LIMIT)).isInstanceOf(ConnectionEvent.RouteResolved.class);
            ConnectionParameters hello =
                    ConnectionParameters.defaults().withPrivateData(CmPlace.bytes("hello"));
            client.connect(0, hello);
            var requested = (ConnectionEvent.DatagramRequested) channel.await(LIMIT);
            assertThat(requested.listener()).isSameAs(listener);
            assertThat(CmPlace.text(requested.privateData())).isEqualTo("hello");
            try (ConnectionId accepted = requested.id()) {
                accepted.accept(0x123456, hello);
                var established = (ConnectionEvent.DatagramEstablished) channel.await(LIMIT);
                assertThat(established.id()).isSameAs(client);
                assertThat(established.destination().queuePairNumber()).isEqualTo(0x123456);
                assertThat(established.destination().queueKey()).isEqualTo(0x01234567);
                assertThat(established.destination().way().route().destination().toInetAddress())
                        .isEqualTo(CmPlace.addresses().getFirst());
                assertThatThrownBy(() -> accepted.accept(1, hello))
                        .isInstanceOf(IllegalStateException.class)
                        .hasMessageContaining("it has been answered");
            }
        }
    }
}
