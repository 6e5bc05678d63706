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
}
