package org.verbs4j.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.verbs4j.Ece;
import org.verbs4j.QueuePairState;
import org.verbs4j.VerbsException;
import org.verbs4j.bindings.Posix;
import org.verbs4j.bindings.Verbs;
import org.verbs4j.cm.ConnectionEvent;
import org.verbs4j.cm.ConnectionException;
import org.verbs4j.cm.ConnectionId;
import org.verbs4j.cm.ConnectionParameters;
import org.verbs4j.cm.EventChannel;
import org.verbs4j.cm.Listener;
import org.verbs4j.cm.PortSpace;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.concurrent.TimeUnit;

/** What would crash or hang librdmacm is an exception; what it refuses is explained. */
@Timeout(value = 3, unit = TimeUnit.MINUTES)
class CmGuardsIT {
    private static final Duration LIMIT = CmPlace.limit(10);
    private static final ConnectionParameters DEFAULTS = ConnectionParameters.defaults();

    private static void refused(ThrowingCallable call, String message) {
        assertThatThrownBy(call)
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining(message);
    }

    private static void fails(ThrowingCallable call, int errno, String message) {
        assertThatThrownBy(call)
                .isInstanceOfSatisfying(
                        ConnectionException.class,
                        e -> assertThat(e.errno()).as(e.getMessage()).isEqualTo(errno))
                .hasMessageContaining(message);
    }

    /** Its native kind, {@code AF_IB}, is not offered. */
    @Test
    void thePortSpaceOfInfiniBandTakesAddressesOfIp() {
        InetSocketAddress address = CmPlace.anyPort();
        try (EventChannel channel = EventChannel.open();
                ConnectionId id = channel.newId(PortSpace.IB)) {
            id.bind(address);
            assertThat(id.localAddress()).isNotNull();
            assertThat(id.localAddress().getAddress()).isEqualTo(address.getAddress());
            assertThat(id.hasDevice()).isTrue();
        }
    }

    @Test
    @Holds("86")
    void anIdleIdRefusesWhatWouldCrash() {
        try (EventChannel channel = EventChannel.open();
                ConnectionId id = channel.newId()) {
            refused(() -> id.resolveRoute(LIMIT), "resolve the address first");
            refused(id::context, "has no device");
            refused(() -> id.accept(1, DEFAULTS), "has no device");
            refused(() -> id.reject(CmPlace.bytes("")), "has no device");
            refused(() -> id.connect(1, DEFAULTS), "has no device");
            refused(id::disconnect, "has no device");
            refused(id::establish, "has no device");
            refused(id::port, "has no device");
            refused(id::notifyCommunication, "has no device");
            refused(() -> id.attributesFor(QueuePairState.INIT), "has no device");
            assertThat(id.hasDevice()).isFalse();
            assertThat(id.localAddress()).isNull();
            assertThat(id.remoteAddress()).isNull();
            refused(channel::close, "still used by connection id");
        }
    }

    @Test
    void aClosedIdRefusesEverything() {
        try (EventChannel channel = EventChannel.open()) {
            ConnectionId id = channel.newId();
            id.close();
            id.close();
            refused(() -> id.bind(CmPlace.anyPort()), "closed");
            refused(() -> id.resolveAddress(null, CmPlace.anyPort(), LIMIT), "closed");
            refused(id::disconnect, "closed");
            refused(id::handle, "closed");
            refused(() -> id.options().typeOfService(1), "closed");
            refused(() -> id.migrate(channel), "closed");
            assertThat(id).hasToString("connection id (closed)");
        }
    }

    @Test
    @Holds("77")
    void stepsOutOfTurnAreRefused() throws Exception {
        try (EventChannel channel = EventChannel.open();
                ConnectionId id = channel.newId()) {
            id.resolveAddress(null, CmPlace.anyPort(), LIMIT);
            assertThat(channel.await(LIMIT)).isInstanceOf(ConnectionEvent.AddressResolved.class);
            refused(() -> id.accept(1, DEFAULTS), "did not come with a request");
            refused(() -> id.reject(CmPlace.bytes("")), "did not come with a request");
            fails(() -> id.connect(1, DEFAULTS), Posix.EINVAL(), "rdma_connect");
            fails(id::establish, Posix.EINVAL(), "rdma_establish");
        }
    }

    @Test
    void anIdWithUnreadEventsCloses() throws Exception {
        try (EventChannel channel = EventChannel.open()) {
            ConnectionId id = channel.newId();
            id.resolveAddress(null, CmPlace.anyPort(), LIMIT);
            Thread.sleep(300);
            id.close();
            assertThat(channel.await(Duration.ofMillis(200))).isNull();
        }
    }

    @Test
    @Holds("79b")
    void addressesAreExplained() {
        InetSocketAddress mine = CmPlace.anyPort();
        try (Listener listener = Listener.bind(mine, 1)) {
            fails(
                    () -> Listener.bind(listener.localAddress(), 1),
                    Posix.EADDRINUSE(),
                    "in use: choose another port");
        }
        String hostAddress = mine.getAddress().getHostAddress();
        fails(
                () ->
                        Listener.bind(
                                new InetSocketAddress(InetAddress.ofLiteral("198.51.100.1"), 0), 1),
                Posix.EADDRNOTAVAIL(),
                "not an address of this machine; the RDMA addresses of this machine are");
        fails(
                () ->
                        Listener.bind(
                                new InetSocketAddress(InetAddress.ofLiteral("127.0.0.1"), 0), 1),
                Posix.ENODEV(),
                hostAddress);
        assertThatThrownBy(
                        () ->
                                Listener.bind(
                                        InetSocketAddress.createUnresolved("nowhere.invalid", 1),
                                        1))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("nowhere.invalid");
    }

    /** Item 79. */
    @Test
    @Holds("79c")
    void aLoopbackAddressIsBoundAndHasNoDevice() {
        try (EventChannel channel = EventChannel.open();
                ConnectionId id = channel.newId()) {
            id.bind(new InetSocketAddress(InetAddress.ofLiteral("127.0.0.1"), 0));
            assertThat(id.localAddress().getPort()).isPositive();
            assertThat(id.hasDevice()).isFalse();
        }
    }

    /** Item 76. */
    @Test
    @Holds("76a")
    void anAddressWithoutRouteIsRefusedAtOnce() {
        InetSocketAddress nowhere = new InetSocketAddress(InetAddress.ofLiteral("192.0.2.1"), 1);
        try (EventChannel channel = EventChannel.open();
                ConnectionId id = channel.newId()) {
            fails(
                    () -> id.resolveAddress(null, nowhere, LIMIT),
                    Posix.ENETUNREACH(),
                    "no route to 192.0.2.1");
        }
    }

    /** Items 76 and 78. */
    @Test
    @Holds({"76b", "78"})
    void aNeighbourThatDoesNotAnswerIsToldByAnEvent() throws Exception {
        InetSocketAddress dead = new InetSocketAddress(CmPlace.unusedNeighbour(), 7000);
        try (EventChannel channel = EventChannel.open();
                ConnectionId id = channel.newId()) {
            id.resolveAddress(null, dead, Duration.ofMillis(500));
            assertThat(channel.poll()).isNull();
            assertThat(channel.await(LIMIT))
                    .isInstanceOfSatisfying(
                            ConnectionEvent.Failed.class,
                            failed -> {
                                assertThat(failed.reason())
                                        .isEqualTo(ConnectionEvent.Failed.Reason.ADDRESS);
                                assertThat(failed.status()).isEqualTo(-Posix.ETIMEDOUT());
                            });
        }
    }

    @Test
    void loopbackHasNoRoute() {
        assertThatThrownBy(
                        () ->
                                org.verbs4j.cm.Connector.resolve(
                                        new InetSocketAddress(
                                                InetAddress.ofLiteral("127.0.0.1"), 7000),
                                        LIMIT))
                .isInstanceOf(ConnectionException.class)
                .hasMessageContaining("RDMA addresses of this machine are");
    }

    @Test
    @Holds("79a")
    void optionsAreSetAndWrongOnesExplained() {
        try (EventChannel channel = EventChannel.open();
                ConnectionId id = channel.newId();
                Arena arena = Arena.ofConfined()) {
            id.options().typeOfService(0x68).ackTimeout(14).reuseAddress(true).onlyOneFamily(true);
            assertThatThrownBy(() -> id.options().ackTimeout(32))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("0 to 31");
            assertThatThrownBy(() -> id.options().typeOfService(256))
                    .isInstanceOf(IllegalArgumentException.class);
            MemorySegment four = arena.allocate(4);
            fails(
                    () ->
                            id.options()
                                    .set(Verbs.RDMA_OPTION_ID(), Verbs.RDMA_OPTION_ID_TOS(), four),
                    Posix.EINVAL(),
                    "option 0");
            fails(
                    () -> id.options().set(Verbs.RDMA_OPTION_ID(), 77, four),
                    Posix.ENOSYS(),
                    "option 77");
            fails(() -> id.options().set(9, 0, four), Posix.ENOSYS(), "level 9");
        }
    }

    @Test
    void listenersAndEce() throws Exception {
        try (EventChannel channel = EventChannel.open();
                ConnectionId listener = channel.newId()) {
            listener.bind(CmPlace.anyPort());
            assertThat(listener.hasDevice()).isTrue();
            listener.listen(1);
            assertThat(listener.localAddress().getPort()).isPositive();
            assertThat(listener).asString().startsWith("listener at");
            refused(() -> listener.accept(1, DEFAULTS), "did not come with a request");
            assertThatThrownBy(() -> listener.connect(1, DEFAULTS))
                    .isInstanceOf(VerbsException.class);
            assertThat(listener.remoteEce()).isEqualTo(new Ece(0, 0));
            fails(() -> listener.localEce(new Ece(0, 0)), Posix.EINVAL(), "rdma_set_local_ece");
        }
    }

    @Test
    void theDeviceListIsThatOfTheIds() throws Exception {
        try (EventChannel channel = EventChannel.open();
                ConnectionId id = channel.newId()) {
            id.bind(CmPlace.anyPort());
            assertThat(EventChannel.devices()).contains(id.context());
            id.context().close(); // is the C library's
            assertThat(id.context().newProtectionDomain()).satisfies(domain -> domain.close());
        }
    }
}
