package org.verbs4j.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.verbs4j.it.PingPong.Game;
import org.verbs4j.it.PingPong.Pairing;
import org.verbs4j.it.PingPong.Player;
import org.verbs4j.it.PingPong.Result;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/** Java and C play the ping-pongs of UC, UD and shared receive queues, in every pairing. */
class PingPongsIT {
    static Stream<Arguments> matrix() {
        List<Arguments> all = new ArrayList<>();
        long most = PingPong.SERVER.port().activeMtu().bytes(); // of a datagram
        for (Game game : List.of(Game.UC, Game.UD, Game.SRQ)) {
            List<Long> sizes =
                    game == Game.UD ? List.of(1L, 512L, most) : List.of(1L, 1024L, 4096L, 65536L);
            for (Pairing pairing : Pairing.values()) {
                for (long size : sizes) {
                    all.add(Arguments.of(game, pairing, size, false));
                    all.add(Arguments.of(game, pairing, size, true));
                }
            }
        }
        return all.stream();
    }

    @ParameterizedTest
    @MethodSource("matrix")
    void javaAndCInteroperate(Game game, Pairing pairing, long size, boolean events)
            throws InterruptedException {
        String[] mode = events ? new String[] {"-e"} : new String[0];
        PingPong.runWell(game, pairing.server, pairing.client, size, events ? 100 : 20, mode);
    }

    @ParameterizedTest
    @EnumSource
    void theNumberOfRoundsAndTheDepthAreTaken(Pairing pairing) throws InterruptedException {
        for (Game game : List.of(Game.UC, Game.UD)) {
            PingPong.runWell(game, pairing.server, pairing.client, 64, 1, "-e");
            PingPong.runWell(game, pairing.server, pairing.client, 64, 77, "-e", "-r", "1");
            PingPong.runWell(game, pairing.server, pairing.client, 64, 77, "-e", "-r", "3");
        }
        PingPong.runWell(Game.SRQ, pairing.server, pairing.client, 64, 1, "-e");
        PingPong.runWell(Game.SRQ, pairing.server, pairing.client, 64, 77, "-e", "-r", "16");
    }

    @ParameterizedTest
    @EnumSource
    void theNumberOfQueuePairsIsTaken(Pairing pairing) throws InterruptedException {
        for (String pairs : List.of("1", "5", "255")) {
            Result result =
                    PingPong.runWell(
                            Game.SRQ, pairing.server, pairing.client, 64, 300, "-e", "-q", pairs);
            assertThat(result.server().out().lines()).hasSize(2 * Integer.parseInt(pairs) + 2);
        }
    }

    @ParameterizedTest
    @EnumSource
    void validationFindsNothingWrong(Pairing pairing) throws InterruptedException {
        PingPong.runWell(Game.UC, pairing.server, pairing.client, 65536, 10, "-e", "-c");
        PingPong.runWell(Game.UD, pairing.server, pairing.client, 1024, 10, "-e", "-c");
        PingPong.runWell(Game.SRQ, pairing.server, pairing.client, 65536, 20, "-e", "-c");
    }

    /** The client does not mark its pages then. */
    @Test
    void bothServersNameThePagesThatAreNotMarked() throws InterruptedException {
        for (Game game : List.of(Game.UC, Game.UD, Game.SRQ)) {
            List<String> plain = List.of("-e", "-n", "20", "-s", game == Game.UD ? "512" : "8192");
            List<String> checking = PingPong.with(plain, "-c");
            String java = PingPong.run(game, Player.JAVA, Player.C, checking, plain).server().out();
            String c = PingPong.run(game, Player.C, Player.JAVA, checking, plain).server().out();
            assertThat(wrongPages(java)).as(game.tool()).isEqualTo(wrongPages(c));
        }
    }

    private static List<String> wrongPages(String out) {
        return out.lines().filter(line -> line.startsWith("invalid")).toList();
    }

    @Test
    void theJarPlaysThemAll() throws InterruptedException {
        for (Game game : List.of(Game.UC, Game.UD, Game.SRQ)) {
            PingPong.runWell(game, Player.JAR, Player.C, 512, 20, "-e");
        }
    }

    @Test
    void aDatagramLongerThanTheMtuIsRefused() throws InterruptedException {
        int most = PingPong.SERVER.port().activeMtu().bytes();
        assertSentence(
                "ud-pingpong: a datagram of "
                        + (most + 1)
                        + " bytes is too long for port 1 of "
                        + PingPong.SERVER.device()
                        + ", whose active MTU is "
                        + most,
                Game.UD,
                "-s",
                Integer.toString(most + 1));
    }

    @Test
    void moreQueuePairsThanReceivesAreRefused() throws InterruptedException {
        assertSentence(
                "srq-pingpong: a depth of 8 receives is too small for 16 queue pairs",
                Game.SRQ,
                "-r",
                "8");
    }

    @Test
    void softRocePagesNothingOnDemandWhichIsSaidInTheWordsOfC() throws InterruptedException {
        assumeTrue(TestPlace.provider().equals("rxe"), "another device may do it");
        PingPong.requireSameRefusal(Game.SRQ, "-o");
        PingPong.requireSameRefusal(Game.XSRQ, "-o");
    }

    @Test
    void softRoceHasNoXrc() throws InterruptedException {
        assertSentence("xsrq-pingpong: ibv_open_xrcd", Game.XSRQ);
        assertSentence("xsrq-pingpong: ibv_open_xrcd", Game.XSRQ, "localhost");
    }

    private static void assertSentence(String sentence, Game game, String... args)
            throws InterruptedException {
        try (ToolRun tool =
                PingPong.start(
                        game, Player.JAVA, PingPong.SERVER, TcpPorts.free(), List.of(args))) {
            ToolRun.Outcome outcome = tool.await(Duration.ofSeconds(20));
            assertThat(outcome.err()).startsWith(sentence);
            assertThat(outcome.err().lines()).hasSize(1);
            assertThat(outcome.status()).isEqualTo(1);
        }
    }
}
