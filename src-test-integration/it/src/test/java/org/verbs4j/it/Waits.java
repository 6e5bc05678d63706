package org.verbs4j.it;

import org.verbs4j.CompletionQueue;
import org.verbs4j.WorkCompletions;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;

/** Waiting with a limit, on a machine that may have one processor only. */
final class Waits {
    /** Nothing here takes as long on hardware. */
    static final Duration LIMIT = TestPlace.limit(Duration.ofSeconds(20));

    private static final int FRAMES = 30;

    private Waits() {}

    /** Yields until something has happened. */
    static void until(String what, BooleanSupplier happened) {
        until(() -> what, happened);
    }

    /** The same, with a description of how far it came. */
    @SuppressWarnings("ThreadPriorityCheck") // the peer may need this processor
    static void until(Supplier<String> what, BooleanSupplier happened) {
        long deadline = System.nanoTime() + LIMIT.toNanos();
        while (!happened.getAsBoolean()) {
            if (System.nanoTime() - deadline > 0) {
                throw new AssertionError("in vain waited for " + what.get());
            }
            Thread.yield();
        }
    }

    /** Waits for so many completions and takes no more. */
    static List<Done> completions(CompletionQueue queue, int count) {
        WorkCompletions one = WorkCompletions.allocate(1);
        List<Done> done = new ArrayList<>();
        while (done.size() < count) {
            until(
                    () -> count + " completions on the " + queue + ", of which came " + done,
                    () -> queue.poll(one, each -> done.add(Done.of(each))) == 1);
        }
        return done;
    }

    /** Waits for a thread to end. */
    static void join(Thread thread) throws InterruptedException {
        if (!thread.join(LIMIT)) {
            throw new AssertionError(
                    thread
                            + " does not end: "
                            + Arrays.stream(thread.getStackTrace()).limit(FRAMES).toList());
        }
    }
}
