package org.verbs4j.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.verbs4j.it.PingPong.Game;
import org.verbs4j.it.PingPong.Player;
import org.verbs4j.it.PingPong.Result;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;

/** Peers that do not fit, die or are none: one sentence and status 1 within ten seconds. */
class PingPongMisuseIT {
    /** What the tools promise. */
    private static final Duration LIMIT = Duration.ofSeconds(10);

    /** Short enough for a test, long enough for a guest. */
    private static final List<String> QUICK = List.of("-e", "-n", "50", "--timeout", "2");

    @ParameterizedTest
    @EnumSource(names = {"RC", "UC", "UD", "SRQ"})
    void anotherSizeIsNamed(Game game) throws InterruptedException {
        Result result =
                PingPong.run(
                        game,
                        Player.JAVA,
                        Player.JAVA,
                        PingPong.with(QUICK, "-s", "512"),
                        PingPong.with(QUICK, "-s", "256"));
        assertSentence(game, result.server());
        assertThat(result.server().err())
                .contains(
                        "the peer sends messages of 256 bytes and this side of 512: give both the"
                                + " same -s");
        assertSentence(game, result.client());
    }

    /**
     * The exchange does not carry the MTU. Soft-RoCE takes packets of any length, so the game goes
     * well there; a device that does not is a sentence on both sides.
     */
    @Test
    void aLargerMtuThanThePeersEndsInTime() throws InterruptedException {
        assumeTrue(PingPong.SERVER.port().activeMtu().bytes() >= 1024, "the ports carry less");
        for (Game game : List.of(Game.RC, Game.UC)) {
            Result result =
                    PingPong.run(
                            game,
                            Player.JAVA,
                            Player.JAVA,
                            PingPong.with(QUICK, "-m", "256"),
                            PingPong.with(QUICK, "-m", "1024"));
            for (ToolRun.Outcome end : List.of(result.client(), result.server())) {
                if (end.status() == 0) {
                    assertThat(end.out()).contains("50 iters in ");
                    assertThat(end.err()).isEmpty();
                } else {
                    assertSentence(game, end);
                }
            }
        }
    }

    /** The exchange is the same for all of them, so nobody knows before the first message. */
    @Test
    void anotherTransportEndsInTime() throws InterruptedException {
        int port = TcpPorts.free();
        try (ToolRun server = PingPong.start(Game.UC, Player.JAVA, PingPong.SERVER, port, QUICK)) {
            TcpPorts.awaitListening(port, server);
            try (ToolRun client =
                    PingPong.start(
                            Game.RC,
                            Player.JAVA,
                            PingPong.CLIENT,
                            port,
                            PingPong.with(QUICK, "localhost"))) {
                assertSentence(Game.UC, server.await(LIMIT));
                assertSentence(Game.RC, client.await(LIMIT));
            }
        }
    }

    /** One record against 256. */
    @Test
    void anotherExchangeIsNamed() throws InterruptedException {
        int port = TcpPorts.free();
        try (ToolRun server = PingPong.start(Game.RC, Player.JAVA, PingPong.SERVER, port, QUICK)) {
            TcpPorts.awaitListening(port, server);
            try (ToolRun client =
                    PingPong.start(
                            Game.SRQ,
                            Player.JAVA,
                            PingPong.CLIENT,
                            port,
                            PingPong.with(QUICK, "localhost"))) {
                assertSentence(Game.RC, server.await(LIMIT));
                assertThat(server.await(LIMIT).err()).contains("did not end the exchange");
                assertSentence(Game.SRQ, client.await(LIMIT));
            }
        }
    }

    @ParameterizedTest
    @EnumSource(names = {"RC", "UC", "UD", "SRQ"})
    void aPeerKilledInTheMiddleIsMissed(Game game) throws InterruptedException {
        List<String> endless = List.of("-e", "-n", "100000000", "-s", "512");
        int port = TcpPorts.free();
        try (ToolRun server = PingPong.start(game, Player.C, PingPong.SERVER, port, endless)) {
            TcpPorts.awaitListening(port, server);
            try (ToolRun client =
                    PingPong.start(
                            game,
                            Player.JAVA,
                            PingPong.CLIENT,
                            port,
                            PingPong.with(endless, "--timeout", "2", "localhost"))) {
                awaitTraffic(client);
                server.kill();
                assertSentence(game, client.await(LIMIT));
            }
        }
    }

    private static void awaitTraffic(ToolRun tool) throws InterruptedException {
        long deadline = System.nanoTime() + TestPlace.limit(Duration.ofSeconds(20)).toNanos();
        while (!tool.outSoFar().contains("remote address")) {
            assertThat(System.nanoTime()).as("no traffic").isLessThan(deadline);
            assertThat(tool.hasEnded()).isFalse();
            Thread.sleep(20);
        }
        Thread.sleep(200);
    }

    @ParameterizedTest
    @EnumSource(names = {"RC", "UC", "UD", "SRQ"})
    void garbageOnThePortIsShown(Game game) throws InterruptedException, IOException {
        int port = TcpPorts.free();
        try (ToolRun server = PingPong.start(game, Player.JAVA, PingPong.SERVER, port, QUICK)) {
            TcpPorts.awaitListening(port, server);
            try (Socket browser = new Socket(InetAddress.getLoopbackAddress(), port)) {
                browser.getOutputStream()
                        .write(
                                "GET / HTTP/1.1\r\nHost: here\r\nUser-Agent: somebody\r\n\r\n"
                                        .getBytes(StandardCharsets.US_ASCII));
                assertSentence(game, server.await(LIMIT));
            }
            assertThat(server.await(LIMIT).err()).contains("sent something else", "GET / HTTP");
        }
    }

    @ParameterizedTest
    @EnumSource(names = {"RC", "UC", "UD", "SRQ"})
    void aPortInUseIsNamed(Game game) throws InterruptedException, IOException {
        try (ServerSocket taken = new ServerSocket(0);
                ToolRun tool =
                        PingPong.start(
                                game, Player.JAVA, PingPong.SERVER, taken.getLocalPort(), QUICK)) {
            assertSentence(game, tool.await(LIMIT));
            assertThat(tool.await(LIMIT).err())
                    .contains("couldn't listen to port " + taken.getLocalPort());
        }
    }

    private static void assertSentence(Game game, ToolRun.Outcome outcome) {
        assertThat(outcome.err()).startsWith(game.tool() + ": ").doesNotContain("\tat ");
        assertThat(outcome.err().lines()).hasSize(1);
        assertThat(outcome.status()).isEqualTo(1);
    }
}
