package org.verbs4j.examples;

import org.jspecify.annotations.Nullable;
import org.verbs4j.CompletionChannel;
import org.verbs4j.CompletionQueue;

import java.time.Duration;

/**
 * A bandwidth test's part: it sends, or receives, or with {@code -b} both. Of a test that is not of
 * SEND, the server has no part but to wait.
 */
final class BandwidthRun extends PerfRun {
    private final PerfWait wait;
    private @Nullable BandwidthSends sends;
    private @Nullable BandwidthReceives receives;
    private BandwidthReport last = BandwidthReport.NOTHING;
    private long size;
    private long began;
    private long ended;

    BandwidthRun(PerfPlan plan, PerfEnds ends) {
        super(plan, ends);
        this.wait = new PerfWait(plan, clock, counts);
    }

    @Override
    void prepare(long bytes) {
        counts.reset();
        size = bytes;
        sends = plan.sends() ? new BandwidthSends(plan, ends, bytes, clock, counts) : null;
        receives = plan.receives() ? new BandwidthReceives(plan, ends, bytes, clock, counts) : null;
    }

    /**
     * The client sends at once, the server of both directions once something has come: before, its
     * client may not be ready.
     */
    @Override
    void run() throws InterruptedException {
        boolean begun = false;
        wait.renew();
        while (!isDone()) {
            if (!begun && (receives == null || plan.isClient())) {
                begun = true;
                begin();
            }
            int taken = receives == null ? 0 : receives.take();
            if (!begun && taken > 0) {
                begun = true;
                begin();
            }
            if (sends != null && begun) {
                sends.post();
                taken += sends.complete();
            }
            if (taken > 0) {
                wait.renew();
            } else if (!idle()) {
                break;
            }
        }
        ended = System.nanoTime();
    }

    private void begin() {
        began = System.nanoTime();
        clock.start();
    }

    private boolean isDone() {
        boolean sent = sends == null || sends.isDone();
        boolean received = receives == null || receives.isDone();
        return clock.hasEnded() || (sent && received);
    }

    private boolean idle() throws InterruptedException {
        CompletionChannel channel = ends.channel();
        if (channel == null) {
            return wait.pause();
        }
        if (receives != null) {
            ends.receives().requestNotification(false);
        }
        if (sends != null) {
            ends.sends().requestNotification(false);
        }
        // What has come in between does not notify.
        int taken = receives == null ? 0 : receives.take();
        taken += sends == null ? 0 : sends.complete();
        if (taken == 0) {
            sleep(channel);
        }
        return true;
    }

    private void sleep(CompletionChannel channel) throws InterruptedException {
        Duration limit = plan.options().silenceLimit();
        CompletionQueue notified = channel.await(limit);
        if (notified == null) {
            throw wait.stalled();
        }
    }

    private BandwidthReport report() {
        boolean timed = plan.isTimed();
        return BandwidthReport.of(
                plan,
                size,
                timed ? counts.sampled : (long) plan.iterations() * ends.count(),
                sends == null ? 0 : sends.peakNanos(),
                timed ? clock.sampledNanos() : ended - began);
    }

    @Override
    void measure(PerfSession session, Tool tool, PerfProgress progress, PerfOutput output)
            throws InterruptedException {
        boolean gigabits = plan.options().gigabits;
        tool.print(LatencyReport.LINE);
        tool.print(BandwidthReport.head(gigabits));
        if (!plan.sends() && !plan.receives()) {
            session.meetAfterTheRun();
            BandwidthReport theirs = session.swap(BandwidthReport.NOTHING);
            tool.print(theirs.row(gigabits));
            output.add(theirs);
        } else {
            for (long bytes : plan.sizes()) {
                progress.measuring(bytes);
                BandwidthReport report = measure(bytes, session);
                tool.print(report.row(gigabits));
                output.add(report);
            }
            closeTest(session);
        }
        tool.print(LatencyReport.LINE);
        session.end(false);
    }

    private BandwidthReport measure(long bytes, PerfSession session) throws InterruptedException {
        boolean sending = plan.verb() == PerfVerb.SEND;
        boolean duplex = plan.options().duplex;
        boolean all = plan.options().all;
        prepare(bytes);
        if (sending || duplex) {
            session.meet();
        }
        run();
        if (!sending && duplex && all) {
            session.meet();
        }
        BandwidthReport report = report();
        last = report;
        if (duplex && !(sending && plan.isTimed())) {
            report = report.plus(session.swap(report));
        }
        if (sending && all) {
            session.meet();
        }
        return report;
    }

    /** The server that only waits wants to print something, too. */
    private void closeTest(PerfSession session) throws InterruptedException {
        if (plan.verb() != PerfVerb.SEND && !plan.options().duplex) {
            session.meet();
            session.swap(last);
        }
    }
}
