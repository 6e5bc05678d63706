package org.verbs4j.examples;

import org.jspecify.annotations.Nullable;
import org.verbs4j.Access;

/** What a tool of perftest measures. */
enum PerfVerb {
    SEND("Send", 236, null),
    WRITE("RDMA_Write", 220, Access.REMOTE_WRITE),
    READ("RDMA_Read", 0, Access.REMOTE_READ),
    ATOMIC("Atomic", 0, Access.REMOTE_ATOMIC);

    private final String title;
    private final int usualInline;
    private final @Nullable Access access;

    PerfVerb(String title, int usualInline, @Nullable Access access) {
        this.title = title;
        this.usualInline = usualInline;
        this.access = access;
    }

    /** Its name in the header of the C tool. */
    String title() {
        return title;
    }

    /** Bytes up to which latency tests send inline without {@code -I}. */
    int usualInline() {
        return usualInline;
    }

    /** What the peer needs to be allowed. */
    Access[] access() {
        return access == null ? new Access[0] : new Access[] {access};
    }

    /** Whether the peer's program takes no part, so that a round trip is one operation. */
    boolean isRoundTrip() {
        return this == READ || this == ATOMIC;
    }
}
