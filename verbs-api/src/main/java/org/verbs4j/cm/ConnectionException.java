package org.verbs4j.cm;

import org.jspecify.annotations.Nullable;
import org.verbs4j.VerbsException;

import java.nio.ByteBuffer;

/**
 * A connection could not be made or kept: a function of {@code rdma_cm(7)} failed, an event told of
 * a failure, or time was over. The message says what was tried, what the C library or the peer
 * answered, and what to check.
 */
public final class ConnectionException extends VerbsException {
    private static final long serialVersionUID = 1L;

    private final transient @Nullable ConnectionEvent event;

    ConnectionException(String call, int errno, String detail, @Nullable ConnectionEvent event) {
        super(call, errno, detail);
        this.event = event;
    }

    /**
     * The event that told of the failure, with its status and for a rejection the peer's data; null
     * when the call itself failed or time was over.
     */
    public @Nullable ConnectionEvent event() {
        return event;
    }

    /**
     * What the peer sent along when it rejected, such as a reason, read-only, as long as the
     * transport makes it, with zeros at the end; nothing when it was not a rejection.
     */
    public ByteBuffer privateData() {
        return event instanceof ConnectionEvent.Failed failed
                ? failed.privateData()
                : ConnectionParameters.nothing();
    }

    /** Why the peer rejected, null when it was not a rejection. */
    public @Nullable Rejection rejection() {
        return event instanceof ConnectionEvent.Failed failed ? failed.rejection() : null;
    }
}
