package org.verbs4j.examples;

import org.verbs4j.examples.file.Transfer;

import java.io.Console;
import java.io.PrintWriter;
import java.util.Locale;
import java.util.function.LongSupplier;

/**
 * How far a transfer is: on a terminal a line that changes, elsewhere a line now and then. Belongs
 * to one thread.
 */
final class ProgressLine implements Transfer.Progress {
    private static final long LIVE_NANOS = 200_000_000L;
    private static final long LOGGED_NANOS = 5_000_000_000L;
    private static final double MEBIBYTE = 1 << 20;

    private final PrintWriter out;
    private final boolean live;
    private final LongSupplier clock;
    private boolean started;
    private long start;
    private long last;
    private boolean shown;

    ProgressLine(PrintWriter out) {
        this(out, isTerminal(), System::nanoTime);
    }

    /**
     * @param live whether a line can change
     * @param clock in nanoseconds
     */
    ProgressLine(PrintWriter out, boolean live, LongSupplier clock) {
        this.out = out;
        this.live = live;
        this.clock = clock;
    }

    @SuppressWarnings("SystemConsoleNull") // JDK 25 is back to null when there is no terminal
    static boolean isTerminal() {
        Console console = System.console();
        return console != null && console.isTerminal();
    }

    /** What takes so long that somebody wants to see how far it is. */
    interface Work {
        Transfer run() throws InterruptedException;
    }

    /** Does the work, and leaves the line that changes however it ends. */
    Transfer during(Work work) throws InterruptedException {
        try {
            return work.run();
        } finally {
            if (shown && live) {
                out.print('\n');
                out.flush();
            }
        }
    }

    @Override
    public void at(long done, long all) {
        long now = clock.getAsLong();
        if (!started) { // waiting for a peer does not count
            started = true;
            start = now;
            last = now;
        }
        if (now - last < (live ? LIVE_NANOS : LOGGED_NANOS) && !(shown && done == all)) {
            return;
        }
        last = now;
        shown = true;
        String line =
                String.format(
                        Locale.ROOT,
                        "%3d%%  %.1f of %.1f MiB  %.1f MiB/s",
                        done * 100 / all,
                        done / MEBIBYTE,
                        all / MEBIBYTE,
                        done / MEBIBYTE / ((now - start) / 1e9));
        out.print(live ? "\r" + line : line + "\n");
        out.flush();
    }

    /** How it came out. */
    static String text(Transfer transfer) {
        double seconds = transfer.nanos() / 1e9;
        return String.format(
                Locale.ROOT,
                "%s: %d bytes in %.2f s, %.1f MiB/s, CRC-32C %08x, %s",
                transfer.name(),
                transfer.bytes(),
                seconds,
                transfer.bytes() / MEBIBYTE / seconds,
                transfer.sum(),
                transfer.isMapped()
                        ? "mapped"
                        : "by way of a buffer, as the kernel does not lend out this mapping");
    }
}
