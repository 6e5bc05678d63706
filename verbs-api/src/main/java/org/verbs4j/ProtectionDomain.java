package org.verbs4j;

import org.jspecify.annotations.Nullable;
import org.verbs4j.bindings.ContextVerbs;
import org.verbs4j.bindings.NativeLibraries;
import org.verbs4j.bindings.Verbs;
import org.verbs4j.bindings.ibv_parent_domain_init_attr;
import org.verbs4j.bindings.ibv_pd;
import org.verbs4j.bindings.verbs_context;

import java.lang.foreign.Arena;
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

    /** The domain that a parent domain is above in the end, else this one. */
    private final ProtectionDomain root;

    private final Lifecycle life;

    ProtectionDomain(DeviceContext context, MemorySegment handle) {
        this.context = context;
        this.handle = handle;
        this.root = this;
        this.life =
                new Lifecycle("protection domain of " + context.device().name(), context.life());
    }

    private ProtectionDomain(
            DeviceContext context, MemorySegment handle, ProtectionDomain root, Lifecycle life) {
        this.context = context;
        this.handle = handle;
        this.root = root;
        this.life = life;
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

    /**
     * Begins a receive queue without a queue pair, {@code ibv_create_wq(3)}.
     *
     * @param queue where its receives complete
     * @throws IllegalArgumentException when the queue is of another context
     */
    public WorkQueue.Builder newWorkQueue(CompletionQueue queue) {
        life.requireOpen();
        return new WorkQueue.Builder(this, queue);
    }

    /**
     * A domain above this one whose queue pairs and queues lock less, {@code
     * ibv_alloc_parent_domain(3)}: to be used like this one, and memory of this one serves it.
     *
     * @param thread by which thread domain, or null for none
     * @throws IllegalArgumentException when the thread domain is of another context
     * @throws UnsupportedVerbException when the device has no such thing
     */
    public ProtectionDomain newParentDomain(@Nullable ThreadDomain thread) {
        if (thread == null) {
            return Lifecycle.make(() -> createParent(null), life);
        }
        if (thread.context() != context) {
            throw new IllegalArgumentException("the " + thread + " is of another context");
        }
        return Lifecycle.make(() -> createParent(thread), life, thread.life());
    }

    private ProtectionDomain createParent(@Nullable ThreadDomain thread) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment attr = arena.allocate(ibv_parent_domain_init_attr.layout());
            ibv_parent_domain_init_attr.pd(attr, handle);
            if (thread != null) {
                ibv_parent_domain_init_attr.td(attr, thread.handle());
            }
            long parent = ContextVerbs.ibv_alloc_parent_domain(context.address(), attr.address());
            if (parent == 0) {
                throw ControlFailure.of(
                        context,
                        "ibv_alloc_parent_domain",
                        verbs_context.alloc_parent_domain$offset(),
                        NativeLibraries.errno(),
                        "a parent domain on " + context.device().name());
            }
            String name = "parent domain of " + context.device().name();
            return new ProtectionDomain(
                    context,
                    MemorySegment.ofAddress(parent).reinterpret(ibv_pd.sizeof()),
                    root,
                    thread == null
                            ? new Lifecycle(name, life)
                            : new Lifecycle(name, life, thread.life()));
        }
    }

    /** Whether memory of the other domain serves this one. */
    boolean sharesMemoryWith(ProtectionDomain other) {
        return root == other.root;
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
