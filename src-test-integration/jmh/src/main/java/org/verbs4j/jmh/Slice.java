package org.verbs4j.jmh;

/** One contender's way of doing one operation: a loop that is timed as a whole. */
@FunctionalInterface
interface Slice {
    /**
     * Does the operation so many times.
     *
     * @return a checksum of what the completions said; the same for every contender of an operation
     * @throws IllegalStateException when an operation failed
     */
    long run(int operations);
}
