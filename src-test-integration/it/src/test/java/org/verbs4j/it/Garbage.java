package org.verbs4j.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.sun.management.ThreadMXBean;

import java.lang.management.ManagementFactory;
import java.util.function.IntConsumer;

/** What operations allocate, counted exactly for this thread alone. */
final class Garbage {
    private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    private static final String ONE_COMPILER = "-XX:TieredStopAtLevel=1";
    private static final int MOST_WARM_UPS = 20;

    private Garbage() {}

    /** Skips a test where the JVM has been told to do without the compiler that removes garbage. */
    static void assumeRemoved() {
        assumeTrue(
                !ManagementFactory.getRuntimeMXBean().getInputArguments().contains(ONE_COMPILER),
                "this JVM runs with " + ONE_COMPILER + ", which leaves garbage in");
    }

    /**
     * Asserts that operations allocate nothing once they are compiled, where garbage is {@linkplain
     * #assumeRemoved removed}. The compiler works beside the test for as long as the machine lets
     * it: a warm-up that allocates nothing tells that it is done.
     *
     * @param operations does as many as it is told
     */
    static void assertNone(String what, int warmUp, int count, IntConsumer operations) {
        assumeRemoved();
        for (int round = 0; round < MOST_WARM_UPS && of(operations, warmUp) > 0; round++) {}
        long allocated = of(operations, count);
        System.out.println(what + ": " + allocated + " B allocated by " + count + " operations");
        assertThat(allocated).as(what).isZero();
    }

    private static long of(IntConsumer operations, int count) {
        long empty = THREADS.getCurrentThreadAllocatedBytes();
        long perReading = THREADS.getCurrentThreadAllocatedBytes() - empty;
        long before = THREADS.getCurrentThreadAllocatedBytes();
        operations.accept(count);
        return THREADS.getCurrentThreadAllocatedBytes() - before - perReading;
    }
}
