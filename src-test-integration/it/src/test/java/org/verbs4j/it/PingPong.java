package org.verbs4j.it;

import static org.assertj.core.api.Assertions.assertThat;

import org.verbs4j.Device;
import org.verbs4j.DeviceContext;
import org.verbs4j.Devices;
import org.verbs4j.GidEntry;
import org.verbs4j.PortAttributes;

import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * Starts both ends of a ping-pong on two devices of this machine and compares what they say; of RC
 * where nothing else is asked for.
 */
final class PingPong {
    /** Who plays an end. */
    enum Player {
        /** Our tool on a thread of this JVM. */
        JAVA,
        /** Our tool in a JVM of its own. */
        JAR,
        /** The tool of rdma-core. */
        C
    }

    /** Which ping-pong: the letters between {@code ibv_} and {@code _pingpong}. */
    enum Game {
        RC,
        UC,
        UD,
        SRQ,
        XSRQ;

        private String letters() {
            return name().toLowerCase(Locale.ROOT);
        }

        /** Our tool. */
        String tool() {
            return letters() + "-pingpong";
        }

        private Path cTool() {
            return Path.of("/usr/bin/ibv_" + letters() + "_pingpong");
        }
    }

    /** Who plays which end, of which one at least is ours. */
    enum Pairing {
        JAVA_SERVES_C(Player.JAVA, Player.C),
        C_SERVES_JAVA(Player.C, Player.JAVA),
        JAVA_SERVES_JAVA(Player.JAVA, Player.JAVA);

        final Player server;
        final Player client;

        Pairing(Player server, Player client) {
            this.server = server;
            this.client = client;
        }
    }

    /** An end's device and the index of its GID that routes, negative where none is needed. */
    record End(String device, int gidIndex, PortAttributes port) {}

    private static final Duration LIMIT = Duration.ofSeconds(30);
    private static final String ADDRESS =
            "LID 0x\\p{XDigit}{4}, QPN 0x\\p{XDigit}{6}, PSN 0x\\p{XDigit}{6}[,:] GID [0-9a-f:.]+";
    private static final Pattern OUTPUT =
            Pattern.compile(
                    "((?:  local address:  "
                            + ADDRESS
                            + "\n)+)"
                            + "((?:  remote address: "
                            + ADDRESS
                            + "\n)+)"
                            + "(\\d+) bytes in \\d+\\.\\d\\d seconds = \\d+\\.\\d\\d Mbit/sec\n"
                            + "(\\d+) iters in \\d+\\.\\d\\d seconds = \\d+\\.\\d\\d usec/iter\n");

    /** The first device serves, the last one calls; with one device it talks to itself. */
    static final End SERVER = end(Devices.list().getFirst());

    static final End CLIENT = end(Devices.list().getLast());

    private PingPong() {}

    private static End end(Device device) {
        try (DeviceContext context = device.open()) {
            return new End(
                    device.name(),
                    context.port(1).routableGid().map(GidEntry::index).orElse(-1),
                    context.port(1).attributes());
        }
    }

    /** Starts an end; the arguments say the rest. */
    static ToolRun start(Player player, End end, int port, List<String> args) {
        return start(Game.RC, player, end, port, args);
    }

    /** As above, of any game. */
    static ToolRun start(Game game, Player player, End end, int port, List<String> args) {
        List<String> all =
                new ArrayList<>(List.of("-p", Integer.toString(port), "-d", end.device()));
        if (end.gidIndex() >= 0 && !args.contains("-g")) {
            all.addAll(List.of("-g", Integer.toString(end.gidIndex())));
        }
        all.addAll(args);
        if (player == Player.C) {
            assertThat(game.cTool()).as("package ibverbs-utils").isExecutable();
            all.addFirst(game.cTool().toString());
            return ToolRun.process(all);
        }
        all.addFirst(game.tool());
        String[] words = all.toArray(String[]::new);
        return player == Player.JAVA ? ToolRun.inProcess(words) : ToolRun.jar(words);
    }

    /** Both ends of one ping-pong, with what each printed. */
    record Result(ToolRun.Outcome server, ToolRun.Outcome client) {}

    /** Runs both ends to their end, however that looks. */
    static Result run(
            Player server, Player client, List<String> serverArgs, List<String> clientArgs)
            throws InterruptedException {
        return run(Game.RC, server, client, serverArgs, clientArgs);
    }

    /** As above, of any game. */
    static Result run(
            Game game,
            Player server,
            Player client,
            List<String> serverArgs,
            List<String> clientArgs)
            throws InterruptedException {
        int port = TcpPorts.free();
        try (ToolRun serving = start(game, server, SERVER, port, serverArgs)) {
            TcpPorts.awaitListening(port, serving);
            try (ToolRun calling =
                    start(game, client, CLIENT, port, with(clientArgs, "localhost"))) {
                return new Result(serving.await(LIMIT), calling.await(LIMIT));
            }
        }
    }

    /** Runs both ends and requires that they agree, in the words of the C tool. */
    static Result runWell(Player server, Player client, long size, int iterations, String... args)
            throws InterruptedException {
        return runWell(Game.RC, server, client, size, iterations, args);
    }

    /** As above, of any game. */
    static Result runWell(
            Game game, Player server, Player client, long size, int iterations, String... args)
            throws InterruptedException {
        List<String> all =
                with(List.of(args), "-s", Long.toString(size), "-n", Integer.toString(iterations));
        Result result = run(game, server, client, all, all);
        Matcher served = output(server + " server", result.server());
        Matcher called = output(client + " client", result.client());
        assertThat(addresses(called.group(2)))
                .as("the client's remote are the server's local addresses")
                .isEqualTo(addresses(served.group(1)));
        assertThat(addresses(served.group(2)))
                .as("the server's remote are the client's local addresses")
                .isEqualTo(addresses(called.group(1)));
        for (Matcher end : List.of(served, called)) {
            assertThat(Long.parseLong(end.group(3))).as("bytes").isEqualTo(size * iterations * 2);
            assertThat(Integer.parseInt(end.group(4))).as("iterations").isEqualTo(iterations);
        }
        return result;
    }

    /** Requires that ours ends at once, and as the C tool does: status and every letter. */
    static void requireSameRefusal(Game game, String... args) throws InterruptedException {
        int port = TcpPorts.free();
        try (ToolRun c = start(game, Player.C, SERVER, port, List.of(args));
                ToolRun java = start(game, Player.JAVA, SERVER, port, List.of(args))) {
            ToolRun.Outcome refusal = c.await(LIMIT);
            assertThat(refusal.status()).isEqualTo(1);
            assertThat(refusal.err().lines()).hasSize(1);
            assertThat(java.await(LIMIT)).isEqualTo(refusal);
        }
    }

    /** Without what stands before them; ud has a colon in one of the two lines. */
    private static List<String> addresses(String lines) {
        return lines.lines()
                .map(line -> line.replaceFirst(".*address: +", "").replace(": GID", ", GID"))
                .toList();
    }

    private static Matcher output(String who, ToolRun.Outcome outcome) {
        assertThat(outcome.err()).as("%s: standard error", who).isEmpty();
        assertThat(outcome.status()).as("%s: exit status", who).isZero();
        Matcher output = OUTPUT.matcher(outcome.out());
        assertThat(output.matches())
                .as("%s: the lines of the C tool, but: %s", who, outcome.out())
                .isTrue();
        return output;
    }

    static List<String> with(List<String> args, String... more) {
        return Stream.concat(args.stream(), Stream.of(more)).toList();
    }
}
