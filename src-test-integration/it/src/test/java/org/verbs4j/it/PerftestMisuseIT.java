package org.verbs4j.it;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.verbs4j.it.Perftest.Result;
import org.verbs4j.it.PingPong.Player;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** Peers of perftest that do not fit, die or are none: one sentence and status 1 within 10 s. */
class PerftestMisuseIT {
    /** What the tools promise, beside the warm-up of a JVM that begins. */
    private static final Duration LIMIT = Duration.ofSeconds(10);

    /** Short enough for a test, long enough for a guest. */
    private static final List<String> QUICK = List.of("-n", "50", "--timeout", "2");

    private static void assertSentence(String tool, ToolRun.Outcome outcome) {
        assertThat(outcome.status()).as("%s", outcome).isEqualTo(1);
        assertThat(outcome.err()).startsWith(tool + ": ").doesNotContain("\tat ", "Exception");
        assertThat(outcome.err().lines()).hasSize(1);
    }

    /** Both ends ours, of one tool or two. */
    private static Result misfit(
            String serverTool, String serverFlags, String clientTool, String clientFlags)
            throws InterruptedException {
        Result result =
                Perftest.run(
                        serverTool,
                        Player.JAVA,
                        clientTool,
                        Player.JAVA,
                        PingPong.with(QUICK, serverFlags.split(" ")),
                        PingPong.with(QUICK, clientFlags.split(" ")));
        assertSentence(serverTool, result.server());
        assertSentence(clientTool, result.client());
        return result;
    }

    @ParameterizedTest
    @ValueSource(strings = {"send-lat", "send-bw"})
    void anotherSizeIsNamed(String tool) throws InterruptedException {
        Result result = misfit(tool, "-s 512", tool, "-s 256");

        assertThat(result.server().err())
                .contains("the peer sends messages of 256 bytes and this side of 512");
    }

    @ParameterizedTest
    @CsvSource({
        "send-lat, -c RC, send-lat, -c UC",
        "write-lat, -s 64, write-lat, -s 128",
        "send-lat, -s 2, write-lat, -s 2",
        "send-lat, -s 2, send-bw, -s 2",
        "send-bw, -q 2, send-bw, -q 1",
        "write-bw, -s 2, send-lat, -s 2",
    })
    void whatDoesNotFitEndsInTime(
            String serverTool, String serverFlags, String clientTool, String clientFlags)
            throws InterruptedException {
        misfit(serverTool, serverFlags, clientTool, clientFlags);
    }

    /** The smaller of both holds. */
    @Test
    void anotherMtuIsAgreedOn() throws InterruptedException {
        Result result =
                Perftest.run(
                        "send-lat",
                        Player.JAVA,
                        "send-lat",
                        Player.JAVA,
                        PingPong.with(QUICK, "-m", "256"),
                        PingPong.with(QUICK, "-m", "1024"));
        for (ToolRun.Outcome end : List.of(result.server(), result.client())) {
            assertThat(end.status()).as("%s", end).isZero();
            assertThat(end.out()).contains(" Mtu             : 256[B]\n");
        }
    }

    @ParameterizedTest
    @CsvSource({
        "'5.60\0\0\0\0\0\0\0\0\0\0\0\0', 'is perftest 5.60, this tool speaks 6.06'",
        "'GET / HTTP/1.1\r\n\r\n', 'sent something else: not a version of perftest'",
        "'hello', 'said nothing for '",
        "'', 'said nothing for '",
    })
    void aStrangerOnTheTcpPortIsNamed(String greeting, String sentence)
            throws InterruptedException, IOException {
        int port = TcpPorts.free();
        try (ToolRun server =
                Perftest.start("send-lat", Player.JAVA, PingPong.SERVER, port, QUICK)) {
            TcpPorts.awaitListening(port, server);
            try (Socket stranger = new Socket(InetAddress.getLoopbackAddress(), port)) {
                stranger.getOutputStream().write(greeting.getBytes(StandardCharsets.US_ASCII));
                assertSentence("send-lat", server.await(LIMIT));
                assertThat(server.await(LIMIT).err()).contains("the client 127.0.0.1 " + sentence);
            }
        }
    }

    @Test
    void aServerThatIsNoneIsNamed() throws InterruptedException, IOException {
        try (ServerSocket stranger = new ServerSocket(0)) {
            List<String> call = PingPong.with(QUICK, "127.0.0.1");
            try (ToolRun client =
                    Perftest.start(
                            "read-lat",
                            Player.JAVA,
                            PingPong.CLIENT,
                            stranger.getLocalPort(),
                            call)) {
                try (Socket caller = stranger.accept()) {
                    caller.getOutputStream()
                            .write(
                                    "220 mail.example ESMTP\r\n"
                                            .getBytes(StandardCharsets.US_ASCII));
                    assertSentence("read-lat", client.await(LIMIT));
                }
                assertThat(client.await(LIMIT).err()).contains("not a version of perftest");
            }
        }
    }

    @Test
    void aPortInUseIsNamed() throws InterruptedException, IOException {
        try (ServerSocket taken = new ServerSocket(0);
                ToolRun server =
                        Perftest.start(
                                "write-bw",
                                Player.JAVA,
                                PingPong.SERVER,
                                taken.getLocalPort(),
                                QUICK)) {
            assertSentence("write-bw", server.await(LIMIT));
            assertThat(server.await(LIMIT).err())
                    .contains("couldn't listen to port " + taken.getLocalPort());
        }
    }

    @Test
    void nobodyThereIsASentence() throws InterruptedException {
        List<String> call = PingPong.with(QUICK, "127.0.0.1");
        try (ToolRun client =
                Perftest.start("send-bw", Player.JAVA, PingPong.CLIENT, TcpPorts.free(), call)) {
            assertSentence("send-bw", client.await(LIMIT));
            assertThat(client.await(LIMIT).err()).contains("is the server running?");
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "send-lat -e",
                "write-lat",
                "read-lat",
                "atomic-lat -e",
                "send-bw -e",
                "write-bw"
            })
    void aServerKilledInTheMiddleIsMissed(String line) throws InterruptedException {
        String tool = List.of(line.split(" ")).getFirst();
        List<String> endless = new ArrayList<>(List.of("-n", "10000000"));
        if (line.endsWith("-e")) {
            endless.add("-e");
        }
        int port = TcpPorts.free();
        try (ToolRun server = Perftest.start(tool, Player.C, PingPong.SERVER, port, endless)) {
            TcpPorts.awaitListening(port, server);
            try (ToolRun client =
                    Perftest.start(
                            tool,
                            Player.JAVA,
                            PingPong.CLIENT,
                            port,
                            PingPong.with(endless, "--timeout", "2", "127.0.0.1"))) {
                awaitTraffic(client);
                server.kill();
                assertSentence(tool, client.await(LIMIT));
            }
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"send-lat", "write-lat", "read-lat", "send-bw", "read-bw"})
    void aClientKilledInTheMiddleIsMissed(String tool) throws InterruptedException {
        List<String> endless = List.of("-n", "10000000");
        int port = TcpPorts.free();
        try (ToolRun server =
                Perftest.start(
                        tool,
                        Player.JAVA,
                        PingPong.SERVER,
                        port,
                        PingPong.with(endless, "--timeout", "2"))) {
            TcpPorts.awaitListening(port, server);
            try (ToolRun client =
                    Perftest.start(
                            tool,
                            Player.C,
                            PingPong.CLIENT,
                            port,
                            PingPong.with(endless, "127.0.0.1"))) {
                awaitTraffic(server);
                client.kill();
                assertSentence(tool, server.await(LIMIT));
            }
        }
    }

    private static void awaitTraffic(ToolRun tool) throws InterruptedException {
        Waits.until(
                () -> "traffic: " + tool.outSoFar(),
                () -> tool.hasEnded() || tool.outSoFar().contains("remote address"));
        Thread.sleep(300);
        assertThat(tool.hasEnded()).as("%s: %s", tool, tool.outSoFar()).isFalse();
    }

    @Test
    void aDatagramLongerThanTheMtuIsRefused() throws InterruptedException {
        int mtu = PingPong.SERVER.port().activeMtu().bytes();
        misfit("send-lat", "-c UD -s " + (mtu + 1), "send-lat", "-c UD -s " + (mtu + 1));
    }

    /** The C tools: "UC is not supported in librdmacm". */
    @ParameterizedTest
    @ValueSource(strings = {"send-lat", "write-lat", "send-bw", "write-bw"})
    void unreliableConnectionsByRdmaCmAreRefused(String tool) throws InterruptedException {
        List<String> args = PingPong.with(QUICK, "-R", "-c", "UC");
        try (ToolRun server =
                        Perftest.start(tool, Player.JAVA, PingPong.SERVER, TcpPorts.free(), args);
                ToolRun c =
                        Perftest.start(
                                tool,
                                Player.C,
                                PingPong.SERVER,
                                TcpPorts.free(),
                                List.of("-R", "-c", "UC"))) {
            ToolRun.Outcome outcome = server.await(LIMIT);
            assertThat(outcome.err())
                    .startsWith(
                            tool
                                    + ": -R does not go with -c UC: rdma_cm has no unreliable"
                                    + " connections\n");
            assertThat(outcome.status()).isEqualTo(2);
            assertThat(c.await(LIMIT).out()).contains("UC is not supported in librdmacm");
        }
    }

    @ParameterizedTest
    @CsvSource({
        "read-lat, -d rxe9, 'no device rxe9'",
        "send-bw, -t 15000 -q 16384, 'a depth of '",
        "write-lat, --json /proc/none/x, 'cannot write /proc/none/x'",
    })
    void whatTheMachineCannotIsASentence(String tool, String flags, String sentence)
            throws InterruptedException {
        List<String> args = PingPong.with(QUICK, flags.split(" "));
        try (ToolRun server =
                Perftest.start(tool, Player.JAVA, PingPong.SERVER, TcpPorts.free(), args)) {
            assertSentence(tool, server.await(LIMIT));
            assertThat(server.await(LIMIT).err()).contains(sentence);
        }
    }
}
