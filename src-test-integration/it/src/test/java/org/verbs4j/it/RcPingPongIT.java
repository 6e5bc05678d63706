package org.verbs4j.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.verbs4j.it.PingPong.Game;
import org.verbs4j.it.PingPong.Pairing;
import org.verbs4j.it.PingPong.Player;
import org.verbs4j.it.PingPong.Result;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.stream.Stream;

/**
 * Java and C play ping-pong in every pairing, size and mode.
 *
 * <p>The rounds are few where both ends poll: on a guest's one processor a C end that spins costs a
 * time slice, 10 to 20 ms, per message.
 */
class RcPingPongIT {
    private static final List<String> TABLE = Collections.synchronizedList(new ArrayList<>());

    static Stream<Arguments> matrix() {
        return Stream.of(Pairing.values())
                .flatMap(
                        pairing ->
                                Stream.of(1L, 4096L, 65536L, 1L << 20)
                                        .flatMap(
                                                size ->
                                                        Stream.of(false, true)
                                                                .map(
                                                                        events ->
                                                                                Arguments.of(
                                                                                        pairing,
                                                                                        size,
                                                                                        events))));
    }

    @ParameterizedTest
    @MethodSource("matrix")
    void javaAndCInteroperate(Pairing pairing, long size, boolean events)
            throws InterruptedException {
        int iterations = size > 65536 ? 5 : events ? 100 : 20;
        String result = "FAILED";
        try {
            Result run =
                    events
                            ? PingPong.runWell(
                                    pairing.server, pairing.client, size, iterations, "-e")
                            : PingPong.runWell(pairing.server, pairing.client, size, iterations);
            result = "ok, " + run.client().out().lines().toList().getLast();
        } finally {
            TABLE.add(
                    row(
                            pairing.server,
                            pairing.client,
                            Long.toString(size),
                            events ? "events" : "polling",
                            result));
        }
    }

    @AfterAll
    static void printTheMatrix() {
        System.out.println();
        System.out.println(row("SERVER", "CLIENT", "SIZE", "MODE", "RESULT"));
        TABLE.forEach(System.out::println);
        System.out.println();
    }

    private static String row(
            Object server, Object client, String size, String mode, String result) {
        return String.format(
                Locale.ROOT, "  %-6s  %-6s  %8s  %-7s  %s", server, client, size, mode, result);
    }

    @ParameterizedTest
    @EnumSource
    void theNumberOfRoundsIsAnyNumber(Pairing pairing) throws InterruptedException {
        PingPong.runWell(pairing.server, pairing.client, 64, 1, "-e");
        PingPong.runWell(pairing.server, pairing.client, 64, 777, "-e");
    }

    /** With a depth of 1 every receive is posted anew, with 3 some are. */
    @ParameterizedTest
    @EnumSource
    void theReceiveQueueMayBeShallow(Pairing pairing) throws InterruptedException {
        PingPong.runWell(pairing.server, pairing.client, 4096, 50, "-e", "-r", "1");
        PingPong.runWell(pairing.server, pairing.client, 4096, 50, "-e", "-r", "3");
    }

    @ParameterizedTest
    @ValueSource(ints = {256, 512, 1024, 2048, 4096})
    void everyPathMtuThatThePortsCarryWorks(int mtu) throws InterruptedException {
        assumeTrue(
                mtu <= PingPong.SERVER.port().activeMtu().bytes()
                        && mtu <= PingPong.CLIENT.port().activeMtu().bytes(),
                "the ports carry less");
        for (Pairing pairing : Pairing.values()) {
            PingPong.runWell(
                    pairing.server, pairing.client, 65536, 5, "-e", "-m", Integer.toString(mtu));
        }
    }

    @ParameterizedTest
    @EnumSource
    void validationFindsNothingWrong(Pairing pairing) throws InterruptedException {
        PingPong.runWell(pairing.server, pairing.client, 65536, 10, "-e", "-c");
    }

    /**
     * The C client does not write the marks then: what arrives is its filler. Both servers say so,
     * and end with 0.
     */
    @Test
    void validationNamesThePagesThatAreNotMarked() throws InterruptedException {
        List<String> plain = List.of("-e", "-s", "8192", "-n", "10");
        String java =
                PingPong.run(Player.JAVA, Player.C, PingPong.with(plain, "-c"), plain)
                        .server()
                        .out();
        String c =
                PingPong.run(Player.C, Player.JAVA, PingPong.with(plain, "-c"), plain)
                        .server()
                        .out();

        assertThat(java.lines().skip(4)).isNotEmpty().first().isEqualTo("invalid data in page 0");
        assertThat(java.lines().skip(4)).containsExactlyElementsOf(c.lines().skip(4).toList());
    }

    /** {@code ibv_wr_send} on either side, against either way of posting on the other. */
    @ParameterizedTest
    @EnumSource
    void theNewWayOfPostingPlaysWithBoth(Pairing pairing) throws InterruptedException {
        for (long size : new long[] {1, 4096, 65536}) {
            PingPong.runWell(pairing.server, pairing.client, size, 50, "-e", "-N");
        }
        PingPong.runWell(pairing.server, pairing.client, 4096, 10, "-N");
        List<String> plain = List.of("-e", "-n", "50");
        List<String> modern = PingPong.with(plain, "--new_send");
        for (Result one :
                List.of(
                        PingPong.run(pairing.server, pairing.client, plain, modern),
                        PingPong.run(pairing.server, pairing.client, modern, plain))) {
            for (ToolRun.Outcome end : List.of(one.server(), one.client())) {
                assertThat(end.err()).isEmpty();
                assertThat(end.status()).isZero();
                assertThat(end.out()).contains("\n50 iters in ");
            }
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "-o", "-O", "-o -P", "-P", "-t", "-j", "-o -j", "-O -j", "-t -j", "-t -o", "-j -N",
                "-N -t", "-e -t"
            })
    void whatSoftRoceLacksIsSaidInTheWordsOfC(String options) throws InterruptedException {
        assumeTrue(TestPlace.provider().equals("rxe"), "another device may have it");
        PingPong.requireSameRefusal(Game.RC, options.split(" "));
    }

    @Test
    void theServiceLevelIsTaken() throws InterruptedException {
        PingPong.runWell(Player.JAVA, Player.C, 64, 10, "-e", "-l", "3");
    }

    /** C needs -g on RoCE; Java finds the GID that C is told. */
    @Test
    void withoutAnIndexTheGidThatRoutesIsChosen() throws InterruptedException {
        List<String> plain = List.of("-e", "-n", "10");
        Result chosen =
                PingPong.run(Player.JAVA, Player.C, PingPong.with(plain, "-g", "-1"), plain);
        Result told = PingPong.runWell(Player.JAVA, Player.C, 4096, 10, "-e");

        assertThat(chosen.server().err()).isEmpty();
        assertThat(chosen.server().status()).isZero();
        assertThat(gid(chosen)).isEqualTo(gid(told));
    }

    private static String gid(Result result) {
        return result.server().out().lines().findFirst().orElseThrow().replaceFirst(".*GID ", "");
    }

    @Test
    void theJarIsAProgramLikeTheCTool() throws InterruptedException {
        PingPong.runWell(Player.JAR, Player.JAR, 4096, 100, "-e");
        PingPong.runWell(Player.C, Player.JAR, 4096, 20);
    }
}
