package org.verbs4j.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.verbs4j.Access;
import org.verbs4j.CompletionHandler;
import org.verbs4j.CompletionQueue;
import org.verbs4j.DeviceContext;
import org.verbs4j.MemoryRegion;
import org.verbs4j.ProtectionDomain;
import org.verbs4j.RcQueuePair;
import org.verbs4j.WorkStatus;
import org.verbs4j.cm.Connection;
import org.verbs4j.cm.ConnectionException;
import org.verbs4j.cm.ConnectionParameters;
import org.verbs4j.cm.ConnectionRequest;
import org.verbs4j.cm.Connector;
import org.verbs4j.cm.EventChannel;
import org.verbs4j.cm.Listener;
import org.verbs4j.cm.Reconnector;

import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;

/** A server that is killed and started again is found again. */
@Timeout(value = 5, unit = TimeUnit.MINUTES)
class ReconnectIT {
    private static final Duration LIMIT = CmPlace.limit(20);
    private static final Duration LONG = Duration.ofMinutes(1);

    /** Sends one message to each client, in a process of its own. */
    static final class Server {
        public static void main(String[] args) throws Exception {
            InetSocketAddress address = new InetSocketAddress(args[0], Integer.parseInt(args[1]));
            try (Listener listener = Listener.bind(address, 4)) {
                System.out.println("LISTENING");
                while (true) {
                    try {
                        serve(listener.accept());
                    } catch (ConnectionException givenUpByTheClient) {
                        System.out.println(givenUpByTheClient.getMessage());
                    }
                }
            }
        }

        /** The side stays open until the process ends. */
        private static void serve(ConnectionRequest request) throws Exception {
            CmSide side = new CmSide(request.context());
            request.accept(side.pair, ConnectionParameters.defaults(), LIMIT);
            side.send(1, 0, 8);
            side.await();
        }
    }

    private static ToolRun start(InetSocketAddress address) throws InterruptedException {
        ToolRun run =
                ToolRun.program(
                        Server.class,
                        address.getAddress().getHostAddress(),
                        String.valueOf(address.getPort()));
        run.untilLine("LISTENING", "LISTENING"::equals, Duration.ofSeconds(20));
        return run;
    }

    @Test
    void aServerThatIsKilledIsFoundAgain() throws Exception {
        InetSocketAddress address = new InetSocketAddress(CmPlace.anyPort().getAddress(), 17_321);
        DeviceContext context = context();
        List<Long> flushed = new ArrayList<>();
        try (ProtectionDomain domain = context.newProtectionDomain();
                CompletionQueue queue = context.newCompletionQueue(64);
                MemoryRegion memory = domain.allocate(4096, Access.LOCAL_WRITE);
                Reconnector reconnector =
                        new Reconnector(
                                Connector.to(address),
                                device -> newPair(domain, queue, memory),
                                ConnectionParameters.defaults(),
                                completion -> {
                                    assertThat(completion.status()).isEqualTo(WorkStatus.FLUSHED);
                                    flushed.add(completion.wrId());
                                })) {
            assertThatThrownBy(() -> reconnector.connection(Duration.ofMillis(500)))
                    .isInstanceOf(ConnectionException.class);
            int first;
            try (ToolRun server = start(address)) {
                Connection connection = reconnector.connection(LIMIT);
                first = connection.queuePair().number();
                takeMessage(queue);
                assertThat(reconnector.connection(LIMIT)).isSameAs(connection);
                server.kill();
                assertThat(connection.awaitDisconnect(LIMIT)).isTrue();
            }
            try (ToolRun again = start(address)) {
                Connection connection = reconnector.connection(LIMIT);
                assertThat(flushed).containsExactly(2L, 3L);
                assertThat(connection.queuePair().number()).isNotEqualTo(first);
                takeMessage(queue);
                reconnector.close();
                assertThat(again.hasEnded()).isFalse();
            }
            assertThatThrownBy(() -> reconnector.connection(LIMIT))
                    .isInstanceOf(IllegalStateException.class);
        }
    }

    @Test
    void givingALostConnectionUpEnds() throws Exception {
        List<CmSide> sides = new ArrayList<>();
        try (Listener listener = Listener.bind(CmPlace.anyPort(), 4);
                Reconnector reconnector = alone(listener.localAddress(), sides, c -> {})) {
            reconnector.lost(); // there is none
            Connection first = connected(listener, reconnector);
            reconnector.lost();
            assertThat(first.isConnected()).isFalse();
            Connection second = connected(listener, reconnector);
            Thread.currentThread().interrupt();
            assertThatThrownBy(reconnector::lost).isInstanceOf(InterruptedException.class);
            Thread.interrupted();
            assertThat(reconnector.connection(LIMIT)).isSameAs(second); // it had not begun
            reconnector.close();
            reconnector.lost(); // there is none
        } finally {
            sides.forEach(CmSide::close);
        }
    }

    /** More is owed than is taken together, so it looks at what may end it before it is through. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void theWaitForWhatALostConnectionOwesEnds(boolean byClose) throws Exception {
        AtomicBoolean draining = new AtomicBoolean();
        AtomicBoolean goOn = new AtomicBoolean();
        CompletionHandler slow =
                completion -> {
                    draining.set(true);
                    Waits.until("the test", goOn::get);
                };
        List<CmSide> sides = new ArrayList<>();
        try (Listener listener = Listener.bind(CmPlace.anyPort(), 4);
                Reconnector reconnector = alone(listener.localAddress(), sides, slow)) {
            Connection connection = connected(listener, reconnector);
            for (int id = 0; id < CmSide.RECEIVES; id++) {
                sides.getFirst().receive(id, 0, 8);
            }
            Waiting losing =
                    Waiting.begin(
                            false,
                            () -> {
                                reconnector.lost();
                                return "through";
                            });
            Waits.until("the first that was flushed", draining::get);
            if (byClose) {
                Thread.ofPlatform().start(reconnector::close);
                Waits.until("the close to reach the connection", () -> isClosed(connection));
            } else {
                losing.thread().interrupt();
            }
            goOn.set(true);
            assertThat(losing.end())
                    .isInstanceOf(
                            byClose ? IllegalStateException.class : InterruptedException.class);
            assertThat(isClosed(connection)).isTrue();
        } finally {
            sides.forEach(CmSide::close);
        }
    }

    private static boolean isClosed(Connection connection) {
        try {
            connection.fileDescriptor();
            return false;
        } catch (IllegalStateException e) {
            return true;
        }
    }

    /**
     * The handler would make a second connection beside the one that its caller is about to make.
     */
    @Test
    void aHandlerAndAMakerCannotAskForAConnection() throws Exception {
        List<CmSide> sides = new ArrayList<>();
        List<Throwable> refused = new ArrayList<>();
        AtomicReference<Reconnector> itself = new AtomicReference<>();
        Runnable ask =
                () ->
                        refused.add(
                                catchThrowable(
                                        () -> itself.get().connection(Duration.ofSeconds(1))));
        try (Listener listener = Listener.bind(CmPlace.anyPort(), 4);
                Reconnector reconnector =
                        new Reconnector(
                                Connector.to(listener.localAddress()),
                                device -> {
                                    ask.run();
                                    return newPair(sides, device);
                                },
                                ConnectionParameters.defaults(),
                                completion -> ask.run())) {
            itself.set(reconnector);
            connected(listener, reconnector);
            sides.getFirst().receive(1, 0, 8);
            reconnector.lost();
            assertThat(refused)
                    .hasSize(2)
                    .allSatisfy(
                            e ->
                                    assertThat(e)
                                            .isInstanceOf(IllegalStateException.class)
                                            .hasMessageContaining("maker or handler"));
        } finally {
            sides.forEach(CmSide::close);
        }
    }

    /** Its close found nothing to end, and nobody would close what was made afterwards. */
    @Test
    void aMakerThatClosesGetsNoConnection() throws Exception {
        List<CmSide> sides = new ArrayList<>();
        AtomicReference<Reconnector> itself = new AtomicReference<>();
        try (Listener listener = Listener.bind(CmPlace.anyPort(), 4);
                Reconnector reconnector =
                        new Reconnector(
                                Connector.to(listener.localAddress()),
                                device -> {
                                    itself.get().close();
                                    return newPair(sides, device);
                                },
                                ConnectionParameters.defaults(),
                                completion -> {})) {
            itself.set(reconnector);
            assertThat(catchThrowable(() -> connected(listener, reconnector)))
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("the reconnector is closed");
        } finally {
            sides.forEach(CmSide::close);
        }
    }

    /** With a server that goes on until the client goes. */
    private static Connection connected(Listener listener, Reconnector reconnector)
            throws InterruptedException {
        Waiting.begin(
                false,
                () -> {
                    try (ConnectionRequest request = listener.accept(LIMIT);
                            CmSide side = new CmSide(request.context());
                            Connection connection =
                                    request.accept(
                                            side.pair, ConnectionParameters.defaults(), LIMIT)) {
                        return connection.awaitDisconnect(LONG);
                    }
                });
        return reconnector.connection(LIMIT);
    }

    private static Reconnector alone(
            InetSocketAddress address, List<CmSide> sides, CompletionHandler flushed) {
        return new Reconnector(
                Connector.to(address),
                device -> newPair(sides, device),
                ConnectionParameters.defaults(),
                flushed);
    }

    private static RcQueuePair newPair(List<CmSide> sides, DeviceContext device) {
        CmSide side = new CmSide(device);
        sides.add(side);
        return side.pair;
    }

    /** The first device's, which leads to its own address. */
    private static DeviceContext context() {
        try (EventChannel channel = EventChannel.open();
                var id = channel.newId()) {
            id.bind(CmPlace.anyPort());
            return id.context();
        }
    }

    private static RcQueuePair newPair(
            ProtectionDomain domain, CompletionQueue queue, MemoryRegion memory) {
        RcQueuePair pair = domain.newRcQueuePair(queue, queue).build();
        for (int id = 1; id <= 3; id++) {
            pair.post(pair.newReceive().id(id).into(memory, 0, 8));
        }
        return pair;
    }

    private static void takeMessage(CompletionQueue queue) {
        Done message = Waits.completions(queue, 1).getFirst();
        assertThat(message.id()).isEqualTo(1);
        assertThat(message.status()).isEqualTo(WorkStatus.SUCCESS);
    }
}
