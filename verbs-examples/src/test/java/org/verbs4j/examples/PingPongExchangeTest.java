package org.verbs4j.examples;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.verbs4j.examples.ScriptedPeer.pauses;
import static org.verbs4j.examples.ScriptedPeer.receives;
import static org.verbs4j.examples.ScriptedPeer.resets;
import static org.verbs4j.examples.ScriptedPeer.sends;
import static org.verbs4j.examples.ScriptedPeer.waitsForTheEnd;

import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.assertj.core.api.ThrowableAssertAlternative;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.verbs4j.Gid;
import org.verbs4j.examples.ScriptedPeer.Step;

import java.io.IOException;
import java.net.ServerSocket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;

/** The exchange against real sockets: the C sequence byte by byte, and peers that break it. */
@Timeout(60)
class PingPongExchangeTest {
    private static final Duration GENEROUS = Duration.ofSeconds(30);
    private static final Duration SHORT = Duration.ofMillis(200);
    private static final PingPongEndpoint HERE =
            new PingPongEndpoint(0, 0x11, 0x123456, new Gid(0, 0xffff_0a4d_0001L));
    private static final PingPongEndpoint THERE =
            new PingPongEndpoint(0, 0x12, 0xabcdef, new Gid(0, 0xffff_0a4d_0002L));
    private static final List<PingPongEndpoint> TWO = List.of(HERE, THERE);
    private static final byte[] DONE = "done\0".getBytes(StandardCharsets.US_ASCII);

    private final ScriptedPeer peer = new ScriptedPeer();

    @AfterEach
    void stopThePeer() {
        peer.close();
    }

    @Test
    void twoOfOurOwnMeet() throws Exception {
        CompletableFuture<List<PingPongEndpoint>> connected = new CompletableFuture<>();

        List<PingPongEndpoint> seenByClient =
                peer.asOurselves(
                        port ->
                                exchange(port)
                                        .asServer(List.of(HERE), GENEROUS, connected::complete),
                        port -> exchange(port).asClient("localhost", List.of(THERE)));

        assertThat(seenByClient).containsExactly(HERE);
        assertThat(connected).isCompletedWithValue(List.of(THERE));
    }

    /** As {@code ibv_srq_pingpong} does: 256 records, whatever is behind them. */
    @Test
    void severalEndpointsAreFollowedByZeros() throws Exception {
        byte[] all = new byte[256 * 52];
        for (int i = 0; i < 256; i++) {
            byte[] record = (i == 0 ? HERE : i == 1 ? THERE : PingPongEndpoint.NONE).encode();
            System.arraycopy(record, 0, all, i * 52, 52);
        }
        Step server = receives(all).then(sends(all)).then(receives(DONE)).then(waitsForTheEnd());

        List<PingPongEndpoint> remote =
                peer.asServer(
                        server, port -> shared(port).asClient("127.0.0.1", List.of(HERE, THERE)));

        assertThat(remote).containsExactly(HERE, THERE);
    }

    @Test
    void anotherNumberOfQueuePairsIsNamed() {
        byte[] one = new byte[256 * 52];
        for (int i = 0; i < 256; i++) {
            byte[] record = (i == 0 ? THERE : PingPongEndpoint.NONE).encode();
            System.arraycopy(record, 0, one, i * 52, 52);
        }

        failure(
                        () ->
                                peer.asClient(
                                        sends(one).then(waitsForTheEnd()),
                                        port -> shared(port).asServer(TWO, GENEROUS, _ -> {})))
                .withMessage(
                        "the client 127.0.0.1 has 1 queue pairs and this side 2: give both the"
                                + " same -q");
    }

    /** Of 13312 bytes the first 52 tell. */
    @Test
    void garbageIsFoundOutBeforeAllRecordsAreThere() {
        failure(
                        () ->
                                peer.asClient(
                                        sends("GET / HTTP/1.1\r\n".repeat(4))
                                                .then(waitsForTheEnd()),
                                        port ->
                                                shared(port)
                                                        .asServer(
                                                                List.of(HERE),
                                                                GENEROUS,
                                                                PingPongExchangeTest::ignore)))
                .withMessageStartingWith("the client 127.0.0.1 sent something else: ");
    }

    @Test
    void theServerIsConnectedBeforeItAnswers() throws Exception {
        AtomicBoolean connected = new AtomicBoolean();
        Step client =
                sends(THERE.encode())
                        .then(receives(HERE.encode()))
                        .then(_ -> assertThat(connected).isTrue())
                        .then(sends(DONE));

        List<PingPongEndpoint> remote =
                peer.asClient(
                        client,
                        port ->
                                exchange(port)
                                        .asServer(
                                                List.of(HERE), GENEROUS, _ -> connected.set(true)));

        assertThat(remote).containsExactly(THERE);
    }

    @Test
    void theClientSpeaksFirstAndEndsWithDone() throws Exception {
        Step server =
                receives(HERE.encode())
                        .then(sends(THERE.encode()))
                        .then(receives(DONE))
                        .then(waitsForTheEnd());

        assertThat(call(GENEROUS, server)).isEqualTo(THERE);
    }

    @Test
    void anEndpointInTwoPiecesIsStillOne() throws Exception {
        byte[] bytes = THERE.encode();
        Step server =
                receives(HERE.encode())
                        .then(sends(Arrays.copyOf(bytes, 20)))
                        .then(pauses())
                        .then(sends(Arrays.copyOfRange(bytes, 20, bytes.length)))
                        .then(receives(DONE));

        assertThat(call(GENEROUS, server)).isEqualTo(THERE);
    }

    @Test
    void garbageIsShown() {
        String request = "GET / HTTP/1.1\r\nHost: here\r\nUser-Agent: somebody\r\n\r\n";

        failure(() -> serve(GENEROUS, sends(request)))
                .withMessageMatching(
                        "the client 127.0.0.1 sent something else: .*\"GET / HTTP/1.1..Host.*");
        failure(
                        () ->
                                call(
                                        GENEROUS,
                                        receives(HERE.encode())
                                                .then(sends("SSH-2.0-OpenSSH ".repeat(4)))))
                .withMessageMatching(
                        "the server 127.0.0.1:\\d+ sent something else: .*\"SSH-2.0-Open.*");
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 51})
    void anEarlyEndIsNamed(int bytes) {
        Step part = sends(Arrays.copyOf(THERE.encode(), bytes));

        failure(() -> serve(GENEROUS, part))
                .withMessage(
                        "the client 127.0.0.1 closed the connection after %d of 52 bytes,"
                                + " in the middle of the exchange",
                        bytes);
        failure(() -> call(GENEROUS, receives(HERE.encode()).then(part)))
                .withMessageMatching(
                        "the server 127.0.0.1:\\d+ closed the connection after "
                                + bytes
                                + " of 52 bytes, in the middle of the exchange");
    }

    @Test
    void aClientThatDoesNotSayDoneIsNamed() {
        Step almost = sends(THERE.encode()).then(receives(HERE.encode()));

        failure(() -> serve(GENEROUS, almost))
                .withMessageContaining("closed the connection after 0 of 5 bytes");
        failure(() -> serve(GENEROUS, almost.then(sends("hello")).then(waitsForTheEnd())))
                .withMessageContaining("did not end the exchange with \"done\"");
    }

    @Test
    void aResetIsNamed() {
        failure(() -> call(GENEROUS, receives(HERE.encode()).then(resets())))
                .withMessageMatching(
                        "the server 127.0.0.1:\\d+ broke the connection: Connection reset,"
                                + " in the middle of the exchange");
    }

    @Test
    void silenceEndsWithTheLimit() {
        failure(() -> serve(SHORT, waitsForTheEnd()))
                .withMessageStartingWith("the client 127.0.0.1 said nothing for 200 ms, ");
        failure(() -> call(SHORT, receives(HERE.encode()).then(waitsForTheEnd())))
                .withMessageMatching("the server 127.0.0.1:\\d+ said nothing for 200 ms, .*");
    }

    @Test
    void aDribbleGetsNoMoreTimeThanSilence() {
        Step dribble = pauses();
        for (byte b : THERE.encode()) {
            dribble = dribble.then(sends(new byte[] {b})).then(pauses());
        }
        Step all = dribble;

        failure(() -> serve(SHORT, all)).withMessageContaining("said nothing for 200 ms");
    }

    @Test
    void aServerWithoutAClientGivesUp() throws IOException {
        int port = ScriptedPeer.freePort();

        failure(() -> exchange(port).asServer(List.of(HERE), SHORT, PingPongExchangeTest::ignore))
                .withMessage("no client came to port %d within 200 ms (--accept-timeout)", port);
    }

    @Test
    void aPortInUseIsNamed() throws IOException {
        try (ServerSocket taken = new ServerSocket(0)) {
            int port = taken.getLocalPort();

            failure(
                            () ->
                                    exchange(port)
                                            .asServer(
                                                    List.of(HERE),
                                                    GENEROUS,
                                                    PingPongExchangeTest::ignore))
                    .withMessageMatching(
                            "couldn't listen to port " + port + " \\(.*\\): take another with -p");
        }
    }

    @Test
    void nobodyListeningIsNamed() throws IOException {
        int port = ScriptedPeer.freePort();

        failure(() -> exchange(port).asClient("localhost", List.of(HERE)))
                .withMessage(
                        "couldn't connect to localhost:%d (Connection refused): is the server"
                                + " running?",
                        port);
    }

    @Test
    void aHostThatDoesNotExistIsNamed() {
        failure(() -> exchange(18515).asClient("no-such-host.invalid", List.of(HERE)))
                .withMessage("no such host: no-such-host.invalid");
    }

    @Test
    void whatKeepsTheServerFromConnectingReachesTheCaller() {
        Consumer<List<PingPongEndpoint>> refuse =
                _ -> {
                    throw new ToolFailure("no route");
                };

        failure(
                        () ->
                                peer.asClient(
                                        sends(THERE.encode()).then(waitsForTheEnd()),
                                        port ->
                                                exchange(port)
                                                        .asServer(List.of(HERE), GENEROUS, refuse)))
                .withMessage("no route");
    }

    private static PingPongExchange exchange(int port) {
        return new PingPongExchange(new PeerPort(port, GENEROUS), 1);
    }

    private static PingPongExchange shared(int port) {
        return new PingPongExchange(new PeerPort(port, GENEROUS), PingPongExchange.SHARED);
    }

    private static void ignore(List<PingPongEndpoint> client) {}

    private PingPongEndpoint serve(Duration stepLimit, Step client) throws Exception {
        return peer.asClient(
                        client,
                        port ->
                                new PingPongExchange(new PeerPort(port, stepLimit), 1)
                                        .asServer(
                                                List.of(HERE),
                                                GENEROUS,
                                                PingPongExchangeTest::ignore))
                .getFirst();
    }

    private PingPongEndpoint call(Duration stepLimit, Step server) throws Exception {
        return peer.asServer(
                        server,
                        port ->
                                new PingPongExchange(new PeerPort(port, stepLimit), 1)
                                        .asClient("127.0.0.1", List.of(HERE)))
                .getFirst();
    }

    private static ThrowableAssertAlternative<ToolFailure> failure(ThrowingCallable call) {
        return assertThatExceptionOfType(ToolFailure.class).isThrownBy(call);
    }
}
