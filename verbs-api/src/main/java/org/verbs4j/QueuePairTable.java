package org.verbs4j;

import org.jspecify.annotations.Nullable;
import org.verbs4j.bindings.Verbs;

import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The open queue pairs of a context by number: looked up when something has failed or is closed,
 * never on the way of a message. Any thread may use it.
 */
final class QueuePairTable {
    private static final int FLUSHED = Verbs.IBV_WC_WR_FLUSH_ERR();

    private final Map<Integer, QueuePair> pairs = new ConcurrentHashMap<>();

    void add(QueuePair pair) {
        pairs.put(pair.number(), pair);
    }

    void remove(QueuePair pair) {
        pairs.remove(pair.number(), pair);
    }

    /** The queue pair with a number, null when it is closed or not of this library. */
    @Nullable QueuePair find(int number) {
        return pairs.get(number);
    }

    /**
     * Lets a queue pair remember its first failure; a flush is only the consequence of one.
     *
     * @param queue that told of it, null when nothing has been polled
     */
    static void noteFailure(
            @Nullable CompletionQueue queue,
            int number,
            long wrId,
            int statusCode,
            int vendorError) {
        QueuePair pair = statusCode == FLUSHED ? null : find(queue, number);
        if (pair != null) {
            pair.failed(new WorkFailure(wrId, WorkStatus.of(statusCode), statusCode, vendorError));
        }
    }

    /** What a queue pair failed with first, if it is still open and has. */
    static @Nullable WorkFailure firstFailure(@Nullable CompletionQueue queue, int number) {
        QueuePair pair = find(queue, number);
        return pair == null ? null : pair.firstFailure().orElse(null);
    }

    private static @Nullable QueuePair find(@Nullable CompletionQueue queue, int number) {
        return queue == null ? null : queue.context().queuePairs().find(number);
    }

    /** Those that can send to address handles of a domain. */
    List<QueuePair> unconnected(ProtectionDomain domain) {
        return pairs.values().stream()
                .filter(pair -> pair.setup().type().isUnconnected())
                .filter(pair -> pair.protectionDomain().sharesMemoryWith(domain))
                .toList();
    }
}
