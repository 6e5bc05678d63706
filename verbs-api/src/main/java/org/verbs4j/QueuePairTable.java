package org.verbs4j;

import org.jspecify.annotations.Nullable;

import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The open queue pairs of a context by number: looked up when something has failed or is closed,
 * never on the way of a message. Any thread may use it.
 */
final class QueuePairTable {
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

    /** Those that can send to address handles of a domain. */
    List<QueuePair> unconnected(ProtectionDomain domain) {
        return pairs.values().stream()
                .filter(pair -> pair.setup().type().isUnconnected())
                .filter(pair -> pair.setup().domain() == domain)
                .toList();
    }
}
