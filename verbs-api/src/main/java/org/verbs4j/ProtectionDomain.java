package org.verbs4j;

import org.verbs4j.bindings.NativeLibraries;
import org.verbs4j.bindings.Verbs;

import java.lang.foreign.MemorySegment;

/**
 * A protection domain, {@code struct ibv_pd}: queue pairs of one domain reach memory of that domain
 * only.
 *
 * <p>Any thread may use it, several at a time. Close what was made from it first.
 */
public final class ProtectionDomain implements AutoCloseable {
    private final DeviceContext context;
    private final MemorySegment handle;
    private final Lifecycle life;

    ProtectionDomain(DeviceContext context, MemorySegment handle) {
        this.context = context;
        this.handle = handle;
        this.life =
                new Lifecycle("protection domain of " + context.device().name(), context.life());
    }

    static ProtectionDomain create(DeviceContext context) {
        MemorySegment pd = Verbs.ibv_alloc_pd(context.handle());
        if (pd.address() == 0) {
            throw new VerbsException(
                    "ibv_alloc_pd",
                    NativeLibraries.errno(),
                    "no protection domain on " + context.device().name());
        }
        return new ProtectionDomain(context, pd);
    }

    /** The context that it was made from. */
    public DeviceContext context() {
        return context;
    }

    /**
     * Allocates page-aligned memory, all zero, and registers it. The region owns the memory: its
     * close deregisters first and frees second, so that the device never writes to freed memory.
     *
     * @param byteSize at least 1
     * @param access what may be done with it; local reading always may
     * @throws IllegalArgumentException when the size is not positive
     * @throws VerbsException when it cannot be registered, with the memlock limit where that is the
     *     cause
     */
    public MemoryRegion allocate(long byteSize, Access... access) {
        return Lifecycle.make(() -> MemoryRegion.allocate(this, byteSize, access), life);
    }

    /**
     * Registers memory that the caller owns, {@code ibv_reg_mr(3)}: of any arena, or mapped from a
     * file.
     *
     * <p>The region keeps an automatic arena from being collected. An arena that is closed must
     * outlive the region: the device would still reach the pages, which may be used for something
     * else by then.
     *
     * @param segment native memory, at least 1 byte; it need not be aligned
     * @param access what may be done with it; local reading always may
     * @throws IllegalArgumentException when the segment is on the heap, empty, or read-only
     *     although something may write
     * @throws VerbsException when it cannot be registered, with the memlock limit where that is the
     *     cause
     */
    public MemoryRegion register(MemorySegment segment, Access... access) {
        return Lifecycle.make(() -> MemoryRegion.register(this, segment, access), life);
    }

    /**
     * Begins a reliable connected queue pair.
     *
     * @param sendQueue where sends complete
     * @param receiveQueue where receives complete; may be the same
     * @throws IllegalArgumentException when a queue is of another context
     */
    public RcQueuePair.Builder newRcQueuePair(
            CompletionQueue sendQueue, CompletionQueue receiveQueue) {
        life.requireOpen();
        return new RcQueuePair.Builder(this, sendQueue, receiveQueue);
    }

    /** Escape hatch: {@code struct ibv_pd *}, valid while the domain is open. */
    public MemorySegment handle() {
        life.requireOpen();
        return handle;
    }

    Lifecycle life() {
        return life;
    }

    /**
     * Frees the domain, {@code ibv_dealloc_pd(3)}. Does nothing when it is closed.
     *
     * @throws IllegalStateException when something made from it is open, naming it
     * @throws VerbsException when the kernel refuses
     */
    @Override
    public void close() {
        life.close(
                () -> {
                    int errno = Verbs.ibv_dealloc_pd(handle);
                    if (errno != 0) {
                        throw new VerbsException(
                                "ibv_dealloc_pd", errno, "cannot free the " + life);
                    }
                });
    }

    @Override
    public String toString() {
        return life.toString();
    }
}
