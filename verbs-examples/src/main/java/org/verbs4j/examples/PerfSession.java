package org.verbs4j.examples;

import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.List;

/**
 * What both sides of perftest say to each other between what they measure. Keys are swapped much
 * more often than they change: each time is a barrier. Belongs to one thread.
 *
 * <pre>
 *                            send tests          latency of others    bandwidth of others
 *   before anything                              once
 *   to learn the keys        for each pair       for each pair        for each pair
 *   connected                once
 *   to print them            for each pair       for each pair        for each pair
 *   ready                                        once                 once
 *   a size is ready          once                                     once with -b
 *   a size is done           bandwidth with -a                        once with -a -b
 *   measured                                                          once without -b
 *   the end                  once, "done"        reads, atomics: once, "done"; writes: nothing
 * </pre>
 */
final class PerfSession {
    private final PerfPlan plan;
    private final PerfChannel channel;
    private final PerfEnds ends;
    private final List<PerfKeys> local;

    PerfSession(PerfPlan plan, PerfChannel channel, PerfEnds ends) {
        this.plan = plan;
        this.channel = channel;
        this.ends = ends;
        this.local = ends.keys();
    }

    PerfChannel channel() {
        return channel;
    }

    /** Connects all queue pairs, unless that has been done; says about each what the C tools do. */
    void connect(Tool tool, boolean withGid) throws InterruptedException {
        boolean sending = plan.verb() == PerfVerb.SEND;
        if (!sending && !plan.options().isBandwidth()) {
            meet();
        }
        for (PerfKeys keys : local) {
            PerfKeys remote = channel.swap(keys, step());
            requireSameFamily(keys, remote, withGid);
            if (plan.options().rdmaCm) {
                ends.connected(remote);
            } else {
                ends.connect(remote);
            }
        }
        if (sending) {
            meet();
        }
        // By rdma_cm the C tools tell no more of any test than of SEND.
        PerfVerb told = plan.options().rdmaCm ? PerfVerb.SEND : plan.verb();
        local.forEach(keys -> tool.print(keys.text("local", told, withGid)));
        for (PerfKeys keys : local) {
            tool.print(channel.swap(keys, step()).text("remote", told, withGid));
        }
        if (!sending) {
            meet();
        }
    }

    private void requireSameFamily(PerfKeys mine, PerfKeys theirs, boolean withGid) {
        if (withGid
                && !plan.options().rdmaCm
                && mine.gid().isIpv4Mapped() != theirs.gid().isIpv4Mapped()) {
            throw new ToolFailure(
                    "the GIDs %s here and %s of %s are of different IP versions: choose another with -x"
                            .formatted(mine.gid(), theirs.gid(), channel.peer()));
        }
    }

    private Duration step() {
        return plan.options().silenceLimit();
    }

    /** A barrier that the peer reaches soon. */
    void meet() throws InterruptedException {
        channel.swap(local.getFirst(), step());
    }

    /** A barrier that the peer reaches when it has measured. */
    void meetAfterTheRun() throws InterruptedException {
        channel.swap(
                local.getFirst(), TimeLimits.scaled(Duration.ofSeconds(plan.options().runSeconds)));
    }

    /** Gives what this side has measured and takes the peer's. */
    BandwidthReport swap(BandwidthReport mine) throws InterruptedException {
        return new BandwidthReport(
                swap(mine.size()),
                swap(mine.iterations()),
                swap(mine.peak()),
                swap(mine.average()),
                swap(mine.rate()));
    }

    private long swap(long mine) throws InterruptedException {
        byte[] bytes = ByteBuffer.allocate(Long.BYTES).putLong(mine).array();
        return ByteBuffer.wrap(channel.swap(bytes)).getLong();
    }

    private double swap(double mine) throws InterruptedException {
        return Double.longBitsToDouble(swap(Double.doubleToRawLongBits(mine)));
    }

    /** Nothing more is said, but the peer's last message may still have to be acknowledged. */
    void part() throws InterruptedException {
        channel.part();
    }

    /** The last word. */
    void end(boolean afterTheRun) throws InterruptedException {
        if (afterTheRun) {
            meetAfterTheRun();
        } else {
            meet();
        }
        channel.finish();
    }
}
