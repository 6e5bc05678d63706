package org.verbs4j.examples;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

import java.util.Locale;

class PingPongReportTest {
    @Test
    void readsLikeTheLinesOfTheCTools() {
        // Seen from ibv_rc_pingpong -n 20.
        PingPongReport report = new PingPongReport(4096, 20, 617_933_000L);

        assertThat(report.throughput()).isEqualTo("163840 bytes in 0.62 seconds = 2.12 Mbit/sec");
        assertThat(report.latency()).isEqualTo("20 iters in 0.62 seconds = 30896.65 usec/iter");
    }

    @Test
    void countsMoreBytesThanAnIntHolds() {
        assertThat(new PingPongReport(1 << 20, 1_000_000, 1_000_000_000L).throughput())
                .startsWith("2097152000000 bytes in 1.00 seconds = ");
    }

    @Test
    void usesAPointWhateverTheLocale() {
        Locale before = Locale.getDefault();
        try {
            Locale.setDefault(Locale.GERMANY);
            assertThat(new PingPongReport(1, 1, 1_500_000_000L).latency())
                    .isEqualTo("1 iters in 1.50 seconds = 1500000.00 usec/iter");
        } finally {
            Locale.setDefault(before);
        }
    }
}
