package org.verbs4j.examples;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.verbs4j.examples.file.Transfer;

import java.io.PrintWriter;
import java.io.StringWriter;

class ProgressLineTest {
    private static final long MEBIBYTE = 1 << 20;

    private final StringWriter out = new StringWriter();
    private long now;

    private ProgressLine line(boolean live) {
        return new ProgressLine(new PrintWriter(out), live, () -> now);
    }

    /** A hundred chunks of 1 MiB, each after 100 ms. */
    private String transfer(boolean live) throws InterruptedException {
        ProgressLine line = line(live);
        line.during(
                () -> {
                    for (long i = 0; i <= 100; i++) {
                        line.at(i * MEBIBYTE, 100 * MEBIBYTE);
                        now += 100_000_000;
                    }
                    return new Transfer("file", 100 * MEBIBYTE, now, 1, true);
                });
        return out.toString();
    }

    @Test
    void onATerminalOneLineChanges() throws InterruptedException {
        String text = transfer(true);
        assertThat(text.lines()).hasSize(51); // a carriage return begins a line for Java, too
        assertThat(text)
                .startsWith("\r  2%  2.0 of 100.0 MiB  10.0 MiB/s\r  4%  4.0 of")
                .endsWith("\r100%  100.0 of 100.0 MiB  10.0 MiB/s\n")
                .containsOnlyOnce("\n");
    }

    @Test
    void elsewhereThereIsALineNowAndThen() throws InterruptedException {
        assertThat(transfer(false))
                .isEqualTo(
                        """
                         50%  50.0 of 100.0 MiB  10.0 MiB/s
                        100%  100.0 of 100.0 MiB  10.0 MiB/s
                        """);
    }

    @Test
    void whatIsDoneAtOnceLeavesNoLine() throws InterruptedException {
        ProgressLine line = line(true);
        Transfer done =
                line.during(
                        () -> {
                            line.at(5, 5);
                            return new Transfer("file", 5, 500_000_000, 0xabc, false);
                        });
        assertThat(out.toString()).isEmpty();
        assertThat(ProgressLine.text(done))
                .isEqualTo(
                        "file: 5 bytes in 0.50 s, 0.0 MiB/s, CRC-32C 00000abc, by way of a buffer,"
                                + " as the kernel does not lend out this mapping");
    }
}
