package org.verbs4j.examples;

import java.io.PrintWriter;
import java.time.Duration;
import java.util.Locale;

/**
 * Tells each second how far a run is, on standard error, when that is a terminal or when asked for.
 */
final class PerfProgress implements AutoCloseable {
    private static final Duration PERIOD = Duration.ofSeconds(1);

    private final PerfRun run;
    private final PrintWriter err;
    private final boolean terminal;
    private final Thread teller =
            Thread.ofPlatform().daemon().name("progress").unstarted(this::tell);
    private volatile long size;

    PerfProgress(PerfRun run, PrintWriter err) {
        this.run = run;
        this.err = err;
        this.terminal = ProgressLine.isTerminal();
        Boolean wanted = run.plan.options().progress;
        if (wanted == null ? terminal : wanted) {
            teller.start();
        }
    }

    /** What is being measured from now on. */
    void measuring(long bytes) {
        size = bytes;
    }

    private void tell() {
        long start = System.nanoTime();
        try {
            while (true) {
                Thread.sleep(PERIOD);
                say(System.nanoTime() - start);
            }
        } catch (InterruptedException _) {
            if (terminal) {
                err.print("\r\033[K");
                err.flush();
            }
        }
    }

    private void say(long nanos) {
        RunCounts counts = run.counts();
        long done = Math.max(counts.sent, counts.received);
        long all = (long) run.plan.iterations() * run.ends.count();
        String line =
                String.format(
                        Locale.ROOT,
                        "%d bytes: %d%s after %d s",
                        size,
                        done,
                        all == 0 ? "" : " of " + all,
                        nanos / 1_000_000_000L);
        err.print(terminal ? "\r\033[K" + line : line + "\n");
        err.flush();
    }

    @Override
    public void close() {
        if (!teller.isAlive()) {
            return;
        }
        teller.interrupt();
        try {
            teller.join(PERIOD);
        } catch (InterruptedException _) {
            Thread.currentThread().interrupt();
        }
    }
}
