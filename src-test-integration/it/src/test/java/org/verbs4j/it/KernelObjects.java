package org.verbs4j.it;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.InetAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HexFormat;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.stream.Stream;

/** What the kernel keeps for all processes together. */
final class KernelObjects {
    private static final Duration LIMIT = Duration.ofSeconds(20);

    private KernelObjects() {}

    /** One line a device: how many objects of each kind there are. */
    static String show() throws InterruptedException {
        try (ToolRun rdma = ToolRun.process(List.of("rdma", "resource", "show"))) {
            ToolRun.Outcome outcome = rdma.await(LIMIT);
            assertThat(outcome.status()).as(outcome.err()).isZero();
            return outcome.out();
        }
    }

    /** Waits until they are as before: an id that was left, or a process that dies, takes time. */
    static void awaitSame(String before) throws InterruptedException {
        long end = System.nanoTime() + TestPlace.limit(LIMIT).toNanos();
        String now = show();
        while (!now.equals(before)) {
            assertThat(System.nanoTime() < end ? before : now).isEqualTo(before);
            Thread.sleep(100);
            now = show();
        }
    }

    /** Waits until a process listens at a port. */
    static void awaitListener(int port) throws Exception {
        String at = ":" + port + " ";
        await(
                "a listener at port " + port,
                () -> {
                    try (ToolRun rdma =
                            ToolRun.process(List.of("rdma", "resource", "show", "cm_id"))) {
                        return rdma.await(LIMIT)
                                .out()
                                .lines()
                                .anyMatch(
                                        line -> line.contains("state LISTEN") && line.contains(at));
                    }
                });
    }

    /**
     * Waits until a queue pair is attached to a group. Soft-RoCE asks its interface for the packets
     * of each such group, by the Ethernet address that IPv6 has for its last four bytes.
     *
     * @param group an IPv4 address
     */
    static void awaitMember(String group) throws Exception {
        String address =
                "3333" + HexFormat.of().formatHex(InetAddress.ofLiteral(group).getAddress());
        await(
                "a member of " + group,
                () -> {
                    try (Stream<String> lines = Files.lines(Path.of("/proc/net/dev_mcast"))) {
                        return lines.anyMatch(line -> line.endsWith(address));
                    }
                });
    }

    private static void await(String what, Callable<Boolean> there) throws Exception {
        long end = System.nanoTime() + TestPlace.limit(LIMIT).toNanos();
        while (!there.call()) {
            assertThat(System.nanoTime() - end).as("waiting for " + what).isNegative();
            Thread.sleep(20);
        }
    }
}
