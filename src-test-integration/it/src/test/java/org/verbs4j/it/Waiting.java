package org.verbs4j.it;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/** A thread that waits, and what became of it: the text of what it got, or what it threw. */
record Waiting(Thread thread, CompletableFuture<Object> outcome) {
    private static final Duration SHORT = Duration.ofMillis(200);

    /** Starts a thread and sees it wait. */
    static Waiting start(boolean virtual, Callable<?> wait) throws InterruptedException {
        Waiting waiting = begin(virtual, wait);
        Thread.sleep(SHORT);
        assertThat(waiting.outcome).isNotDone();
        return waiting;
    }

    /** Starts a thread. */
    static Waiting begin(boolean virtual, Callable<?> wait) {
        CompletableFuture<Object> outcome = new CompletableFuture<>();
        Runnable body =
                () -> {
                    try {
                        outcome.complete(String.valueOf(wait.call()));
                    } catch (Throwable e) {
                        outcome.complete(e);
                    }
                };
        Thread thread = virtual ? Thread.ofVirtual().start(body) : Thread.ofPlatform().start(body);
        return new Waiting(thread, outcome);
    }

    Object end() throws Exception {
        return outcome.get(CmPlace.limit(10).toMillis(), TimeUnit.MILLISECONDS);
    }
}
