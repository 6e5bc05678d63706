package org.verbs4j.examples;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * Tries the way to another machine, layer by layer, by the tools that are there for it. The other
 * side runs the same tools, of Java or of C.
 */
final class PeerChecks {
    private static final String ROUNDS = "100";

    private PeerChecks() {}

    /** What a tool came to. */
    private record Outcome(int status, String out, String err) {
        static Outcome of(String... args) {
            StringWriter out = new StringWriter();
            StringWriter err = new StringWriter();
            int status = Main.run(new PrintWriter(out, true), new PrintWriter(err, true), args);
            return new Outcome(status, out.toString(), err.toString().strip());
        }
    }

    static List<Finding> of(String host) {
        List<Finding> findings = new ArrayList<>();
        Outcome game = Outcome.of("rc-pingpong", "-e", "-n", ROUNDS, host);
        boolean met = game.out().contains("remote address");
        findings.add(
                met
                        ? Finding.ok("TCP", host + " answers")
                        : Finding.blocks(
                                "TCP",
                                game.err(),
                                "is `doctor --serve` running there, and is TCP 18515 let"
                                        + " through?"));
        Outcome connection = Outcome.of("rping", "-c", "-a", host, "-C", "1", "--timeout", "8");
        findings.add(
                connection.status() == 0
                        ? Finding.ok(
                                "rdma_cm", "a connection by IP address, and a message each way")
                        : Finding.blocks(
                                "rdma_cm",
                                connection.err(),
                                "is `doctor --serve` running there, and is the address one of its"
                                        + " RDMA device's interface?"));
        if (met) {
            findings.add(
                    game.status() == 0
                            ? Finding.ok(
                                    "RC ping-pong",
                                    game.out().lines().reduce("", (before, last) -> last))
                            : Finding.blocks(
                                    "RC ping-pong",
                                    game.err(),
                                    "TCP works, RDMA does not: UDP 4791 dropped on the way, GIDs of"
                                            + " different subnets, or MTUs that differ"));
        }
        return findings;
    }

    /** The other side of {@link #of}. */
    static void serve(Tool tool) throws InterruptedException {
        tool.print("waiting for `doctor <host>`: TCP 18515, rdma_cm 7174");
        List<Outcome> ended = new ArrayList<>();
        Thread connections =
                Thread.ofPlatform()
                        .daemon()
                        .start(() -> ended.add(Outcome.of("rping", "-s", "-a", "0.0.0.0")));
        Outcome game = Outcome.of("rc-pingpong", "-e", "-n", ROUNDS);
        if (game.status() != 0) {
            throw new ToolFailure(game.err());
        }
        connections.join(TimeLimits.scaled(Duration.ofSeconds(10)));
        if (connections.isAlive()) {
            throw new ToolFailure("no connection by rdma_cm came within 10 s of the ping-pong");
        }
        if (ended.getFirst().status() != 0) {
            throw new ToolFailure(ended.getFirst().err());
        }
        tool.print("served");
    }
}
