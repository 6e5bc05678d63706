package org.verbs4j;

import org.verbs4j.bindings.Verbs;

/**
 * Takes a key of this side back, {@code IBV_WR_LOCAL_INV}: from its completion on no peer can use
 * it. The window can then be bound again.
 *
 * <p>Belongs to one thread at a time, see {@link SendRequest}.
 */
public final class LocalInvalidate extends SendRequest {
    LocalInvalidate(QueuePair owner) {
        super(owner, Verbs.IBV_WR_LOCAL_INV());
    }

    @Override
    public LocalInvalidate id(long id) {
        putId(id);
        return this;
    }

    @Override
    public LocalInvalidate signaled(boolean signaled) {
        putFlag(SIGNALED, signaled);
        return this;
    }

    @Override
    public LocalInvalidate fenced(boolean fenced) {
        putFlag(FENCE, fenced);
        return this;
    }

    /**
     * Sets the key.
     *
     * @param rkey in host order, of a bound memory window of type 2, or of a fast region; a key of
     *     another kind fails the request and breaks the connection
     */
    public LocalInvalidate key(int rkey) {
        putInvalidatedKey(rkey);
        return this;
    }
}
