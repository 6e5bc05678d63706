package org.verbs4j.it;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.List;

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

    /**
     * Waits until a process listens at a port. A member of a multicast group is not listed: after a
     * time that is enough on hardware it is taken to be there.
     */
    static void awaitListener(int port) throws InterruptedException {
        long end = System.nanoTime() + TestPlace.limit(Duration.ofSeconds(2)).toNanos();
        while (System.nanoTime() < end) {
            try (ToolRun rdma = ToolRun.process(List.of("rdma", "resource", "show", "cm_id"))) {
                if (rdma.await(LIMIT)
                        .out()
                        .lines()
                        .anyMatch(
                                line ->
                                        line.contains("state LISTEN")
                                                && line.contains(":" + port + " "))) {
                    return;
                }
            }
            Thread.sleep(20);
        }
    }
}
