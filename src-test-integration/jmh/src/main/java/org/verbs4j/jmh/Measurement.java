package org.verbs4j.jmh;

/**
 * What one contender did in one JVM.
 *
 * @param nanos median slice, per operation
 * @param allocatedBytes by this thread in all operations of the allocation run
 */
record Measurement(
        String operation, String contender, double nanos, long allocatedBytes, long checksum) {}
