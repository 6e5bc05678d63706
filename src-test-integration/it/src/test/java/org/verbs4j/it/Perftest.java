package org.verbs4j.it;

import static org.assertj.core.api.Assertions.assertThat;

import org.verbs4j.it.PingPong.End;
import org.verbs4j.it.PingPong.Pairing;
import org.verbs4j.it.PingPong.Player;

import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Runs the tools of perftest, ours and those of C, against each other. */
final class Perftest {
    /** More than a run of a few messages takes; a C tool that spins has 10 ms for each. */
    static final Duration LIMIT = Duration.ofSeconds(40);

    private static final Pattern ROW =
            Pattern.compile(" (\\d+) +(\\d+)((?:\\s+(?:\\d+\\.\\d+|inf|-?nan))+) *");

    private Perftest() {}

    /** A line of a table: what was measured, and the figures behind it. */
    record Row(long bytes, long iterations, List<Double> figures) {}

    /** Both ends of one test. */
    record Result(ToolRun.Outcome server, ToolRun.Outcome client) {}

    /**
     * Starts an end; {@code -F} keeps the C tools from giving up where there is no cycle counter.
     */
    static ToolRun start(String tool, Player player, End end, int port, List<String> args) {
        List<String> all = new ArrayList<>(List.of("-p", Integer.toString(port), "-F"));
        if (!args.contains("-R")) {
            all.addAll(List.of("-d", end.device()));
        }
        all.addAll(args);
        if (player == Player.C) {
            Path program = Path.of("/usr/bin/ib_" + tool.replace('-', '_'));
            assertThat(program).as("package perftest").isExecutable();
            all.addFirst(program.toString());
            return ToolRun.process(all);
        }
        all.addFirst(tool);
        if (!args.contains("--warm-up")) {
            all.addAll(List.of("--warm-up", "20"));
        }
        String[] words = all.toArray(String[]::new);
        return player == Player.JAVA ? ToolRun.inProcess(words) : ToolRun.jar(words);
    }

    /** Runs both ends to their end, however that looks. */
    static Result run(String tool, Player server, Player client, List<String> args)
            throws InterruptedException {
        return run(tool, server, tool, client, args, args);
    }

    /** As above, with what each side has of its own. */
    static Result run(
            String serverTool,
            Player server,
            String clientTool,
            Player client,
            List<String> serverArgs,
            List<String> clientArgs)
            throws InterruptedException {
        int port = TcpPorts.free();
        try (ToolRun serving = start(serverTool, server, PingPong.SERVER, port, serverArgs)) {
            awaitListening(port, server, serving, serverArgs);
            List<String> call = PingPong.with(clientArgs, host(clientArgs));
            try (ToolRun calling = start(clientTool, client, PingPong.CLIENT, port, call)) {
                return new Result(serving.await(LIMIT), calling.await(LIMIT));
            }
        }
    }

    /** rdma_cm knows addresses of RDMA interfaces only. */
    private static String host(List<String> args) {
        return args.contains("-R") ? CmPlace.addresses().getFirst().getHostAddress() : "127.0.0.1";
    }

    /** Who listens by rdma_cm is not seen in /proc: ours says so, and our client tries again. */
    static void awaitListening(int port, Player player, ToolRun server, List<String> args)
            throws InterruptedException {
        if (!args.contains("-R")) {
            TcpPorts.awaitListening(port, server);
        } else if (player != Player.C) {
            Waits.until("the server to listen", () -> server.outSoFar().contains("Waiting"));
        }
    }

    /** Runs both ends and requires that they agree, in the words of the C tool. */
    static Result runWell(String tool, Pairing pairing, String... args)
            throws InterruptedException {
        Result result = run(tool, pairing.server, pairing.client, List.of(args));
        requireGood(tool + " server", pairing.server, result.server());
        requireGood(tool + " client", pairing.client, result.client());
        assertThat(addresses(result.client().out(), "remote"))
                .as("the client's remote are the server's local addresses")
                .isNotEmpty()
                .isEqualTo(addresses(result.server().out(), "local"));
        assertThat(addresses(result.server().out(), "remote"))
                .as("the server's remote are the client's local addresses")
                .isNotEmpty()
                .isEqualTo(addresses(result.client().out(), "local"));
        return result;
    }

    private static void requireGood(String who, Player player, ToolRun.Outcome outcome) {
        assertThat(outcome.status()).as("%s: %s", who, outcome).isZero();
        if (player != Player.C) { // the C tools warn about the clock of virtual machines
            assertThat(outcome.err()).as("%s: standard error", who).isEmpty();
        }
    }

    /** What is said about the queue pairs of a side, without the side. */
    private static List<String> addresses(String out, String side) {
        return out.lines()
                .filter(line -> line.startsWith(" " + side + " address: "))
                .map(line -> line.replaceFirst(" .* address: ", ""))
                .toList();
    }

    /** The lines of the table. */
    static List<Row> rows(ToolRun.Outcome outcome) {
        List<Row> rows = new ArrayList<>();
        outcome.out()
                .lines()
                .forEach(
                        line -> {
                            Matcher row = ROW.matcher(line);
                            if (row.matches()) {
                                rows.add(
                                        new Row(
                                                Long.parseLong(row.group(1)),
                                                Long.parseLong(row.group(2)),
                                                figures(row.group(3))));
                            }
                        });
        return rows;
    }

    private static List<Double> figures(String text) {
        List<Double> figures = new ArrayList<>();
        for (String figure : text.strip().split("\\s+", -1)) {
            figures.add(
                    switch (figure) {
                        case "inf" -> Double.POSITIVE_INFINITY;
                        case "nan", "-nan" -> Double.NaN;
                        default -> Double.parseDouble(figure);
                    });
        }
        return figures;
    }
}
