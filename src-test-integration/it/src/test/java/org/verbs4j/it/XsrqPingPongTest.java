package org.verbs4j.it;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.verbs4j.it.PingPong.Pairing;
import org.verbs4j.it.PingPong.Player;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * {@code xsrq-pingpong} and the tool of rdma-core play with each other over extended reliable
 * connections, on a device of the tests' own: no other that is at hand has them.
 */
class XsrqPingPongTest {
    private static final Duration LIMIT = Duration.ofMinutes(2);
    private static final String C_TOOL = "/usr/bin/ibv_xsrq_pingpong";
    private static final int FIRST_QUEUE = 1000;
    private static final Pattern LINE =
            Pattern.compile(
                    " *(local|remote): (LID 0000, QPN RECV \\p{XDigit}{6} SEND \\p{XDigit}{6},"
                            + " PSN \\p{XDigit}{6}, SRQN (\\p{XDigit}{6}), GID ::ffff:10.77.0.9)");

    /** Both tools make it, for their user alone, and leave it there. */
    private static final Path SHARED = Path.of("/tmp/xrc_domain");

    private static final boolean WAS_THERE = Files.exists(SHARED);

    @TempDir Path directory = Path.of("");

    @AfterAll
    static void nobodyElseIsInTheWay() throws IOException {
        if (!WAS_THERE) {
            Files.deleteIfExists(SHARED);
        }
    }

    private Fabric fabric() {
        return new Fabric(directory);
    }

    private ToolRun start(Player player, int port, List<String> args) {
        List<String> words = new ArrayList<>(List.of("-p", Integer.toString(port)));
        words.addAll(args);
        if (player == Player.C) {
            assertThat(Path.of(C_TOOL)).as("package ibverbs-utils").isExecutable();
            words.addAll(0, List.of(C_TOOL, "-g", "0"));
            return fabric().c(words);
        }
        words.addFirst("xsrq-pingpong");
        return fabric().java(words);
    }

    /** All ends of a game: the server's first. */
    private List<ToolRun.Outcome> play(Player server, List<Player> clients, List<String> args)
            throws InterruptedException {
        int port = TcpPorts.free();
        List<ToolRun> running = new ArrayList<>();
        try {
            List<String> serving =
                    Stream.concat(args.stream(), Stream.of("-c", Integer.toString(clients.size())))
                            .toList();
            running.add(start(server, port, serving));
            TcpPorts.awaitListening(port, running.getFirst());
            List<String> calling = Stream.concat(args.stream(), Stream.of("127.0.0.1")).toList();
            for (Player client : clients) {
                running.add(start(client, port, calling));
            }
            List<ToolRun.Outcome> outcomes = new ArrayList<>();
            for (ToolRun run : running) {
                outcomes.add(run.await(LIMIT));
            }
            return outcomes;
        } finally {
            running.forEach(ToolRun::close);
        }
    }

    private void playWell(Player server, List<Player> clients, List<String> args)
            throws InterruptedException {
        List<ToolRun.Outcome> outcomes = play(server, clients, args);
        for (ToolRun.Outcome outcome : outcomes) {
            assertThat(outcome.status()).as("%s of %s", outcome, outcomes).isZero();
            assertThat(outcome.err().lines()) // the loader, of a library without versions
                    .allMatch(line -> line.contains("no version information available"));
            assertThat(outcome.out()).endsWith("success\n");
            assertThat(outcome.out().lines().limit(2L * addresses(outcome, "local").size()))
                    .allMatch(line -> LINE.matcher(line).matches());
        }
        ToolRun.Outcome served = outcomes.getFirst();
        List<ToolRun.Outcome> called = outcomes.subList(1, outcomes.size());
        assertThat(addresses(served, "local")).hasSize(clients.size());
        assertThat(addresses(served, "remote"))
                .containsExactlyInAnyOrderElementsOf(addresses(called, "local"));
        assertThat(addresses(served, "local"))
                .containsExactlyInAnyOrderElementsOf(addresses(called, "remote"));
        assertThat(queues(served, "local")).as("of the server").containsOnly(FIRST_QUEUE);
        assertThat(queues(served, "remote")).as("of each client").doesNotHaveDuplicates();
        assertThat(queues(served, "remote")).allMatch(queue -> queue > FIRST_QUEUE);
        assertThat(fabric().living()).as("not destroyed").isEmpty();
    }

    private static Stream<MatchResult> lines(ToolRun.Outcome outcome, String side) {
        return LINE.matcher(outcome.out()).results().filter(line -> line.group(1).equals(side));
    }

    private static List<String> addresses(ToolRun.Outcome outcome, String side) {
        return lines(outcome, side).map(line -> line.group(2)).toList();
    }

    private static List<String> addresses(List<ToolRun.Outcome> outcomes, String side) {
        return outcomes.stream().flatMap(end -> addresses(end, side).stream()).toList();
    }

    private static List<Integer> queues(ToolRun.Outcome outcome, String side) {
        return lines(outcome, side).map(line -> Integer.parseInt(line.group(3), 16)).toList();
    }

    static Stream<Arguments> matrix() {
        return Stream.of(Pairing.values())
                .flatMap(
                        pairing ->
                                Stream.of(
                                                "-s 1 -n 50",
                                                "-s 65536",
                                                "-e",
                                                "-e -n 50 -s 1000 -m 4096")
                                        .map(args -> Arguments.of(pairing, args)));
    }

    @ParameterizedTest
    @MethodSource("matrix")
    void javaAndCInteroperate(Pairing pairing, String args) throws InterruptedException {
        playWell(pairing.server, List.of(pairing.client), List.of(args.split(" ")));
    }

    /** Each is sent to by the connections of all, in turn. */
    @ParameterizedTest
    @CsvSource({
        "JAVA, C, C, ''",
        "JAVA, JAVA, C, '-e'",
        "JAVA, JAVA, JAVA, '-n 20'",
        "C, JAVA, C, '-n 20'",
        "C, JAVA, JAVA, '-e'",
    })
    void aServerHasSeveralClients(Player server, Player one, Player other, String args)
            throws InterruptedException {
        playWell(
                server,
                List.of(one, other, one),
                args.isEmpty() ? List.of() : List.of(args.split(" ")));
    }
}
