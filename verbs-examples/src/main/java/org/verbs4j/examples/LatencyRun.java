package org.verbs4j.examples;

import org.jspecify.annotations.Nullable;

import java.util.Objects;

/** A latency test's part. */
final class LatencyRun extends PerfRun {
    private final long[] posted;
    private @Nullable LatencyLoop loop;
    private long size;

    LatencyRun(PerfPlan plan, PerfEnds ends) {
        super(plan, ends);
        this.posted = new long[plan.sends() ? plan.iterations() : 0];
    }

    @Override
    void prepare(long bytes) {
        counts.reset();
        if (loop == null || size != bytes) {
            size = bytes;
            loop = LatencyLoop.of(plan, ends, bytes, clock, counts);
        }
        loop.prepare();
    }

    @Override
    void run() throws InterruptedException {
        if (plan.sends()) {
            Objects.requireNonNull(loop).run(posted);
        }
    }

    @Override
    void measure(PerfSession session, Tool tool, PerfProgress progress, PerfOutput output)
            throws InterruptedException {
        if (plan.verb().isRoundTrip() && !plan.isClient()) {
            session.end(true);
            tool.print(LatencyReport.LINE);
            return;
        }
        tool.print(LatencyReport.LINE);
        tool.print(LatencyReport.head(plan.isTimed()));
        for (long bytes : plan.sizes()) {
            prepare(bytes);
            if (plan.verb() == PerfVerb.SEND) {
                session.meet();
            }
            progress.measuring(bytes);
            run();
            LatencyReport report = report();
            tool.print(report.row());
            output.add(report);
        }
        tool.print(LatencyReport.LINE);
        if (plan.verb() == PerfVerb.WRITE) {
            session.part();
        } else {
            session.end(false);
        }
    }

    private LatencyReport report() {
        return plan.isTimed()
                ? LatencyReport.of(plan.verb(), size, counts.sampled, clock.sampledNanos())
                : LatencyReport.of(plan.verb(), size, posted);
    }
}
