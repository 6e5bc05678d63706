package org.verbs4j.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.verbs4j.QueuePairState;
import org.verbs4j.WorkStatus;
import org.verbs4j.bindings.Posix;
import org.verbs4j.cm.Connection;
import org.verbs4j.cm.ConnectionException;
import org.verbs4j.cm.ConnectionParameters;
import org.verbs4j.cm.ConnectionRequest;
import org.verbs4j.cm.Connector;
import org.verbs4j.cm.Listener;
import org.verbs4j.cm.Rejection;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;

/** Listener, connector and connection, both ends in this JVM. */
@Timeout(value = 5, unit = TimeUnit.MINUTES)
class CmConnectionIT {
    private static final Duration LIMIT = CmPlace.limit(10);

    private final ExecutorService peer = Executors.newSingleThreadExecutor();

    @AfterEach
    void stop() {
        peer.shutdownNow();
    }

    private <T> Future<T> meanwhile(Callable<T> task) {
        return peer.submit(task);
    }

    private static ConnectionRequest accept(Listener listener) throws InterruptedException {
        return Objects.requireNonNull(listener.accept(LIMIT), "no request");
    }

    private static ConnectionParameters with(String data) {
        return ConnectionParameters.defaults().withPrivateData(CmPlace.bytes(data));
    }

    @Test
    @Holds("73")
    void dataGoesBothWaysAndThePeerSeesTheEnd() throws Exception {
        try (Listener listener = Listener.bind(CmPlace.anyPort(), 4)) {
            Future<String> served =
                    meanwhile(
                            () -> {
                                try (ConnectionRequest request = accept(listener);
                                        CmSide side = new CmSide(request.context())) {
                                    side.receive(7, 0, 64);
                                    try (Connection c =
                                            request.accept(side.pair, with("welcome"), LIMIT)) {
                                        assertThat(CmPlace.text(c.privateData()))
                                                .isEqualTo("let me in");
                                        assertThat(side.await().id()).isEqualTo(7);
                                        String text = side.memory.segment().getString(0);
                                        side.memory.segment().setString(0, "pong");
                                        side.send(8, 0, 64);
                                        side.await();
                                        assertThat(c.awaitDisconnect(LIMIT)).isTrue();
                                        assertThat(c.isConnected()).isFalse();
                                        return text;
                                    }
                                }
                            });
            try (Connector connector = Connector.resolve(listener.localAddress(), LIMIT);
                    CmSide side = new CmSide(connector.context())) {
                side.receive(1, 64, 64);
                side.memory.segment().setString(0, "ping");
                try (Connection c = connector.connect(side.pair, with("let me in"), LIMIT)) {
                    assertThat(CmPlace.text(c.privateData())).isEqualTo("welcome");
                    assertThat(c.remoteAddress()).isEqualTo(listener.localAddress());
                    assertThat(c.isConnected()).isTrue();
                    side.send(2, 0, 64);
                    assertThat(List.of(side.await().id(), side.await().id()))
                            .containsExactlyInAnyOrder(1L, 2L);
                    assertThat(side.memory.segment().getString(64)).isEqualTo("pong");
                }
                assertThat(side.pair.queryState()).isEqualTo(QueuePairState.ERROR);
            }
            assertThat(served.get(1, TimeUnit.MINUTES)).isEqualTo("ping");
        }
    }

    @Test
    @Holds("74b")
    void privateDataIsAsLongAsTheTransportMakesIt() throws Exception {
        try (Listener listener = Listener.bind(CmPlace.anyPort(), 4)) {
            Future<Integer> asked =
                    meanwhile(
                            () -> {
                                try (ConnectionRequest request = accept(listener);
                                        CmSide side = new CmSide(request.context());
                                        Connection c =
                                                request.accept(
                                                        side.pair, with("x".repeat(196)), LIMIT)) {
                                    return c.privateData().remaining();
                                }
                            });
            try (Connector connector = Connector.resolve(listener.localAddress(), LIMIT);
                    CmSide side = new CmSide(connector.context());
                    Connection c = connector.connect(side.pair, with("x".repeat(56)), LIMIT)) {
                assertThat(CmPlace.text(c.privateData())).isEqualTo("x".repeat(196));
                assertThat(c.awaitDisconnect(LIMIT)).isTrue();
            }
            assertThat(asked.get(1, TimeUnit.MINUTES)).isEqualTo(56);
        }
    }

    @Test
    @Holds("74a")
    void tooMuchPrivateDataIsRefusedByName() throws Exception {
        try (Listener listener = Listener.bind(CmPlace.anyPort(), 4);
                Connector connector = Connector.resolve(listener.localAddress(), LIMIT);
                CmSide side = new CmSide(connector.context())) {
            assertThatThrownBy(() -> connector.connect(side.pair, with("x".repeat(57)), LIMIT))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("57 bytes")
                    .hasMessageContaining("at most 56");
        }
    }

    /** A wrong argument loses neither the way that was found nor the peer that asks. */
    @Test
    void whatIsWrongCanBePutRight() throws Exception {
        try (Listener listener = Listener.bind(CmPlace.anyPort(), 4)) {
            Future<Boolean> accepted =
                    meanwhile(
                            () -> {
                                try (ConnectionRequest request = accept(listener);
                                        CmSide side = new CmSide(request.context())) {
                                    refused(
                                            () -> request.accept(side.pair, with("x".repeat(197))),
                                            "at most 196");
                                    refused(
                                            () -> request.reject(CmPlace.bytes("x".repeat(149))),
                                            "at most 148");
                                    side.pair.moveToError();
                                    unusable(() -> request.accept(side.pair, with("")));
                                    side.pair.reset();
                                    try (Connection c = request.accept(side.pair, with("here"))) {
                                        return c.awaitDisconnect(LIMIT);
                                    }
                                }
                            });
            try (Connector connector = Connector.resolve(listener.localAddress(), LIMIT);
                    CmSide side = new CmSide(connector.context())) {
                refused(() -> connector.connect(side.pair, with("x".repeat(57))), "at most 56");
                side.pair.moveToError();
                unusable(() -> connector.connect(side.pair, with("")));
                side.pair.reset();
                try (Connection c = connector.connect(side.pair, with(""))) {
                    assertThat(CmPlace.text(c.privateData())).isEqualTo("here");
                }
            }
            assertThat(accepted.get(1, TimeUnit.MINUTES)).isTrue();
        }
    }

    private static void refused(ThrowingCallable call, String limit) {
        assertThatThrownBy(call)
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining(limit);
    }

    private static void unusable(ThrowingCallable call) {
        assertThatThrownBy(call)
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("is in ERROR: connecting takes a new one");
    }

    @Test
    @Holds("75")
    void nobodyListening() throws Exception {
        InetSocketAddress free;
        try (Listener listener = Listener.bind(CmPlace.anyPort(), 4)) {
            free = listener.localAddress();
        }
        try (Connector connector = Connector.resolve(free, LIMIT);
                CmSide side = new CmSide(connector.context())) {
            ConnectionException e =
                    catchThrowableOfType(
                            ConnectionException.class,
                            () ->
                                    connector.connect(
                                            side.pair, ConnectionParameters.defaults(), LIMIT));
            assertThat(e.rejection()).isEqualTo(Rejection.NO_LISTENER);
            assertThat(e.errno()).isEqualTo(Posix.ECONNREFUSED());
            assertThat(e).hasMessageContaining("nobody listens").hasMessageContaining("reason 8");
            assertThat(side.pair.queryState()).isEqualTo(QueuePairState.INIT);
        }
    }

    @Test
    @Holds({"74b", "75"})
    void aRejectionCarriesItsReason() throws Exception {
        try (Listener listener = Listener.bind(CmPlace.anyPort(), 4)) {
            Future<Boolean> rejected =
                    meanwhile(
                            () -> {
                                try (ConnectionRequest request = accept(listener)) {
                                    request.reject(CmPlace.bytes("full"));
                                    assertThatThrownBy(() -> request.reject(CmPlace.bytes("again")))
                                            .isInstanceOf(IllegalStateException.class);
                                    return true;
                                }
                            });
            try (Connector connector = Connector.resolve(listener.localAddress(), LIMIT);
                    CmSide side = new CmSide(connector.context())) {
                ConnectionException e =
                        catchThrowableOfType(
                                ConnectionException.class,
                                () ->
                                        connector.connect(
                                                side.pair, ConnectionParameters.defaults(), LIMIT));
                assertThat(e.rejection()).isEqualTo(Rejection.BY_APPLICATION);
                assertThat(e.event())
                        .isInstanceOfSatisfying(
                                org.verbs4j.cm.ConnectionEvent.Failed.class,
                                failed -> assertThat(failed.status()).isEqualTo(28));
                assertThat(e.privateData().remaining()).isEqualTo(148);
                assertThat(CmPlace.text(e.privateData())).isEqualTo("full");
            }
            assertThat(rejected.get(1, TimeUnit.MINUTES)).isTrue();
        }
    }

    @Test
    void aRequestThatIsClosedIsRejected() throws Exception {
        try (Listener listener = Listener.bind(CmPlace.anyPort(), 4)) {
            Future<Boolean> closed =
                    meanwhile(
                            () -> {
                                accept(listener).close();
                                return true;
                            });
            try (Connector connector = Connector.resolve(listener.localAddress(), LIMIT);
                    CmSide side = new CmSide(connector.context())) {
                assertThatThrownBy(
                                () ->
                                        connector.connect(
                                                side.pair, ConnectionParameters.defaults(), LIMIT))
                        .isInstanceOf(ConnectionException.class)
                        .hasMessageContaining("rejected");
            }
            assertThat(closed.get(1, TimeUnit.MINUTES)).isTrue();
        }
    }

    @Test
    @Holds("83")
    void aSilentServerIsGivenUp() throws Exception {
        try (Listener listener = Listener.bind(CmPlace.anyPort(), 4);
                Connector connector = Connector.resolve(listener.localAddress(), LIMIT);
                CmSide side = new CmSide(connector.context())) {
            long start = System.nanoTime();
            assertThatThrownBy(
                            () ->
                                    connector.connect(
                                            side.pair,
                                            ConnectionParameters.defaults(),
                                            Duration.ofMillis(1500)))
                    .isInstanceOf(ConnectionException.class)
                    .hasMessageContaining("has not answered within 1500 ms");
            assertThat(Duration.ofNanos(System.nanoTime() - start))
                    .isBetween(Duration.ofMillis(1500), Duration.ofMillis(1500).plus(LIMIT));
        }
    }

    @Test
    void aWildcardListenerServesBothFamilies() throws Exception {
        InetAddress v4 = CmPlace.addresses().getFirst();
        InetAddress v6 = CmPlace.linkLocal();
        try (Listener listener = Listener.bind(new InetSocketAddress(0), 4)) {
            for (InetAddress ip : List.of(v4, v6)) {
                InetSocketAddress server =
                        new InetSocketAddress(ip, listener.localAddress().getPort());
                Future<String> seen =
                        meanwhile(
                                () -> {
                                    try (ConnectionRequest request = accept(listener);
                                            CmSide side = new CmSide(request.context());
                                            Connection c =
                                                    request.accept(
                                                            side.pair, with("hello"), LIMIT)) {
                                        c.awaitDisconnect(LIMIT);
                                        return String.valueOf(c.remoteAddress());
                                    }
                                });
                try (Connector connector = Connector.resolve(server, LIMIT);
                        CmSide side = new CmSide(connector.context());
                        Connection c =
                                connector.connect(
                                        side.pair, ConnectionParameters.defaults(), LIMIT)) {
                    assertThat(CmPlace.text(c.privateData())).isEqualTo("hello");
                }
                assertThat(seen.get(1, TimeUnit.MINUTES))
                        .contains(ip.getHostAddress().replaceAll("%.*", ""));
            }
        }
    }

    @Test
    @Holds("79a")
    void theSourceAddressChoosesTheDevice() throws Exception {
        List<InetAddress> all = CmPlace.addresses();
        assumeTrue(all.size() > 1, "one device only");
        try (Listener listener = Listener.bind(CmPlace.anyPort(), 4);
                Connector connector =
                        Connector.to(listener.localAddress())
                                .from(new InetSocketAddress(all.get(1), 0))
                                .typeOfService(0x68)
                                .ackTimeout(15)
                                .resolve(LIMIT);
                CmSide side = new CmSide(connector.context())) {
            assertThat(connector.localAddress().getAddress()).isEqualTo(all.get(1));
            Future<String> seen =
                    meanwhile(
                            () -> {
                                try (ConnectionRequest request = accept(listener);
                                        CmSide other = new CmSide(request.context());
                                        Connection c =
                                                request.accept(other.pair, with(""), LIMIT)) {
                                    c.awaitDisconnect(LIMIT);
                                    return request.context().device().name();
                                }
                            });
            try (Connection c =
                    connector.connect(side.pair, ConnectionParameters.defaults(), LIMIT)) {
                var attributes = side.pair.query();
                assertThat(attributes.timeout()).isEqualTo(15);
                assertThat(attributes.minRnrTimer()).isEqualTo(12);
                assertThat(attributes.addressVector().route().trafficClass()).isEqualTo(0x68);
                c.disconnect();
                assertThat(c.awaitDisconnect(LIMIT)).isTrue();
            }
            assertThat(seen.get(1, TimeUnit.MINUTES))
                    .isNotEqualTo(connector.context().device().name());
        }
    }

    /** Accepts one connection; whether its client has disconnected within the limit. */
    private Future<Boolean> servedUntilDisconnected(Listener listener) {
        return meanwhile(
                () -> {
                    try (ConnectionRequest request = accept(listener);
                            CmSide side = new CmSide(request.context());
                            Connection c = request.accept(side.pair, with(""), LIMIT)) {
                        return c.awaitDisconnect(LIMIT);
                    }
                });
    }

    @Test
    void everythingOutstandingIsDrained() throws Exception {
        try (Listener listener = Listener.bind(CmPlace.anyPort(), 4)) {
            Future<Boolean> served = servedUntilDisconnected(listener);
            try (Connector connector = Connector.resolve(listener.localAddress(), LIMIT);
                    CmSide side = new CmSide(connector.context());
                    Connection c =
                            connector.connect(side.pair, ConnectionParameters.defaults(), LIMIT)) {
                for (int i = 0; i < 16; i++) {
                    side.receive(i, 0, 64);
                }
                long[] flushed = {0};
                assertThat(
                                c.drain(
                                        side.completions,
                                        completion -> {
                                            assertThat(completion.status())
                                                    .isEqualTo(WorkStatus.FLUSHED);
                                            flushed[0] |= 1L << completion.wrId();
                                        },
                                        LIMIT))
                        .isTrue();
                assertThat(flushed[0]).isEqualTo(0xffff);
            }
            assertThat(served.get(1, TimeUnit.MINUTES)).isTrue();
        }
    }

    @Test
    void aConnectedPairCannotBeClosedBeforeItsConnection() throws Exception {
        try (Listener listener = Listener.bind(CmPlace.anyPort(), 4)) {
            Future<Boolean> served = servedUntilDisconnected(listener);
            try (Connector connector = Connector.resolve(listener.localAddress(), LIMIT);
                    CmSide side = new CmSide(connector.context());
                    Connection c =
                            connector.connect(side.pair, ConnectionParameters.defaults(), LIMIT)) {
                assertThatThrownBy(side.pair::close)
                        .isInstanceOf(IllegalStateException.class)
                        .hasMessageContaining("connection from");
                assertThatThrownBy(
                                () ->
                                        connector.connect(
                                                side.pair, ConnectionParameters.defaults(), LIMIT))
                        .isInstanceOf(IllegalStateException.class)
                        .hasMessageContaining("used already");
                c.close();
                c.close();
            }
            assertThat(served.get(1, TimeUnit.MINUTES)).isTrue();
        }
    }
}
