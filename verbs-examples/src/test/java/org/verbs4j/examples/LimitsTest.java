package org.verbs4j.examples;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.time.Duration;

class LimitsTest {
    @Test
    @Timeout(30)
    void aBusyWaitGivesUp() {
        BusyWait wait = new BusyWait(Duration.ofMillis(20));
        while (wait.pause()) {}
        assertThat(wait.pause()).as("two polls later").isTrue();
    }

    @Test
    void aBusyWaitStartsAnewWithEveryEvent() {
        BusyWait wait = new BusyWait(Duration.ofMillis(200));
        long end = System.nanoTime() + Duration.ofMillis(600).toNanos();
        while (System.nanoTime() < end) {
            for (int i = 0; i < 100_000; i++) {
                assertThat(wait.pause()).isTrue();
            }
            wait.reset();
        }
    }

    @ParameterizedTest
    @CsvSource({",1", "3,3", "2.5,2.5", "0,1", "-4,1", "NaN,1", "lots,1", "100000,1"})
    void theScaleOfTimeNeverShortensALimit(String text, double scale) {
        assertThat(TimeLimits.scale(text)).isEqualTo(scale);
    }
}
