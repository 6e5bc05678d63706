package org.verbs4j.it;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.verbs4j.cm.EventChannel;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.ToIntFunction;

/**
 * Random calls on connections with fixed seeds, by one thread and by several on the same objects.
 * {@code VERBS4J_TRACE} prints each step before it is taken, for a crash that leaves no message.
 */
class RandomConnectionsIT {
    private static final int STEPS = 600;
    private static final Duration LIMIT = TestPlace.limit(Duration.ofMinutes(1));

    /** A caller and what it has thrown. */
    private record Caller(
            RandomConnections calls, AtomicReference<Throwable> thrown, Thread thread) {
        static Caller start(RandomConnections calls, int steps) {
            AtomicReference<Throwable> thrown = new AtomicReference<>();
            Thread thread =
                    Thread.ofPlatform()
                            .daemon()
                            .start(
                                    () -> {
                                        try {
                                            calls.take(steps);
                                        } catch (Throwable e) {
                                            thrown.set(e);
                                        }
                                    });
            return new Caller(calls, thrown, thread);
        }

        void join() throws InterruptedException {
            if (!thread.join(LIMIT)) {
                throw new AssertionError(
                        "hangs in "
                                + Arrays.toString(thread.getStackTrace())
                                + " after\n"
                                + calls.last());
            }
            if (thrown.get() != null) {
                throw new AssertionError("after\n" + calls.last(), thrown.get());
            }
        }
    }

    @ParameterizedTest
    @CsvSource({"1, 1", "2, 1", "3, 3", "4, 3"})
    void neverCrashNeverHangAndLeaveNothing(long seed, int threads) throws Exception {
        EventChannel.devices(); // the C library opens them once and keeps them
        String before = KernelObjects.show();
        RandomConnections.Things things = new RandomConnections.Things();
        List<Caller> callers = new ArrayList<>();
        for (int i = 0; i < threads; i++) {
            RandomConnections calls = new RandomConnections(seed * 10 + i, things);
            callers.add(Caller.start(calls, STEPS / threads));
        }
        for (Caller caller : callers) {
            caller.join();
        }
        things.close();
        KernelObjects.awaitSame(before);
        // What one caller finds to call depends on what the others leave.
        assertThat(sum(callers, RandomConnections::done)).isGreaterThan(STEPS / 10);
        assertThat(sum(callers, RandomConnections::refused)).isGreaterThan(STEPS / 10);
    }

    private static int sum(List<Caller> callers, ToIntFunction<RandomConnections> count) {
        return callers.stream().map(Caller::calls).mapToInt(count).sum();
    }
}
