package org.verbs4j.pool;

import org.jspecify.annotations.Nullable;
import org.verbs4j.Access;
import org.verbs4j.MemoryRegion;
import org.verbs4j.ProtectionDomain;
import org.verbs4j.VerbsException;

import java.time.Duration;
import java.util.Arrays;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * One registration, {@code ibv_reg_mr(3)}, cut into equal buffers. Every object is made up front:
 * taking and releasing allocate nothing and call nothing.
 *
 * <p>Belongs to one thread at a time, and so do its buffers: threads that hand buffers to each
 * other hand them over by something that orders memory, or have a pool each. The bytes of the
 * buffers may be used by any thread.
 */
public final class BufferPool implements AutoCloseable {
    /** Two buffers do not share a cache line. */
    private static final int ALIGNMENT = 64;

    private static final int MOST_NAMED = 8;

    private final MemoryRegion region;
    private final PooledBuffer[] buffers;
    private final int bufferSize;

    /** The free ones, the one that was released last on top: its bytes are probably cached. */
    private final PooledBuffer[] free;

    private final boolean leakTracking;
    private int available;
    private boolean closed;

    private BufferPool(Builder asked) {
        long stride = ((long) asked.bufferSize + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
        long size = Math.multiplyExact(stride, asked.count);
        this.region =
                asked.hugePages
                        ? asked.domain.allocateOnHugePages(size, asked.access)
                        : asked.domain.allocate(size, asked.access);
        this.bufferSize = asked.bufferSize;
        this.leakTracking = asked.leakTracking;
        try {
            this.buffers = cut(asked.count, stride);
            this.free = Arrays.asList(buffers).reversed().toArray(PooledBuffer[]::new);
        } catch (RuntimeException | Error e) { // millions of them do not fit the heap
            region.close();
            throw e;
        }
        this.available = asked.count;
    }

    private PooledBuffer[] cut(int count, long stride) {
        return IntStream.range(0, count)
                .mapToObj(
                        index ->
                                new PooledBuffer(
                                        this, index, region.slice(index * stride, bufferSize)))
                .toArray(PooledBuffer[]::new);
    }

    /**
     * A pool with the defaults of {@link Builder}.
     *
     * @param domain where the memory is registered
     * @param count how many buffers, at least 1
     * @param bufferSize bytes of each, at least 1
     * @param access what may be done with them; local reading always may
     * @throws IllegalArgumentException when count or size is not positive
     * @throws VerbsException when the memory cannot be registered
     */
    public static BufferPool create(
            ProtectionDomain domain, int count, int bufferSize, Access... access) {
        return builder(domain, count, bufferSize).access(access).build();
    }

    /**
     * Begins a pool.
     *
     * @param domain where the memory is registered
     * @param count how many buffers, at least 1
     * @param bufferSize bytes of each, at least 1
     * @throws IllegalArgumentException when count or size is not positive
     */
    public static Builder builder(ProtectionDomain domain, int count, int bufferSize) {
        return new Builder(domain, count, bufferSize);
    }

    /**
     * Takes a buffer. Its bytes are those of the last use, all zero at first.
     *
     * @return null when all are out
     * @throws IllegalStateException when the pool is closed
     */
    public @Nullable PooledBuffer poll() {
        requireOpen();
        if (available == 0) {
            return null;
        }
        PooledBuffer buffer = free[--available];
        buffer.taken(leakTracking ? new Throwable("taken here") : null);
        return buffer;
    }

    /**
     * Takes a buffer, and waits for one when all are out. Only this thread can release one, so it
     * goes on with its work meanwhile.
     *
     * @param timeout how long to wait at most; zero is not at all
     * @param work what may release a buffer, such as polling completions; called again and again
     * @return null when all are still out then, or the thread was interrupted; it stays so
     * @throws IllegalStateException when the pool is closed
     */
    public @Nullable PooledBuffer take(Duration timeout, Runnable work) {
        PooledBuffer buffer = poll();
        if (buffer != null) {
            return buffer;
        }
        long begin = System.nanoTime();
        long limit = nanos(timeout);
        while (System.nanoTime() - begin < limit && !Thread.currentThread().isInterrupted()) {
            work.run();
            buffer = poll();
            if (buffer != null) {
                return buffer;
            }
            Thread.onSpinWait();
        }
        return null;
    }

    private static long nanos(Duration timeout) {
        try {
            return timeout.toNanos();
        } catch (ArithmeticException e) {
            return timeout.isNegative() ? 0 : Long.MAX_VALUE;
        }
    }

    /**
     * The buffer that a completion is about.
     *
     * @param index what {@link PooledBuffer#index()} gave the request as its number
     * @throws IllegalArgumentException when there is no such buffer
     * @throws IllegalStateException when it is not out: its completion came twice, or it was
     *     released too early
     */
    public PooledBuffer get(long index) {
        if (index < 0 || index >= buffers.length) {
            throw new IllegalArgumentException(
                    "there is no buffer " + index + ": they are 0 to " + (buffers.length - 1));
        }
        PooledBuffer buffer = buffers[(int) index];
        buffer.requireOut();
        return buffer;
    }

    /**
     * Gives a buffer back, as {@link PooledBuffer#release()} does.
     *
     * @throws IllegalArgumentException when it is of another pool
     * @throws IllegalStateException when it is not out
     */
    public void release(PooledBuffer buffer) {
        if (buffer.pool() != this) {
            throw new IllegalArgumentException(
                    buffer + " is of another pool than this: release it there");
        }
        buffer.requireOut();
        buffer.released();
        free[available++] = buffer;
    }

    /** How many are not out. */
    public int available() {
        return available;
    }

    /** How many there are. */
    public int capacity() {
        return buffers.length;
    }

    /** Bytes of each. */
    public int bufferSize() {
        return bufferSize;
    }

    /** The region that they are cut from. */
    public MemoryRegion region() {
        return region;
    }

    private void requireOpen() {
        if (closed) {
            throw new IllegalStateException(this + " is closed");
        }
    }

    /**
     * Deregisters and frees the memory. Does nothing when it is closed.
     *
     * @throws IllegalStateException when buffers are out, naming them; with leak tracking, where
     *     each was taken is a suppressed exception. The pool stays open
     * @throws VerbsException when the kernel refuses
     */
    @Override
    public void close() {
        if (closed) {
            return;
        }
        if (available < buffers.length) {
            throw stillOut();
        }
        region.close();
        closed = true;
    }

    private IllegalStateException stillOut() {
        PooledBuffer[] out =
                Arrays.stream(buffers).filter(PooledBuffer::isOut).toArray(PooledBuffer[]::new);
        String named =
                Arrays.stream(out)
                        .limit(MOST_NAMED)
                        .map(buffer -> Integer.toString(buffer.index()))
                        .collect(Collectors.joining(", "));
        IllegalStateException refusal =
                new IllegalStateException(
                        out.length
                                + " of "
                                + this
                                + " are out ("
                                + named
                                + (out.length > MOST_NAMED ? " ..." : "")
                                + "): release them first"
                                + (leakTracking ? "" : "; leak tracking would say who took them"));
        Arrays.stream(out)
                .limit(MOST_NAMED)
                .map(PooledBuffer::taker)
                .filter(taker -> taker != null)
                .forEach(refusal::addSuppressed);
        return refusal;
    }

    @Override
    public String toString() {
        return buffers.length + " buffers of " + bufferSize + " bytes";
    }

    /** Options of a pool. Belongs to one thread. */
    public static final class Builder {
        private final ProtectionDomain domain;
        private final int count;
        private final int bufferSize;
        private Access[] access = {Access.LOCAL_WRITE};
        private boolean hugePages;
        private boolean leakTracking;

        private Builder(ProtectionDomain domain, int count, int bufferSize) {
            if (count < 1 || bufferSize < 1) {
                throw new IllegalArgumentException(
                        count
                                + " buffers of "
                                + bufferSize
                                + " bytes: there must be at least 1 of at least 1 byte");
            }
            this.domain = domain;
            this.count = count;
            this.bufferSize = bufferSize;
        }

        /**
         * Sets what may be done with the buffers.
         *
         * @param access {@link Access#LOCAL_WRITE} at first
         */
        public Builder access(Access... access) {
            this.access = access.clone();
            return this;
        }

        /**
         * Sets whether the memory is on huge pages, see {@link
         * ProtectionDomain#allocateOnHugePages}.
         *
         * @param hugePages false at first
         */
        public Builder hugePages(boolean hugePages) {
            this.hugePages = hugePages;
            return this;
        }

        /**
         * Sets whether the pool remembers where each buffer was taken, which allocates and takes
         * microseconds.
         *
         * @param leakTracking false at first
         */
        public Builder leakTracking(boolean leakTracking) {
            this.leakTracking = leakTracking;
            return this;
        }

        /**
         * Makes the pool.
         *
         * @throws VerbsException when the memory cannot be registered, or not enough huge pages are
         *     free
         */
        public BufferPool build() {
            return new BufferPool(this);
        }
    }
}
