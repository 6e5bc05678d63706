package org.verbs4j.examples;

/** Connection types of perftest, of which ours have three. */
enum PerfTransport {
    /** Reliable connection. */
    RC,
    /** Unreliable connection. */
    UC,
    /** Datagrams. */
    UD
}
