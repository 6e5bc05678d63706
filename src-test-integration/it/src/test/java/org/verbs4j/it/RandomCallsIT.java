package org.verbs4j.it;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.verbs4j.cm.EventChannel;

import java.time.Duration;
import java.util.Arrays;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.LongStream;

/**
 * Twenty thousand random calls with fixed seeds. {@code VERBS4J_SEED} in the environment runs
 * another one, {@code VERBS4J_TRACE} prints each step before it is taken, for a crash that leaves
 * no message.
 */
class RandomCallsIT {
    private static final int SEEDS = 4;
    private static final int STEPS = 20_000 / SEEDS;
    private static final Duration LIMIT = TestPlace.limit(Duration.ofMinutes(1));

    static LongStream seeds() {
        String own = System.getenv("VERBS4J_SEED");
        return own == null ? LongStream.rangeClosed(1, SEEDS) : LongStream.of(Long.parseLong(own));
    }

    @ParameterizedTest
    @MethodSource("seeds")
    void neverCrashNeverHangAndLeaveNothing(long seed) throws Exception {
        EventChannel.devices(); // opens the contexts that librdmacm keeps
        String before = KernelObjects.show();
        RandomIds calls = new RandomIds(seed);
        AtomicReference<Throwable> thrown = new AtomicReference<>();
        Thread caller =
                Thread.ofPlatform()
                        .daemon()
                        .name("random calls " + seed)
                        .start(
                                () -> {
                                    try {
                                        calls.take(STEPS);
                                        calls.closeAll();
                                    } catch (Throwable e) {
                                        thrown.set(e);
                                    }
                                });
        if (!caller.join(LIMIT)) {
            throw new AssertionError(
                    "seed "
                            + seed
                            + " hangs in "
                            + Arrays.toString(caller.getStackTrace())
                            + " after\n"
                            + calls.last());
        }
        if (thrown.get() != null) {
            throw new AssertionError("seed " + seed + ", after\n" + calls.last(), thrown.get());
        }
        assertThat(KernelObjects.show()).as("seed %d", seed).isEqualTo(before);
        assertThat(calls.done()).as("seed %d did something", seed).isGreaterThan(STEPS / 10);
        assertThat(calls.refused())
                .as("seed %d did something wrong", seed)
                .isGreaterThan(STEPS / 10);
    }
}
