package org.verbs4j.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.verbs4j.it.PingPong.Player;

import java.io.IOException;
import java.net.ServerSocket;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** What goes wrong is one sentence and status 1, soon, and leaves nothing behind. */
class RcPingPongFailuresIT {
    /** More than any test waits for. */
    private static final Duration LIMIT = Duration.ofSeconds(20);

    private List<String> openBefore = List.of();

    @BeforeEach
    void rememberWhatIsOpen() throws IOException {
        PingPong.SERVER.device(); // opens and closes both devices once
        openBefore = openDevices();
    }

    @AfterEach
    void nothingIsLeftOpen() throws IOException {
        assertThat(openDevices()).isEqualTo(openBefore);
    }

    @Test
    void anUnknownDeviceIsNamedAndTheKnownOnesToo() throws InterruptedException {
        assertFails("no device rxe9, there is: " + PingPong.SERVER.device(), "-d", "rxe9");
    }

    @Test
    void aPortThatTheDeviceDoesNotHave() throws InterruptedException {
        assertFails("no port 9 on " + PingPong.SERVER.device() + ", which has ", "-i", "9");
    }

    @Test
    void anEmptyGidIndex() throws InterruptedException {
        assertFails(
                "no GID at index 77 of port 1 of " + PingPong.SERVER.device() + ", there is: 0 (",
                "-g",
                "77");
    }

    @Test
    void aMessageLongerThanThePortTakes() throws InterruptedException {
        long most = PingPong.SERVER.port().maxMessageSize();
        assertFails(
                "a message of "
                        + (most + 1)
                        + " bytes is too long for port 1 of "
                        + PingPong.SERVER.device()
                        + ", which takes "
                        + most,
                "-s",
                Long.toString(most + 1));
    }

    @Test
    void aPathMtuThatThePortDoesNotCarry() throws InterruptedException {
        assumeTrue(
                PingPong.SERVER.port().activeMtu().bytes() < 4096,
                "the port carries every path MTU");
        assertFails(
                "a path MTU of 4096 is too much for port 1 of " + PingPong.SERVER.device(),
                "-m",
                "4096");
    }

    @Test
    void moreReceivesThanTheDeviceTakes() throws InterruptedException {
        assertFails(
                "a depth of 2000000000 receives is too much for the device", "-r", "2000000000");
    }

    @Test
    void nobodyListening() throws InterruptedException {
        assertFails("couldn't connect to localhost:", "localhost");
    }

    @Test
    void aPortInUse() throws InterruptedException, IOException {
        try (ServerSocket taken = new ServerSocket(0)) {
            String port = Integer.toString(taken.getLocalPort());
            assertFails("couldn't listen to port " + port, "-p", port);
        }
    }

    @Test
    void noClient() throws InterruptedException {
        assertFails("no client came to port ", "--accept-timeout", "1");
    }

    /**
     * The C client of another GID family, or without one: the kernel refuses the connection, not
     * the tool.
     */
    @Test
    void aCClientThatForgetsItsGid() throws InterruptedException {
        int port = TcpPorts.free();
        try (ToolRun server = PingPong.start(Player.JAVA, PingPong.SERVER, port, List.of())) {
            TcpPorts.awaitListening(port, server);
            try (ToolRun client =
                    PingPong.start(
                            Player.C, PingPong.CLIENT, port, List.of("-g", "-1", "localhost"))) {
                assertThat(client.await(LIMIT).status()).isEqualTo(1);
                assertSentence(server.await(LIMIT), "");
            }
        }
    }

    @ParameterizedTest
    @CsvSource({"C, JAVA, true", "C, JAVA, false", "JAVA, C, true", "JAVA, C, false"})
    void aPeerKilledInTheMiddleOfTraffic(Player server, Player client, boolean events)
            throws Exception {
        List<String> endless = new ArrayList<>(List.of("-n", "100000000"));
        if (events) {
            endless.add("-e");
        }
        List<String> patient = PingPong.with(endless, "--timeout", "1");
        int port = TcpPorts.free();
        try (ToolRun serving =
                PingPong.start(
                        server, PingPong.SERVER, port, server == Player.JAVA ? patient : endless)) {
            TcpPorts.awaitListening(port, serving);
            try (ToolRun calling =
                    PingPong.start(
                            client,
                            PingPong.CLIENT,
                            port,
                            PingPong.with(
                                    client == Player.JAVA ? patient : endless, "localhost"))) {
                ToolRun ours = server == Player.JAVA ? serving : calling;
                ToolRun theirs = server == Player.C ? serving : calling;
                awaitTraffic(ours);
                theirs.kill();

                ToolRun.Outcome outcome = ours.await(LIMIT);
                assertSentence(outcome, "");
                assertThat(outcome.err())
                        .containsAnyOf("no completion for ", "RETRY_EXCEEDED", "retry");
            }
        }
    }

    /** Both addresses are out, so both queue pairs are connected; then a few messages' time. */
    private static void awaitTraffic(ToolRun tool) throws InterruptedException {
        long deadline = System.nanoTime() + TestPlace.limit(LIMIT).toNanos();
        while (!tool.outSoFar().contains("remote address")) {
            assertThat(System.nanoTime()).as("no traffic").isLessThan(deadline);
            assertThat(tool.hasEnded()).isFalse();
            Thread.sleep(20);
        }
        Thread.sleep(200);
    }

    private static void assertFails(String sentence, String... args) throws InterruptedException {
        int port = TcpPorts.free();
        try (ToolRun tool = PingPong.start(Player.JAVA, PingPong.SERVER, port, List.of(args))) {
            assertSentence(tool.await(LIMIT), sentence);
        }
    }

    private static void assertSentence(ToolRun.Outcome outcome, String sentence) {
        assertThat(outcome.err()).startsWith("rc-pingpong: " + sentence).doesNotContain("\tat ");
        assertThat(outcome.err().lines()).hasSize(1);
        assertThat(outcome.status()).isEqualTo(1);
    }

    /** The device files that this JVM holds open. */
    private static List<String> openDevices() throws IOException {
        List<String> devices = new ArrayList<>();
        try (DirectoryStream<Path> files = Files.newDirectoryStream(Path.of("/proc/self/fd"))) {
            for (Path file : files) {
                try {
                    String target = Files.readSymbolicLink(file).toString();
                    if (target.startsWith("/dev/infiniband/")
                            || target.contains("infinibandevent")) {
                        devices.add(target);
                    }
                } catch (IOException e) {
                    // the directory's own descriptor is gone again
                }
            }
        }
        return devices.stream().sorted().toList();
    }
}
