package org.verbs4j.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.verbs4j.QueuePairState;
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
import org.verbs4j.cm.Rejection;

import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.TimeUnit;

/**
 * A peer that is killed, at each step of the handshake: SIGKILL, so that only its kernel can tell.
 * It is noticed, and leaves nothing in the kernel.
 */
@Timeout(value = 5, unit = TimeUnit.MINUTES)
class CmKilledPeerIT {
    private static final Duration LIMIT = CmPlace.limit(20);
    private static final ConnectionParameters DEFAULTS = ConnectionParameters.defaults();

    private String before = "";

    @BeforeEach
    void look() throws InterruptedException {
        EventChannel.devices(); // the C library opens them once and keeps them
        before = KernelObjects.show();
    }

    @AfterEach
    void nothingIsLeft() throws InterruptedException {
        KernelObjects.awaitSame(before);
    }

    private static void kill(ToolRun peer, Enum<?> step) throws InterruptedException {
        CmPeer.awaitStep(peer, step);
        peer.kill();
        peer.await(Duration.ofSeconds(20));
    }

    @ParameterizedTest
    @EnumSource
    void aClientThatIsKilledIsNoticed(CmPeer.ClientStep step) throws Exception {
        try (Listener listener = Listener.bind(CmPlace.anyPort(), 4);
                ToolRun client = CmPeer.start(listener.localAddress(), step)) {
            if (step == CmPeer.ClientStep.RESOLVED) {
                kill(client, step);
                assertThat(listener.accept(Duration.ofMillis(300))).isNull();
                return;
            }
            try (ConnectionRequest request = Objects.requireNonNull(listener.accept(LIMIT));
                    CmSide side = new CmSide(request.context())) {
                switch (step) {
                    case REQUESTING -> {
                        kill(client, step);
                        assertThatThrownBy(() -> request.accept(side.pair, DEFAULTS, LIMIT))
                                .isInstanceOf(ConnectionException.class);
                    }
                    case RESPONDED -> {
                        Waiting accepting =
                                Waiting.begin(
                                        false, () -> request.accept(side.pair, DEFAULTS, LIMIT));
                        kill(client, step);
                        assertThat(accepting.end()).isInstanceOf(ConnectionException.class);
                    }
                    default -> {
                        try (Connection connection = request.accept(side.pair, DEFAULTS, LIMIT)) {
                            kill(client, step);
                            assertThat(connection.awaitDisconnect(LIMIT)).isTrue();
                            side.send(1, 0, 8);
                            assertThat(side.awaitAny().status()).isEqualTo(WorkStatus.FLUSHED);
                        }
                    }
                }
            }
        }
    }

    @ParameterizedTest
    @EnumSource
    void aServerThatIsKilledIsNoticed(CmPeer.ServerStep step) throws Exception {
        InetSocketAddress address;
        try (Listener free = Listener.bind(CmPlace.anyPort(), 1)) {
            address = free.localAddress();
        }
        try (ToolRun server = CmPeer.start(address, step)) {
            CmPeer.awaitStep(server, CmPeer.ServerStep.LISTENING);
            if (step == CmPeer.ServerStep.ACCEPTED) {
                killBetweenItsLastWordAndOurs(address, server);
                return;
            }
            try (Connector connector = Connector.resolve(address, LIMIT);
                    CmSide side = new CmSide(connector.context())) {
                if (step == CmPeer.ServerStep.LISTENING) {
                    kill(server, step);
                    assertThatThrownBy(() -> connector.connect(side.pair, DEFAULTS, LIMIT))
                            .isInstanceOfSatisfying(
                                    ConnectionException.class,
                                    e ->
                                            assertThat(e.rejection())
                                                    .isEqualTo(Rejection.NO_LISTENER));
                } else if (step == CmPeer.ServerStep.REQUESTED) {
                    Waiting connecting =
                            Waiting.begin(
                                    false, () -> connector.connect(side.pair, DEFAULTS, LIMIT));
                    kill(server, step);
                    assertThat(connecting.end()).isInstanceOf(ConnectionException.class);
                } else {
                    killConnected(server, step, connector, side);
                }
            }
        }
    }

    private static void killConnected(
            ToolRun server, CmPeer.ServerStep step, Connector connector, CmSide side)
            throws InterruptedException {
        try (Connection connection = connector.connect(side.pair, DEFAULTS, LIMIT)) {
            if (step == CmPeer.ServerStep.DISCONNECTED) {
                CmPeer.awaitStep(server, CmPeer.ServerStep.CONNECTED);
                connection.disconnect();
            }
            kill(server, step);
            assertThat(connection.awaitDisconnect(LIMIT)).isTrue();
        }
    }

    private static void killBetweenItsLastWordAndOurs(InetSocketAddress address, ToolRun server)
            throws InterruptedException {
        try (EventChannel channel = EventChannel.open();
                ConnectionId id = channel.newId()) {
            id.resolveAddress(null, address, LIMIT);
            assertThat(channel.await(LIMIT)).isInstanceOf(ConnectionEvent.AddressResolved.class);
            id.resolveRoute(LIMIT);
            assertThat(channel.await(LIMIT)).isInstanceOf(ConnectionEvent.RouteResolved.class);
            try (CmSide side = new CmSide(id.context())) {
                side.pair.modify(id.attributesFor(QueuePairState.INIT));
                id.connect(side.pair, DEFAULTS);
                assertThat(channel.await(LIMIT)).isInstanceOf(ConnectionEvent.Responded.class);
                kill(server, CmPeer.ServerStep.ACCEPTED);
                assertThat(channel.await(LIMIT))
                        .isInstanceOfAny(
                                ConnectionEvent.Failed.class, ConnectionEvent.Disconnected.class);
            }
        }
    }
}
