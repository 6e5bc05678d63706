package org.verbs4j.examples;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.fail;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.assertj.core.api.ThrowableAssertAlternative;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.verbs4j.Gid;

/** The exchange against real sockets: the C sequence byte by byte, and peers that break it. */
@Timeout(60)
class PingPongExchangeTest {
    private static final Duration GENEROUS = Duration.ofSeconds(30);
    private static final Duration SHORT = Duration.ofMillis(200);
    private static final PingPongEndpoint HERE = new PingPongEndpoint(0, 0x11, 0x123456, new Gid(0, 0xffff_0a4d_0001L));
    private static final PingPongEndpoint THERE = new PingPongEndpoint(0, 0x12, 0xabcdef, new Gid(0, 0xffff_0a4d_0002L));
    private static final byte[] DONE = "done\0".getBytes(StandardCharsets.US_ASCII);

    private final ExecutorService threads = Executors.newCachedThreadPool();

    /** What a scripted peer does with its end of the connection. */
    private interface Script {
        void play(Socket socket) throws IOException;
    }

    @AfterEach
    void stopPeers() {
        threads.shutdownNow();
    }

    @Test
    void twoOfOurOwnMeet() throws Exception {
        int port = freePort();
        CompletableFuture<PingPongEndpoint> connected = new CompletableFuture<>();
        Future<PingPongEndpoint> server = threads.submit(() ->
                new PingPongExchange(port, GENEROUS).asServer(HERE, GENEROUS, connected::complete));

        PingPongEndpoint seenByClient = onceListening(() -> new PingPongExchange(port, GENEROUS).asClient("localhost", THERE));

        assertThat(seenByClient).isEqualTo(HERE);
        assertThat(connected).isCompletedWithValue(THERE);
        assertThat(server.get(30, TimeUnit.SECONDS)).isEqualTo(THERE);
    }

    @Test
    void theServerIsConnectedBeforeItAnswers() throws Exception {
        AtomicBoolean connected = new AtomicBoolean();
        Future<PingPongEndpoint> server = serve(GENEROUS, _ -> connected.set(true), socket -> {
            socket.getOutputStream().write(THERE.encode());
            byte[] answer = socket.getInputStream().readNBytes(PingPongEndpoint.ENCODED_LENGTH);
            assertThat(connected).isTrue();
            assertThat(answer).isEqualTo(HERE.encode());
            socket.getOutputStream().write(DONE);
        });

        assertThat(server.get(30, TimeUnit.SECONDS)).isEqualTo(THERE);
    }

    @Test
    void theClientSpeaksFirstAndEndsWithDone() throws Exception {
        PingPongEndpoint remote = call(GENEROUS, socket -> {
            assertThat(socket.getInputStream().readNBytes(PingPongEndpoint.ENCODED_LENGTH)).isEqualTo(HERE.encode());
            socket.getOutputStream().write(THERE.encode());
            assertThat(socket.getInputStream().readAllBytes()).isEqualTo(DONE);
        });

        assertThat(remote).isEqualTo(THERE);
    }

    @Test
    void anEndpointInTwoPiecesIsStillOne() throws Exception {
        assertThat(call(GENEROUS, socket -> {
                    byte[] bytes = THERE.encode();
                    socket.getOutputStream().write(bytes, 0, 20);
                    pause();
                    socket.getOutputStream().write(bytes, 20, bytes.length - 20);
                    socket.getInputStream().readAllBytes();
                }))
                .isEqualTo(THERE);
    }

    @Test
    void aClientThatSendsGarbageIsNamed() {
        failure(() -> serve(GENEROUS, socket ->
                        socket.getOutputStream().write("GET / HTTP/1.1\r\nHost: here\r\nUser-Agent: somebody\r\n\r\n"
                                .getBytes(StandardCharsets.US_ASCII))))
                .withMessageMatching("the client 127.0.0.1 sent something else: .*\"GET / HTTP/1.1..Host.*");
    }

    @Test
    void aServerThatSendsGarbageIsNamed() {
        failure(() -> call(GENEROUS, socket ->
                        socket.getOutputStream().write("x".repeat(100).getBytes(StandardCharsets.US_ASCII))))
                .withMessageMatching("the server 127.0.0.1:\\d+ sent something else: .*");
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 51})
    void aClientThatClosesEarlyIsNamed(int bytes) {
        failure(() -> serve(GENEROUS, socket -> socket.getOutputStream().write(THERE.encode(), 0, bytes)))
                .withMessageContaining("closed the connection in the middle of the exchange, after " + bytes
                        + " of 52 bytes");
    }

    @Test
    void aClientThatClosesInsteadOfSayingDoneIsNamed() {
        failure(() -> serve(GENEROUS, socket -> {
                    socket.getOutputStream().write(THERE.encode());
                    socket.getInputStream().readNBytes(PingPongEndpoint.ENCODED_LENGTH);
                }))
                .withMessageContaining("after 0 of 5 bytes");
    }

    @Test
    void aClientThatSaysSomethingElseThanDoneIsNamed() {
        failure(() -> serve(GENEROUS, socket -> {
                    socket.getOutputStream().write(THERE.encode());
                    socket.getOutputStream().write("hello".getBytes(StandardCharsets.US_ASCII));
                    socket.getInputStream().readAllBytes();
                }))
                .withMessageContaining("did not end the exchange with \"done\"");
    }

    @Test
    void aServerThatClosesEarlyIsNamed() {
        failure(() -> call(GENEROUS, socket -> socket.getInputStream().readNBytes(PingPongEndpoint.ENCODED_LENGTH)))
                .withMessageContaining("closed the connection in the middle of the exchange, after 0 of 52 bytes");
    }

    @Test
    void aServerThatResetsIsNamed() {
        failure(() -> call(GENEROUS, socket -> {
                    socket.getInputStream().readNBytes(1);
                    socket.setSoLinger(true, 0);
                }))
                .withMessageContaining("in the middle of the exchange");
    }

    @Test
    void silenceEndsWithTheLimit() {
        failure(() -> serve(SHORT, socket -> socket.getInputStream().readAllBytes()))
                .withMessage("the client 127.0.0.1 said nothing for 200 ms");
        failure(() -> call(SHORT, socket -> socket.getInputStream().readAllBytes()))
                .withMessageMatching("the server 127.0.0.1:\\d+ said nothing for 200 ms");
    }

    @Test
    void aDribbleGetsNoMoreTimeThanSilence() {
        failure(() -> serve(SHORT, socket -> {
                    for (byte b : THERE.encode()) {
                        socket.getOutputStream().write(b);
                        pause();
                    }
                }))
                .withMessageMatching("the client 127.0.0.1 said nothing .*");
    }

    @Test
    void aServerWithoutAClientGivesUp() throws IOException {
        int port = freePort();
        failure(() -> new PingPongExchange(port, GENEROUS).asServer(HERE, SHORT, _ -> {}))
                .withMessage("no client came to port " + port + " within 200 ms (--accept-timeout)");
    }

    @Test
    void aPortInUseIsNamed() throws IOException {
        try (ServerSocket taken = new ServerSocket(0)) {
            int port = taken.getLocalPort();
            failure(() -> new PingPongExchange(port, GENEROUS).asServer(HERE, GENEROUS, _ -> {}))
                    .withMessageMatching("couldn't listen to port " + port + " \\(.*\\): take another with -p");
        }
    }

    @Test
    void nobodyListeningIsNamed() throws IOException {
        int port = freePort();
        failure(() -> new PingPongExchange(port, GENEROUS).asClient("localhost", HERE))
                .withMessageMatching("couldn't connect to localhost:" + port + " \\(.*\\): is the server running\\?");
    }

    @Test
    void aHostThatDoesNotExistIsNamed() {
        failure(() -> new PingPongExchange(18515, GENEROUS).asClient("no-such-host.invalid", HERE))
                .withMessage("no such host: no-such-host.invalid");
    }

    @Test
    void whatKeepsTheServerFromConnectingReachesTheCaller() {
        failure(() -> serve(
                        GENEROUS,
                        _ -> {
                            throw new ToolFailure("no route");
                        },
                        socket -> {
                            socket.getOutputStream().write(THERE.encode());
                            assertThat(socket.getInputStream().readAllBytes()).isEmpty();
                        }))
                .withMessage("no route");
    }

    private Future<PingPongEndpoint> serve(Duration stepLimit, Script client) throws Exception {
        return serve(stepLimit, _ -> {}, client);
    }

    /** Our server with a scripted client; the result is awaited here, so that a failure is thrown here. */
    private Future<PingPongEndpoint> serve(
            Duration stepLimit, Consumer<PingPongEndpoint> connect, Script client) throws Exception {
        int port = freePort();
        Future<PingPongEndpoint> server =
                threads.submit(() -> new PingPongExchange(port, stepLimit).asServer(HERE, GENEROUS, connect));
        Future<?> played = threads.submit(() -> {
            try (Socket socket = onceListening(() -> new Socket(InetAddress.getLoopbackAddress(), port))) {
                client.play(socket);
            }
            return null;
        });
        awaited(server);
        awaited(played);
        return server;
    }

    private PingPongEndpoint call(Duration stepLimit, Script server) throws Exception {
        try (ServerSocket listener = new ServerSocket()) {
            listener.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
            Future<?> played = threads.submit(() -> {
                try (Socket socket = listener.accept()) {
                    server.play(socket);
                }
                return null;
            });
            PingPongEndpoint remote =
                    new PingPongExchange(listener.getLocalPort(), stepLimit).asClient("127.0.0.1", HERE);
            awaited(played);
            return remote;
        }
    }

    private static void awaited(Future<?> future) throws Exception {
        try {
            future.get(30, TimeUnit.SECONDS);
        } catch (ExecutionException e) {
            if (e.getCause() instanceof ToolFailure failure) {
                throw failure;
            }
            if (e.getCause() instanceof AssertionError error) {
                throw error;
            }
            throw e;
        } catch (TimeoutException e) {
            fail("the exchange hangs", e);
        }
    }

    private static ThrowableAssertAlternative<ToolFailure> failure(ThrowingCallable call) {
        return assertThatExceptionOfType(ToolFailure.class).isThrownBy(call);
    }

    /** Something that connects. */
    private interface Attempt<T> {
        T make() throws IOException;
    }

    /** The server of the other thread may not listen yet. */
    private static <T> T onceListening(Attempt<T> attempt) throws IOException {
        long deadline = System.nanoTime() + GENEROUS.toNanos();
        while (true) {
            try {
                return attempt.make();
            } catch (IOException | ToolFailure e) {
                if (System.nanoTime() > deadline || !String.valueOf(e.getMessage()).contains("refused")) {
                    throw e;
                }
                pause();
            }
        }
    }

    private static void pause() {
        try {
            Thread.sleep(20);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private static int freePort() throws IOException {
        try (ServerSocket socket = new ServerSocket(0)) {
            return socket.getLocalPort();
        }
    }
}
