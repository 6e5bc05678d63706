package org.verbs4j.examples;

import org.jspecify.annotations.Nullable;
import org.verbs4j.DeviceContext;

import java.util.Locale;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/**
 * What a JIT compiler needs before something is measured, done before the peer is met, so that it
 * notices nothing: the same loops on two queue pairs of this process that are connected to each
 * other.
 *
 * @param messages exchanged
 * @param nanos that it took
 */
record PerfWarmUp(long messages, long nanos) {
    /** Loops are compiled as a whole when they are called often, too. */
    private static final int ROUND = 500;

    private static final long LONGEST = 2_000_000_000L;

    /** Does it, unless none is asked for. */
    static @Nullable PerfWarmUp run(DeviceContext context, PortChoice port, PerfPlan plan)
            throws InterruptedException {
        int wanted = plan.options().warmUp;
        if (wanted == 0) {
            return null;
        }
        int list = plan.options().postList;
        int round = Math.max(list, Math.min(wanted, ROUND) / list * list);
        PerfPath path = PerfPath.local(port, plan.options());
        PerfPlan here = plan.warmUp(true, round);
        PerfPlan there = plan.warmUp(false, round);
        long start = System.nanoTime();
        long messages = 0;
        try (PerfEnds client = new PerfEnds(context, port, here, path, 1);
                PerfEnds server = new PerfEnds(context, port, there, path, 1);
                ExecutorService other = Executors.newSingleThreadExecutor(PerfWarmUp::daemon)) {
            PerfKeys ofClient = client.keys().getFirst();
            client.connect(server.keys().getFirst());
            server.connect(ofClient);
            PerfRun mine = PerfRun.of(here, client);
            PerfRun theirs = PerfRun.of(there, server);
            while (messages < wanted && System.nanoTime() - start < LONGEST) {
                round(mine, theirs, here.size(), other);
                messages += round;
            }
        }
        return new PerfWarmUp(messages, System.nanoTime() - start);
    }

    private static Thread daemon(Runnable task) {
        return Thread.ofPlatform().daemon().name("warm-up").unstarted(task);
    }

    private static void round(PerfRun mine, PerfRun theirs, long size, ExecutorService other)
            throws InterruptedException {
        mine.prepare(size);
        theirs.prepare(size);
        Future<?> peer =
                other.submit(
                        () -> {
                            theirs.run();
                            return null;
                        });
        try {
            mine.run();
            peer.get();
        } catch (ExecutionException e) {
            throw e.getCause() instanceof RuntimeException cause
                    ? cause
                    : new CompletionException(e.getCause());
        } finally {
            peer.cancel(true);
        }
    }

    @Override
    public String toString() {
        return String.format(
                Locale.ROOT, "%d exchanges with itself in %.2f s", messages, nanos / 1e9);
    }
}
