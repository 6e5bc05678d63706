package org.verbs4j.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.verbs4j.WorkStatus;
import org.verbs4j.cm.Connection;
import org.verbs4j.cm.ConnectionException;
import org.verbs4j.cm.ConnectionParameters;
import org.verbs4j.cm.ConnectionRequest;
import org.verbs4j.cm.Connector;
import org.verbs4j.cm.Listener;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * What goes wrong with the peer or the link ends in a typed error or in success, never in a hang.
 */
@Timeout(value = 10, unit = TimeUnit.MINUTES)
class CmRobustnessIT {
    private static final Duration LIMIT = CmPlace.limit(20);

    /** Where the peer's process stops to be killed. */
    enum Moment {
        RESOLVED,
        CONNECTING,
        CONNECTED
    }

    private static ToolRun peer(InetSocketAddress server, Moment moment) {
        return ToolRun.process(
                List.of(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "--enable-native-access=ALL-UNNAMED",
                        "-cp",
                        System.getProperty("java.class.path"),
                        Peer.class.getName(),
                        server.getAddress().getHostAddress(),
                        String.valueOf(server.getPort()),
                        moment.name()));
    }

    /** The peer in a process of its own, to be killed. */
    static final class Peer {
        public static void main(String[] args) throws Exception {
            InetSocketAddress server = new InetSocketAddress(args[0], Integer.parseInt(args[1]));
            Moment moment = Moment.valueOf(args[2]);
            Connector connector = Connector.resolve(server, LIMIT);
            CmSide side = new CmSide(connector.context());
            System.out.println("RESOLVED");
            if (moment != Moment.RESOLVED) {
                connector.connect(
                        side.pair, ConnectionParameters.defaults(), Duration.ofMinutes(5));
                System.out.println("CONNECTED");
            }
            Thread.sleep(Duration.ofMinutes(5));
        }
    }

    private static void awaitLine(ToolRun run, String line) throws InterruptedException {
        long end = System.nanoTime() + LIMIT.toNanos();
        while (!run.outSoFar().contains(line)) {
            assertThat(run.hasEnded()).as("the peer has ended").isFalse();
            assertThat(System.nanoTime() - end).as("waiting for " + line).isNegative();
            Thread.sleep(50);
        }
    }

    @ParameterizedTest
    @EnumSource
    void aPeerThatIsKilledIsNoticed(Moment moment) throws Exception {
        try (Listener listener = Listener.bind(CmPlace.anyPort(), 4);
                ToolRun peer = peer(listener.localAddress(), moment)) {
            awaitLine(peer, "RESOLVED");
            switch (moment) {
                case RESOLVED -> {
                    peer.kill();
                    peer.await(Duration.ofSeconds(10));
                    assertThat(listener.accept(Duration.ofMillis(300))).isNull();
                }
                case CONNECTING -> {
                    try (ConnectionRequest request =
                                    Objects.requireNonNull(listener.accept(LIMIT));
                            CmSide side = new CmSide(request.context())) {
                        peer.kill();
                        peer.await(Duration.ofSeconds(10));
                        assertThatThrownBy(
                                        () ->
                                                request.accept(
                                                        side.pair,
                                                        ConnectionParameters.defaults(),
                                                        Duration.ofSeconds(3)))
                                .isInstanceOf(ConnectionException.class);
                    }
                }
                case CONNECTED -> {
                    try (ConnectionRequest request =
                                    Objects.requireNonNull(listener.accept(LIMIT));
                            CmSide side = new CmSide(request.context());
                            Connection connection =
                                    request.accept(
                                            side.pair, ConnectionParameters.defaults(), LIMIT)) {
                        awaitLine(peer, "CONNECTED");
                        peer.kill();
                        // its kernel disconnects for it
                        assertThat(connection.awaitDisconnect(LIMIT)).isTrue();
                        side.send(1, 0, 8);
                        assertThat(side.awaitAny().status()).isEqualTo(WorkStatus.FLUSHED);
                    }
                }
            }
        }
    }

    /** How many descriptors there are of each kind. */
    private static Map<String, Long> openFiles() throws IOException {
        try (Stream<Path> files = Files.list(Path.of("/proc/self/fd"))) {
            return files.collect(
                    Collectors.groupingBy(
                            CmRobustnessIT::target, TreeMap::new, Collectors.counting()));
        }
    }

    private static String target(Path descriptor) {
        try {
            return Files.readSymbolicLink(descriptor).toString();
        } catch (IOException e) {
            return "(the one that lists them)";
        }
    }

    @Test
    void aThousandConnectionsLeaveNothingBehind() throws Exception {
        int cycles = Integer.getInteger("cm.cycles", 1000);
        try (Listener listener = Listener.bind(CmPlace.anyPort(), 16)) {
            cycle(listener);
            String kernel = KernelObjects.show(); // also opens what Java keeps, as /dev/urandom
            Map<String, Long> files = openFiles();
            int threads = Thread.activeCount();
            for (int i = 0; i < cycles; i++) {
                cycle(listener);
            }
            assertThat(openFiles()).isEqualTo(files);
            assertThat(Thread.activeCount()).isLessThanOrEqualTo(threads);
            assertThat(KernelObjects.show()).isEqualTo(kernel);
        }
    }

    private static void cycle(Listener listener) throws Exception {
        try (CmConnected both = CmConnected.through(listener)) {
            both.serverSide.receive(1, 64, 8);
            both.clientSide.send(2, 0, 8);
            both.clientSide.await();
            both.serverSide.await();
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"loss 1%", "loss 10%", "delay 5ms 2ms"})
    void aBadLinkCostsTimeOnly(String fault) throws Exception {
        try (Listener listener = Listener.bind(CmPlace.anyPort(), 4);
                LinkFault ignored = LinkFault.with(fault);
                CmConnected both = CmConnected.across(listener)) {
            for (int i = 0; i < 50; i++) {
                pingPong(both, i);
            }
        }
    }

    @Test
    void aBlackoutEndsInATypedErrorOrPasses() throws Exception {
        try (Listener listener = Listener.bind(CmPlace.anyPort(), 4);
                CmConnected both = CmConnected.across(listener)) {
            pingPong(both, 1);
            try (LinkFault ignored = LinkFault.with("loss 100%")) {
                both.serverSide.receive(2, 64, 8);
                both.clientSide.send(3, 0, 8);
                Thread.sleep(5_000);
            }
            assertThat(both.clientSide.awaitAny().status())
                    .isIn(WorkStatus.SUCCESS, WorkStatus.RETRY_EXCEEDED);
        }
    }

    private static void pingPong(CmConnected both, int round) {
        both.serverSide.receive(1, 64, 8);
        both.clientSide.memory.segment().setString(0, "r" + round);
        both.clientSide.send(2, 0, 8);
        both.clientSide.await();
        both.serverSide.await();
        assertThat(both.serverSide.memory.segment().getString(64)).isEqualTo("r" + round);
    }
}
