package org.verbs4j.examples;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import org.junit.jupiter.api.Test;

import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.stream.LongStream;

/** What perftest 4.5 would have made of the same times. */
class PerfReportTest {
    /** Messages that took 2, 4, 6 ... 2n microseconds there and back. */
    private static long[] posted(int messages) {
        return LongStream.range(0, messages).map(i -> i * (i + 1) * 1000).toArray();
    }

    @Test
    void latencyIsHalfTheTimeAndTheTwoLongestDoNotCount() {
        LatencyReport report = LatencyReport.of(PerfVerb.SEND, 2, posted(1003));

        assertThat(report.times()).isEqualTo(1002);
        assertThat(report.min()).isEqualTo(1);
        assertThat(report.median()).isEqualTo(500.5);
        assertThat(report.averageMicros()).isEqualTo(500.5);
        assertThat(report.max()).isEqualTo(1001);
        assertThat(report.percentile(0.99)).isEqualTo(991);
        assertThat(report.percentile(0.999)).isEqualTo(1000);
        assertThat(report.standardDeviation()).isCloseTo(288.675, within(0.001));
    }

    @Test
    void aRoundTripIsOneOperation() {
        assertThat(LatencyReport.of(PerfVerb.READ, 2, posted(7)).min()).isEqualTo(2);
    }

    @Test
    void theLineIsThatOfTheCTool() {
        assertThat(LatencyReport.of(PerfVerb.SEND, 2, posted(1003)).row())
                .isEqualTo(
                        " 2       1003          1.00           1001.00      500.50   \t       "
                                + "500.50      \t288.67 \t\t991.00  \t\t1000.00");
        assertThat(LatencyReport.of(PerfVerb.WRITE, 64, 1000, 1_000_000_000).row())
                .isEqualTo(" 64            1000            500.00         1000.00");
        assertThat(new BandwidthReport(65536, 5000, 12.5, 11.25, 0.00018).row(false))
                .isEqualTo(
                        " 65536      5000             12.50              11.25  \t\t   0.000180");
        assertThat(new BandwidthReport(2, 10, 0.01, 0.02, 0.5).row(true))
                .isEqualTo(
                        " 2          10           0.010000            0.020000           "
                                + " 0.500000");
    }

    @Test
    void aPictureHasACurveForEachSize() {
        LatencyReport small = LatencyReport.of(PerfVerb.SEND, 2, posted(1003));
        LatencyReport large = LatencyReport.of(PerfVerb.SEND, 8 << 20, posted(103));
        String svg =
                new String(
                        new PercentilePlot("send-lat", List.of(small, large)).svg(),
                        StandardCharsets.UTF_8);

        assertThat(svg)
                .startsWith("<svg ")
                .endsWith("</svg>\n")
                .contains("send-lat", "2 B", "8 MiB", "99.9 %", "1,000 µs")
                .doesNotContain("NaN", "Infinity");
        assertThat(svg.split("<polyline", -1)).hasSize(3);
    }

    @Test
    void jsonIsWellFormed() {
        assertThat(Json.of(List.of(1, true, "a\"b\n", Double.NaN)))
                .isEqualTo("[1,\n  true,\n  \"a\\\"b\\u000a\",\n  null]");
    }
}
