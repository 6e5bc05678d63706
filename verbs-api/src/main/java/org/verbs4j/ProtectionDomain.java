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

    /**
     * Begins an unreliable connected queue pair.
     *
     * @param sendQueue where sends complete
     * @param receiveQueue where receives complete; may be the same
     * @throws IllegalArgumentException when a queue is of another context
     */
    public UcQueuePair.Builder newUcQueuePair(
            CompletionQueue sendQueue, CompletionQueue receiveQueue) {
        life.requireOpen();
        return new UcQueuePair.Builder(this, sendQueue, receiveQueue);
    }

    /**
     * Begins a datagram queue pair.
     *
     * @param sendQueue where sends complete
     * @param receiveQueue where receives complete; may be the same
     * @throws IllegalArgumentException when a queue is of another context
     */
    public UdQueuePair.Builder newUdQueuePair(
            CompletionQueue sendQueue, CompletionQueue receiveQueue) {
        life.requireOpen();
        return new UdQueuePair.Builder(this, sendQueue, receiveQueue);
    }

    /**
     * Begins a queue pair for whole Ethernet frames.
     *
     * @param sendQueue where sends complete
     * @param receiveQueue where receives complete; may be the same
     * @throws IllegalArgumentException when a queue is of another context
     */
    public RawPacketQueuePair.Builder newRawPacketQueuePair(
            CompletionQueue sendQueue, CompletionQueue receiveQueue) {
        life.requireOpen();
        return new RawPacketQueuePair.Builder(this, sendQueue, receiveQueue);
    }

    /**
     * Begins the sending half of an extended reliable connection.
     *
     * @param sendQueue where sends complete
     * @throws IllegalArgumentException when the queue is of another context
     */
    public XrcSendQueuePair.Builder newXrcSendQueuePair(CompletionQueue sendQueue) {
        life.requireOpen();
        return new XrcSendQueuePair.Builder(this, sendQueue);
    }

    /**
     * A receive queue that several queue pairs of this domain can take from, {@code
     * ibv_create_srq(3)}.
     *
     * @param maxRequests receives that may be outstanding, from 1; the device may round up
     * @param maxSge parts of a receive
     * @throws UnsupportedVerbException when the device has none
     * @throws VerbsException when the device refuses
     */
    public SharedReceiveQueue newSharedReceiveQueue(int maxRequests, int maxSge) {
        return Lifecycle.make(
                () -> SharedReceiveQueue.create(this, null, null, maxRequests, maxSge), life);
    }

    /**
     * The way to a peer of datagrams, {@code ibv_create_ah(3)}. May take a second on RoCE, where
     * the kernel looks for the peer's hardware address.
     *
     * @param vector the way; on RoCE with a global route
     * @throws VerbsException when the kernel refuses, with the cause
     */
    public AddressHandle newAddressHandle(AddressVector vector) {
        return Lifecycle.make(() -> AddressHandle.create(this, vector), life);
    }

    /**
     * The way back to the sender of a datagram, {@code ibv_create_ah_from_wc(3)}; {@link
     * AddressVector#ofSender} gives the same as a value.
     *
     * @param port where the datagram was received
     * @param completion of the receive, successful; {@link WorkCompletion#sourceQueuePairNumber()}
     *     is the sender's queue pair
     * @param received the memory of the receive, from its beginning
     * @throws IllegalArgumentException when the receive failed, the port is of another context, or
     *     the memory is too short for the {@link GlobalRoutingHeader}
     * @throws VerbsException when the kernel refuses
     */
    public AddressHandle newAddressHandle(
            Port port, WorkCompletion completion, MemorySegment received) {
        return Lifecycle.make(() -> AddressHandle.create(this, port, completion, received), life);
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
