package org.verbs4j.pool;

import org.jspecify.annotations.Nullable;
import org.verbs4j.MemorySlice;
import org.verbs4j.RemoteBuffer;

import java.lang.foreign.MemorySegment;

/**
 * A buffer of a {@link BufferPool}. Whoever has taken it may use it until it is released; one that
 * the device still works on must not be released.
 *
 * <p>Belongs to one thread at a time, as its pool does.
 */
public final class PooledBuffer {
    private final BufferPool pool;
    private final int index;
    private final MemorySlice slice;
    private final MemorySegment segment;
    private final RemoteBuffer remote;
    private boolean out;
    private @Nullable Throwable taker;

    PooledBuffer(BufferPool pool, int index, MemorySlice slice) {
        this.pool = pool;
        this.index = index;
        this.slice = slice;
        this.segment = slice.segment();
        this.remote = slice.remote();
    }

    /**
     * Its place in the pool: give it to the request as its number, and {@link BufferPool#get} finds
     * the buffer again without a map.
     */
    public int index() {
        return index;
    }

    /** Its memory. */
    public MemorySegment segment() {
        return segment;
    }

    /** Its part of the pool's region, for requests. */
    public MemorySlice slice() {
        return slice;
    }

    /** Bytes from the beginning of the pool's region, for requests. */
    public long offset() {
        return slice.offset();
    }

    /** What a peer needs to reach it. */
    public RemoteBuffer remote() {
        return remote;
    }

    /**
     * Gives it back.
     *
     * @throws IllegalStateException when it is not out: it was released before
     */
    public void release() {
        pool.release(this);
    }

    BufferPool pool() {
        return pool;
    }

    boolean isOut() {
        return out;
    }

    @Nullable Throwable taker() {
        return taker;
    }

    void taken(@Nullable Throwable by) {
        out = true;
        taker = by;
    }

    void released() {
        out = false;
        taker = null;
    }

    void requireOut() {
        if (!out) {
            throw new IllegalStateException(
                    this + " is not out: it was released before, or never taken");
        }
    }

    @Override
    public String toString() {
        return "buffer " + index + " of " + pool;
    }
}
