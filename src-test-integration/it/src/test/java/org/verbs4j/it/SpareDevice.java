package org.verbs4j.it;

import static org.assertj.core.api.Assertions.assertThat;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Assumptions;
import org.verbs4j.Devices;

import java.net.InetAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** One more soft-RoCE device in a guest, whose link a test may take down, or which it removes. */
final class SpareDevice implements AutoCloseable {
    private static final String NAME = "rxespare";
    private static final String NETDEV = "spare0";

    private @Nullable ToolRun removal;

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

    /** Gives it an address, and waits until the device knows it. */
    SpareDevice withAddress(String address) throws Exception {
        try {
            ip("addr", "add", address + "/24", "dev", NETDEV);
            InetAddress wanted = InetAddress.ofLiteral(address);
            Waits.until(
                    "the address of " + NAME,
                    () -> CmPlace.addresses(Devices.byName(NAME)).contains(wanted));
            return this;
        } catch (Exception | AssertionError e) {
            close();
            throw e;
        }
    }

    /** Begins to remove the device, which may not end before nobody has it open. */
    ToolRun remove() {
        ToolRun begun = ToolRun.process(List.of("rdma", "link", "delete", NAME));
        removal = begun;
        return begun;
    }

    @Override
    public void close() throws Exception {
        try (ToolRun begun = removal == null ? remove() : removal) {
            ToolRun.Outcome outcome = begun.await(Duration.ofMinutes(1));
            assertThat(outcome.status()).as(outcome.err()).isZero();
        } finally {
            ip("link", "del", NETDEV);
        }
    }
}
