package org.verbs4j;

import org.jspecify.annotations.Nullable;
import org.verbs4j.bindings.NativeLibraries;
import org.verbs4j.bindings.Verbs;
import org.verbs4j.bindings.ibv_pd;

import java.lang.foreign.MemorySegment;
import java.util.Objects;

/**
 * A protection domain, {@code struct ibv_pd}: queue pairs of one domain reach memory of that domain
 * only.
 *
 * <p>Any thread may use it, several at a time. Close what was made from it first.
 */
public final class ProtectionDomain implements AutoCloseable {
    private final DeviceContext context;
    private final MemorySegment handle;
    private final boolean imported;

    /** The domain that a parent domain is above in the end, else this one. */
    private final ProtectionDomain root;

    /** What it has as a parent domain, null when it is none. */
    private final @Nullable ParentDomain parent;

    private final Lifecycle life;

    ProtectionDomain(DeviceContext context, MemorySegment handle) {
        this(context, handle, false);
    }

    private ProtectionDomain(DeviceContext context, MemorySegment handle, boolean imported) {
        this.context = context;
        this.handle = handle.reinterpret(ibv_pd.sizeof());
        this.imported = imported;
        this.root = this;
        this.parent = null;
        this.life =
                new Lifecycle("protection domain of " + context.device().name(), context.life());
    }

    /** A parent domain. */
    ProtectionDomain(ParentDomain parent, MemorySegment handle) {
        this.context = parent.under().context;
        this.handle = handle;
        this.imported = false;
        this.root = parent.under().root;
        this.parent = parent;
        this.life = parent.newLife();
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

    static ProtectionDomain imported(DeviceContext context, int kernelHandle) {
        UnsupportedVerbs.requireExported("ibv_import_pd");
        MemorySegment pd = Verbs.ibv_import_pd(context.handle(), kernelHandle);
        if (pd.address() == 0) {
            throw UnsupportedVerbs.failure(
                    "ibv_import_pd",
                    NativeLibraries.errno(),
                    context,
                    "no protection domain with the kernel's number " + kernelHandle);
        }
        return new ProtectionDomain(context, pd, true);
    }

    /** The context that it was made from. */
    public DeviceContext context() {
        return context;
    }

    /**
     * Allocates page-aligned memory, all zero, and registers it, {@code ibv_reg_mr(3)}. The region
     * owns the memory: its close deregisters first and frees second, so that the device never
     * writes to freed memory.
     *
     * @param byteSize at least 1
     * @param access what may be done with it; local reading always may
     * @throws IllegalArgumentException when the size is not positive
     * @throws OutOfMemoryError when the process cannot have so much memory
     * @throws VerbsException when it cannot be registered, with the memlock limit where that is the
     *     cause
     */
    public MemoryRegion allocate(long byteSize, Access... access) {
        return Lifecycle.make(() -> Registration.allocate(this, byteSize, access), life);
    }

    /**
     * Registers memory that the caller owns, {@code ibv_reg_mr(3)}: of any arena, or mapped from a
     * file.
     *
     * <p>The region keeps an automatic arena from being collected, also when the program refers to
     * neither any more: until it is closed, a peer may write there. An arena that is closed must
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
        return Lifecycle.make(() -> Registration.register(this, segment, access), life);
    }

    /**
     * As {@link #allocate}, on huge pages of {@code mmap(2)} with {@code MAP_HUGETLB}: fewer
     * translations for the device and the processor.
     *
     * @param byteSize at least 1; whole huge pages of the system's default size are used
     * @param access what may be done with it
     * @throws VerbsException when not enough huge pages are free, with how many there are, or it
     *     cannot be registered
     */
    public MemoryRegion allocateOnHugePages(long byteSize, Access... access) {
        return Lifecycle.make(() -> Registration.allocateOnHugePages(this, byteSize, access), life);
    }

    /**
     * As {@link #register}, but requests and peers count from another address than the memory's,
     * {@code ibv_reg_mr_iova}, see {@code ibv_reg_mr(3)}: {@link MemoryRegion#address()} is that
     * one.
     *
     * @param segment as in {@link #register}
     * @param iova the address of the first byte, as far into a page as the memory itself is
     * @param access what may be done with it
     * @throws VerbsException when it cannot be registered; also when the two are not equally far
     *     into a page
     */
    public MemoryRegion registerAt(MemorySegment segment, long iova, Access... access) {
        return Lifecycle.make(() -> Registration.registerAt(this, segment, iova, access), life);
    }

    /**
     * All of this process's memory, now and later, {@code ibv_reg_mr(3)} from NULL to SIZE_MAX with
     * {@link Access#ON_DEMAND}: offsets into the region are addresses. What is not mapped when a
     * request comes to it fails the request.
     *
     * @param access what may be done with it
     * @throws VerbsException when the device has no implicit on-demand paging, see {@link
     *     DeviceAttributes.OnDemandPaging#isImplicitSupported()}
     */
    public MemoryRegion registerAddressSpace(Access... access) {
        return Lifecycle.make(() -> Registration.addressSpace(this, access), life);
    }

    /**
     * Memory of another device, such as a GPU, {@code ibv_reg_dmabuf_mr}, see {@code
     * ibv_reg_mr(3)}.
     *
     * @param descriptor the file descriptor of the DMA-BUF; may be closed afterwards
     * @param offset bytes from its beginning
     * @param length bytes, at least 1
     * @param iova the address of the first byte as requests and peers count, as far into a page as
     *     the offset is
     * @param access what may be done with it
     * @throws IllegalArgumentException when offset or length is negative
     * @throws UnsupportedVerbException when the library, the provider or the kernel lacks it
     * @throws VerbsException when it cannot be registered
     */
    public MemoryRegion registerDmaBuf(
            int descriptor, long offset, long length, long iova, Access... access) {
        return Lifecycle.make(
                () -> Registration.dmaBuf(this, descriptor, offset, length, iova, access), life);
    }

    /**
     * Memory on the device, {@code ibv_reg_dm_mr(3)}: zero-based, so that addresses are offsets.
     *
     * @param memory of the same context
     * @param offset bytes from its beginning; devices may demand a multiple of 4
     * @param length bytes
     * @param access what may be done with it, beside {@link Access#ZERO_BASED}
     * @throws IllegalArgumentException when the part is not within the memory
     * @throws UnsupportedVerbException when the provider or the kernel lacks it
     * @throws VerbsException when it cannot be registered
     */
    public MemoryRegion registerDeviceMemory(
            DeviceMemory memory, long offset, long length, Access... access) {
        return Lifecycle.make(
                () -> Registration.deviceMemory(this, memory, offset, length, access),
                life,
                memory.life());
    }

    /**
     * A region that discards what is written and reads as zero, {@code ibv_alloc_null_mr(3)}: for
     * the parts of a message that nobody wants. It has a local key only.
     *
     * @throws UnsupportedVerbException when the provider or the kernel lacks it
     */
    public MemoryRegion newNullRegion() {
        return Lifecycle.make(() -> Registration.none(this), life);
    }

    /**
     * A region of another process, {@code ibv_import_mr(3)}, on a domain imported as well. Closing
     * it does not deregister the memory.
     *
     * @param kernelHandle what {@link MemoryRegion#kernelHandle()} gave there
     * @param address the address that it has there, {@link MemoryRegion#address()}
     * @throws UnsupportedVerbException when the library, the provider or the kernel lacks it
     * @throws VerbsException when there is no such region
     */
    public MemoryRegion importMemoryRegion(int kernelHandle, long address) {
        return Lifecycle.make(() -> Registration.imported(this, kernelHandle, address), life);
    }

    /**
     * A memory window, not bound to anything, {@code ibv_alloc_mw(3)}.
     *
     * @param type who binds it
     * @throws UnsupportedVerbException when the provider or the kernel lacks it
     * @throws VerbsException when the device has none left, or not of this type
     */
    public MemoryWindow newMemoryWindow(MemoryWindow.Type type) {
        return Lifecycle.make(() -> MemoryWindow.create(this, type), life);
    }

    /**
     * Tells the device that it will need memory that is registered {@link Access#ON_DEMAND}, {@code
     * ibv_advise_mr(3)}.
     *
     * @param advice what for
     * @param now whether to return when it is done, rather than when it is begun
     * @param parts of regions of this domain
     * @throws IllegalArgumentException when there is no part, or one is of another domain or longer
     *     than 4 GiB - 1
     * @throws UnsupportedVerbException when the provider or the kernel lacks it
     * @throws VerbsException when it fails; with {@link Advice#PREFETCH_NO_FAULT} also when a page
     *     is not there
     */
    public void advise(Advice advice, boolean now, MemorySlice... parts) {
        life.runWhileOpen(
                () -> {
                    advice.give(this, now, parts);
                });
    }

    /**
     * The kernel's number of the domain, {@code handle}, for {@link
     * DeviceContext#importProtectionDomain} in another process.
     */
    public int kernelHandle() {
        return life.whileOpen(() -> ibv_pd.handle(handle));
    }

    /**
     * Begins a reliable connected queue pair, {@code IBV_QPT_RC}.
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
     * Begins a queue pair that spreads what it receives over work queues, {@code
     * ibv_create_qp_ex(3)}.
     *
     * @param table the queues
     * @throws IllegalArgumentException when the table is of another context
     */
    public RssQueuePair.Builder newRssQueuePair(IndirectionTable table) {
        life.requireOpen();
        return new RssQueuePair.Builder(this, table);
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
        return ParentDomain.make(this, thread, null);
    }

    /**
     * As {@link #newParentDomain(ThreadDomain)}, with memory of the program's for its queues.
     *
     * @param thread by which thread domain, or null for none
     * @param memory asked for the memory of every queue
     * @throws IllegalArgumentException when the thread domain is of another context
     * @throws UnsupportedVerbException when the device has no such thing
     */
    public ProtectionDomain newParentDomain(@Nullable ThreadDomain thread, QueueMemory memory) {
        return ParentDomain.make(this, thread, Objects.requireNonNull(memory, "memory"));
    }

    /** Whether memory of the other domain serves this one. */
    boolean sharesMemoryWith(ProtectionDomain other) {
        return root == other.root;
    }

    /**
     * Begins an unreliable connected queue pair, {@code IBV_QPT_UC}.
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
     * Begins a datagram queue pair, {@code IBV_QPT_UD}.
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
     * Begins a queue pair for whole Ethernet frames, {@code IBV_QPT_RAW_PACKET}.
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
     * Begins the sending half of an extended reliable connection, {@code IBV_QPT_XRC_SEND}.
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
     * @param maxSge parts of a receive, from 0
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
     * @param vector the way; on RoCE with a global route, whose index is looked at now: what it
     *     stands for stays until the handle is closed
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
     * Frees the domain, {@code ibv_dealloc_pd(3)}; an imported one is forgotten by this process
     * only, {@code ibv_unimport_pd(3)}. Does nothing when it is closed.
     *
     * @throws IllegalStateException when something made from it is open, naming it
     * @throws VerbsException when the kernel refuses
     */
    @Override
    public void close() {
        life.close(
                () -> {
                    if (imported) {
                        Verbs.ibv_unimport_pd(handle);
                        return;
                    }
                    int errno = Verbs.ibv_dealloc_pd(handle);
                    if (errno != 0) {
                        throw new VerbsException(
                                "ibv_dealloc_pd", errno, "cannot free the " + life);
                    }
                    if (parent != null) {
                        parent.free();
                    }
                });
    }

    @Override
    public String toString() {
        return life.toString();
    }
}
