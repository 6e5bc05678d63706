package org.verbs4j.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;

import java.lang.invoke.MethodHandles;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;

class CallGateTest {
    private static final Duration LIMIT = Duration.ofSeconds(60);

    @SuppressWarnings("unused") // by the gate
    private static final class Guarded {
        static final CallGate GATE = CallGate.of(MethodHandles.lookup(), "open", "busy");

        private long open;
        private boolean busy;

        long enter() {
            return GATE.enter(this);
        }

        void leave() {
            GATE.leave(this);
        }

        void shut() {
            CallGate.shut(this, GATE);
        }

        Guarded open() {
            GATE.set(this, 42);
            return this;
        }
    }

    @Test
    void aShutGateLetsNobodyInAndIsNotBusy() {
        Guarded gate = new Guarded();
        assertThat(gate.enter()).isZero();
        gate.open();
        assertThat(gate.enter()).isEqualTo(42);
        gate.leave();
        gate.shut();
        assertThat(gate.enter()).isZero();
        gate.shut();
    }

    @Test
    void aGateWithoutItsFieldsIsAFaultOfTheClass() {
        assertThatThrownBy(() -> CallGate.of(MethodHandles.lookup(), "none", "neither"))
                .isInstanceOf(LinkageError.class);
    }

    @Test
    void shutWaitsForTheCallUnderWay() throws InterruptedException {
        Guarded gate = new Guarded().open();
        assertThat(gate.enter()).isEqualTo(42);
        AtomicBoolean shut = new AtomicBoolean();
        Thread closer =
                Thread.ofPlatform()
                        .start(
                                () -> {
                                    gate.shut();
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
            Guarded gate = new Guarded().open();
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
            gate.shut();
            destroyed.set(true);
            assertThat(caller.join(LIMIT)).isTrue();
            assertThat(wrong).hasValue(0);
        }
    }
}
