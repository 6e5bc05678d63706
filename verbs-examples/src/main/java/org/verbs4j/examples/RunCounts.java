package org.verbs4j.examples;

/**
 * How far a run is. Belongs to the thread that measures; another may look at it now and then and
 * see something a little older.
 */
final class RunCounts {
    /** Requests posted. */
    long sent;

    /** Messages received, or requests completed where nothing is received. */
    long received;

    /** Of these, those within the part of {@code -D} that counts. */
    long sampled;

    void reset() {
        sent = 0;
        received = 0;
        sampled = 0;
    }
}
