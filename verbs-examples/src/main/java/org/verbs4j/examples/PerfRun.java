package org.verbs4j.examples;

/** One side's part in measuring one size after the other. Belongs to one thread at a time. */
abstract class PerfRun implements AutoCloseable {
    final PerfPlan plan;
    final PerfEnds ends;
    final RunClock clock;
    final RunCounts counts = new RunCounts();

    PerfRun(PerfPlan plan, PerfEnds ends) {
        this.plan = plan;
        this.ends = ends;
        this.clock =
                plan.isTimed()
                        ? new RunClock(plan.options().seconds, plan.margin())
                        : new RunClock(0, 0);
    }

    static PerfRun of(PerfPlan plan, PerfEnds ends) {
        return plan.options().isBandwidth()
                ? new BandwidthRun(plan, ends)
                : new LatencyRun(plan, ends);
    }

    /** Gets ready for messages of a size; the peer may send afterwards. */
    abstract void prepare(long size);

    /** Runs to the end. */
    abstract void run() throws InterruptedException;

    /** Measures every size, in step with the peer. */
    abstract void measure(PerfSession session, Tool tool, PerfProgress progress, PerfOutput output)
            throws InterruptedException;

    /** How far it is, for another thread. */
    RunCounts counts() {
        return counts;
    }

    @Override
    public void close() {
        clock.close();
    }
}
