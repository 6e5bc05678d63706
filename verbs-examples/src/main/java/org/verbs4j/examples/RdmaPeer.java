package org.verbs4j.examples;

import org.verbs4j.CompletionHandler;
import org.verbs4j.CompletionQueue;
import org.verbs4j.WorkCompletion;
import org.verbs4j.WorkCompletions;
import org.verbs4j.WorkStatus;
import org.verbs4j.cm.Connection;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.time.Duration;

/**
 * The other side of a connection, as a program sees it that waits for completions: each wait has a
 * limit, and the end of the peer is a {@link ToolFailure} that names it. Belongs to one thread.
 */
public final class RdmaPeer {
    private static final int COMPLETIONS = 32;

    /** An answer takes microseconds: sleeping for it would take longer. */
    private static final int SPINS = 500;

    /** How long the end of the connection may go unnoticed. */
    private static final Duration LOOK_AFTER = Duration.ofMillis(50);

    private final String name;
    private final Connection connection;
    private final CompletionQueue queue;
    private final Duration silenceLimit;
    private final WorkCompletions completions = WorkCompletions.allocate(COMPLETIONS);

    /**
     * @param name for sentences, such as "the server 10.77.0.1:7475"
     * @param queue of the connection's queue pair, with a channel
     * @param silenceLimit how long nothing may happen
     */
    public RdmaPeer(
            String name, Connection connection, CompletionQueue queue, Duration silenceLimit) {
        this.name = name;
        this.connection = connection;
        this.queue = queue;
        this.silenceLimit = silenceLimit;
    }

    /** The address of a host by name or number. */
    public static InetSocketAddress address(String host, int port) {
        try {
            return new InetSocketAddress(InetAddress.getByName(host), port);
        } catch (UnknownHostException e) {
            throw new ToolFailure("no such host: " + host, e);
        }
    }

    /** An address as people write it. */
    public static String text(InetSocketAddress address) {
        return address.getAddress().getHostAddress() + ":" + address.getPort();
    }

    /** Hands out at least one completion, all of them successful. */
    public void await(CompletionHandler handler) throws InterruptedException {
        int taken = queue.poll(completions);
        for (int spins = 0; taken == 0 && spins < SPINS; spins++) {
            Thread.onSpinWait();
            taken = queue.poll(completions);
        }
        long giveUp = System.nanoTime() + silenceLimit.toNanos();
        while (taken == 0) {
            taken = queue.await(completions, LOOK_AFTER);
            if (taken == 0 && !connection.isConnected()) {
                throw gone();
            }
            if (taken == 0 && System.nanoTime() - giveUp > 0) {
                throw new ToolFailure(
                        name + " has been silent for " + TimeLimits.text(silenceLimit));
            }
        }
        for (int i = 0; i < taken; i++) {
            WorkCompletion completion = completions.get(i);
            requireSuccess(completion);
            handler.onCompletion(completion);
        }
    }

    /** A peer that has gone shows as one of these two; anything else has a story of its own. */
    private void requireSuccess(WorkCompletion completion) {
        WorkStatus status = completion.status();
        if (status == WorkStatus.FLUSHED || status == WorkStatus.RETRY_EXCEEDED) {
            throw gone();
        }
        completion.requireSuccess();
    }

    private ToolFailure gone() {
        return new ToolFailure(name + " has gone");
    }

    @Override
    public String toString() {
        return name;
    }
}
