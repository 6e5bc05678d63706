package org.verbs4j.it;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Assumptions;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** One more soft-RoCE device in a guest, whose link a test may take down. */
final class SpareDevice implements AutoCloseable {
    private static final String NAME = "rxespare";
    private static final String NETDEV = "spare0";

    private SpareDevice() {}

    static SpareDevice make() throws Exception {
        Assumptions.assumeFalse(TestPlace.engine().equals("host"), "not on a host's own network");
        SpareDevice spare = new SpareDevice();
        spare.ip("link", "add", NETDEV, "type", "veth", "peer", "name", "spare1");
        try {
            spare.ip("link", "set", "spare1", "up");
            spare.ip("link", "set", NETDEV, "up");
            run("rdma", "link", "add", NAME, "type", "rxe", "netdev", NETDEV);
            return spare;
        } catch (Exception | AssertionError e) {
            spare.ip("link", "del", NETDEV);
            throw e;
        }
    }

    String name() {
        return NAME;
    }

    String netdev() {
        return NETDEV;
    }

    void ip(String... arguments) throws Exception {
        List<String> command = new ArrayList<>(List.of("ip"));
        command.addAll(List.of(arguments));
        run(command.toArray(String[]::new));
    }

    private static void run(String... command) throws Exception {
        Process process = new ProcessBuilder(command).inheritIO().start();
        assertThat(process.waitFor(1, TimeUnit.MINUTES)).isTrue();
        assertThat(process.exitValue()).as(String.join(" ", command)).isZero();
    }

    @Override
    public void close() throws Exception {
        run("rdma", "link", "delete", NAME);
        ip("link", "del", NETDEV);
    }
}
