package org.verbs4j.internal;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;

class CallGateTest {
    private static final Duration LIMIT = Duration.ofSeconds(60);

    @Test
    void aShutGateLetsNobodyInAndIsNotBusy() {
        CallGate gate = new CallGate();
        assertThat(gate.enter()).isZero();
        gate.set(42);
        assertThat(gate.enter()).isEqualTo(42);
        gate.leave();
        CallGate.shut(gate);
        assertThat(gate.enter()).isZero();
        CallGate.shut(gate);
    }

    @Test
    void shutWaitsForTheCallUnderWay() throws InterruptedException {
        CallGate gate = new CallGate();
        gate.set(1);
        assertThat(gate.enter()).isEqualTo(1);
        AtomicBoolean shut = new AtomicBoolean();
        Thread closer =
                Thread.ofPlatform()
                        .start(
                                () -> {
                                    CallGate.shut(gate);
                                    shut.set(true);
                                });
        assertThat(closer.join(Duration.ofMillis(50))).isFalse();
        assertThat(shut).isFalse();
        gate.leave();
        assertThat(closer.join(LIMIT)).isTrue();
        assertThat(shut).isTrue();
    }

    @Test
    void noCallIsInsideWhenShutHasReturned() throws InterruptedException {
        for (int round = 0; round < 50; round++) {
            CallGate gate = new CallGate();
            gate.set(1);
            AtomicBoolean destroyed = new AtomicBoolean();
            AtomicLong wrong = new AtomicLong();
            Thread caller =
                    Thread.ofPlatform()
                            .start(
                                    () -> {
                                        while (gate.enter() != 0) {
                                            if (destroyed.getPlain()) {
                                                wrong.incrementAndGet();
                                            }
                                            gate.leave();
                                        }
                                    });
            Thread.sleep(round % 3);
            CallGate.shut(gate);
            destroyed.set(true);
            assertThat(caller.join(LIMIT)).isTrue();
            assertThat(wrong).hasValue(0);
        }
    }
}
