package org.verbs4j;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.verbs4j.bindings.Posix;
import org.verbs4j.cm.Drains;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;

/** A drain of a queue pair that never gives back what it owes ends all the same. */
@Timeout(value = 1, unit = TimeUnit.MINUTES)
class DrainTest {
    private static final Duration LONG = Duration.ofMinutes(10);

    private final FakeDevice device = new FakeDevice();

    /** The send's marker is taken, the receive queue stays full, and nothing completes. */
    DrainTest() {
        device.failAt = 1;
        device.errno = Posix.ENOMEM();
    }

    @Test
    void byItsTimeOut() throws Exception {
        assertThat(Drains.run(device.pair, Duration.ofMillis(20), () -> {})).isFalse();
    }

    @Test
    void byAnInterrupt() {
        Thread.currentThread().interrupt();
        assertThatThrownBy(() -> Drains.run(device.pair, LONG, () -> {}))
                .isInstanceOf(InterruptedException.class);
        assertThat(Thread.interrupted()).isFalse();
    }

    @Test
    void byTheCloseOfItsConnection() throws Exception {
        AtomicBoolean closed = new AtomicBoolean();
        CompletableFuture<Throwable> outcome = new CompletableFuture<>();
        Thread.ofPlatform()
                .start(
                        () -> {
                            try {
                                Drains.run(device.pair, LONG, () -> requireNot(closed));
                                outcome.complete(new AssertionError("it cannot succeed"));
                            } catch (Throwable e) {
                                outcome.complete(e);
                            }
                        });
        Thread.sleep(20);
        assertThat(outcome).isNotDone();
        closed.set(true);
        assertThat(outcome.get(30, TimeUnit.SECONDS)).isInstanceOf(IllegalStateException.class);
    }

    private static void requireNot(AtomicBoolean closed) {
        if (closed.get()) {
            throw new IllegalStateException("closed");
        }
    }
}
