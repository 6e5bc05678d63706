package org.verbs4j.it;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * Every wait ends: on success, failure, time-out, interrupt, and when another thread closes what is
 * waited on; in platform threads and in virtual ones. {@link WaitsTest} sees that none is missing.
 */
@Timeout(value = 3, unit = TimeUnit.MINUTES)
class WaitsIT {
    private static final Duration LONG = Duration.ofMinutes(10);
    private static final Duration SHORT = Duration.ofMillis(200);

    static List<Arguments> ends() {
        List<Arguments> all = new ArrayList<>();
        for (BlockingCalls.Row row : BlockingCalls.ALL) {
            for (BlockingCalls.End end : BlockingCalls.End.values()) {
                if (row.has(end)) {
                    all.add(Arguments.of(row, end, false));
                    all.add(Arguments.of(row, end, true));
                }
            }
        }
        return all;
    }

    @ParameterizedTest(name = "{0} ends on {1}, virtual {2}")
    @MethodSource("ends")
    void aWaitEnds(BlockingCalls.Row row, BlockingCalls.End end, boolean virtual) throws Exception {
        try (BlockingCall call = row.maker().call()) {
            if (end == BlockingCalls.End.TIME_OUT) {
                long start = System.nanoTime();
                Object late = Waiting.begin(virtual, () -> call.await(SHORT)).end();
                assertThat(System.nanoTime() - start).isGreaterThanOrEqualTo(SHORT.toNanos());
                assertThat(String.valueOf(late)).matches(row.late());
                return;
            }
            Waiting waiting = Waiting.start(virtual, () -> call.await(LONG));
            switch (end) {
                case SUCCESS -> {
                    call.succeed();
                    assertThat(String.valueOf(waiting.end())).matches(row.success());
                }
                case FAILURE -> {
                    call.fail();
                    assertThat(String.valueOf(waiting.end())).matches(row.failure());
                }
                case INTERRUPT -> {
                    waiting.thread().interrupt();
                    assertThat(waiting.end()).isInstanceOf(InterruptedException.class);
                }
                case CLOSE -> {
                    call.closeWaitedOn();
                    assertThat(waiting.end()).isInstanceOf(IllegalStateException.class);
                }
                default -> throw new AssertionError(end);
            }
        }
    }
}
