package org.verbs4j;

import org.jspecify.annotations.Nullable;
import org.verbs4j.bindings.Verbs;
import org.verbs4j.bindings.ibv_send_wr;
import org.verbs4j.bindings.ibv_sge;
import org.verbs4j.internal.NativeMemory;

import java.lang.foreign.MemorySegment;

/**
 * A request for the send queue, {@code struct ibv_send_wr} and its gather list, in native memory:
 * written once, changed in place, posted any number of times.
 *
 * <p>Belongs to one thread at a time. It may be changed and posted again as soon as {@code post}
 * has returned: the device has its own copy. The <em>memory that it points to</em> belongs to the
 * device until the completion has been polled, except that of an inline request, which is free when
 * {@code post} returns.
 *
 * <p>A new request is signaled: it completes. One that is not signaled completes only when it
 * fails, and its place in the queue becomes free when a later signaled one has completed; if none
 * ever is, the queue fills up for good.
 */
public abstract sealed class SendRequest extends WorkRequest
        permits Send, Write, Read, AtomicRequest, BindWindow, LocalInvalidate {
    static final long ID = ibv_send_wr.wr_id$offset();
    static final long NEXT = ibv_send_wr.next$offset();
    static final long LIST = ibv_send_wr.sg_list$offset();
    static final long LIST_LENGTH = ibv_send_wr.num_sge$offset();
    static final long OPCODE = ibv_send_wr.opcode$offset();
    static final long FLAGS = ibv_send_wr.send_flags$offset();
    static final long IMMEDIATE = ibv_send_wr.imm_data$offset();
    static final long RDMA = ibv_send_wr.wr$offset() + ibv_send_wr.wr.rdma$offset();
    static final long REMOTE_ADDRESS = RDMA + ibv_send_wr.wr.rdma.remote_addr$offset();
    static final long REMOTE_KEY = RDMA + ibv_send_wr.wr.rdma.rkey$offset();
    static final long ATOMIC = ibv_send_wr.wr$offset() + ibv_send_wr.wr.atomic$offset();
    static final long ATOMIC_ADDRESS = ATOMIC + ibv_send_wr.wr.atomic.remote_addr$offset();
    static final long ATOMIC_COMPARE_ADD = ATOMIC + ibv_send_wr.wr.atomic.compare_add$offset();
    static final long ATOMIC_SWAP = ATOMIC + ibv_send_wr.wr.atomic.swap$offset();
    static final long ATOMIC_KEY = ATOMIC + ibv_send_wr.wr.atomic.rkey$offset();

    static final int SIGNALED = Verbs.IBV_SEND_SIGNALED();
    static final int FENCE = Verbs.IBV_SEND_FENCE();
    static final int SOLICITED = Verbs.IBV_SEND_SOLICITED();
    static final int INLINE = Verbs.IBV_SEND_INLINE();

    static final Lifecycle[] NO_GUARDS = {};

    static final long UD = ibv_send_wr.wr$offset() + ibv_send_wr.wr.ud$offset();
    static final long UD_HANDLE = UD + ibv_send_wr.wr.ud.ah$offset();
    static final long UD_QUEUE_PAIR = UD + ibv_send_wr.wr.ud.remote_qpn$offset();
    static final long UD_QUEUE_KEY = UD + ibv_send_wr.wr.ud.remote_qkey$offset();
    static final long XRC_QUEUE =
            ibv_send_wr.qp_type$offset()
                    + ibv_send_wr.qp_type.xrc$offset()
                    + ibv_send_wr.qp_type.xrc.remote_srqn$offset();

    final QueuePair owner;
    private final GatherList list;
    private final long entries;

    /** How many entries of the list are in use. */
    private int parts;

    /** Whether its data is to be copied before it is posted. */
    private boolean inline;

    /** An entry of its own for the copied data, and room for it; 0 unless it is or was inline. */
    private long inlineEntry;

    private MemorySegment inlineData = MemorySegment.NULL;

    /** Whether it needs a destination of its own, and which one it has. */
    private final boolean unconnected;

    private @Nullable AddressHandle destination;

    /**
     * Whether it is inline, in a batch, unconnected or guarded: one look for the many that are not.
     */
    private boolean special;

    /** Whether it has {@link #guards}. */
    final boolean guarded;

    SendRequest(QueuePair owner, int opcode) {
        this(owner, opcode, false);
    }

    SendRequest(QueuePair owner, int opcode, boolean guarded) {
        super(owner, ibv_send_wr.sizeof() + owner.maxSendSge() * ibv_sge.sizeof());
        this.owner = owner;
        this.guarded = guarded;
        this.unconnected = owner.setup().type().isUnconnected();
        classify();
        long entries = address + ibv_send_wr.sizeof();
        this.entries = entries;
        this.list =
                new GatherList(
                        owner.protectionDomain(),
                        entries,
                        owner.maxSendSge(),
                        owner.maxMessageSize());
        NativeMemory.putLong(address, LIST, entries);
        NativeMemory.putInt(address, OPCODE, opcode);
        NativeMemory.putInt(address, FLAGS, SIGNALED);
    }

    /**
     * Sets the number that its completion will carry, {@code wr_id}.
     *
     * @param id any number
     */
    public abstract SendRequest id(long id);

    @Override
    public final long id() {
        return NativeMemory.getLong(address, ID);
    }

    /**
     * Sets whether it completes when it succeeds.
     *
     * @param signaled true at first: {@code IBV_SEND_SIGNALED}
     */
    public abstract SendRequest signaled(boolean signaled);

    /**
     * Sets whether it waits until earlier reads and atomics of its queue pair are done.
     *
     * @param fenced false at first: {@code IBV_SEND_FENCE}
     */
    public abstract SendRequest fenced(boolean fenced);

    /**
     * Escape hatch: the {@code struct ibv_send_wr}. Its {@code next} and {@code sg_list} are the
     * library's.
     */
    public final MemorySegment handle() {
        return NativeMemory.struct(address, ibv_send_wr.sizeof()).reinterpret(ibv_send_wr.sizeof());
    }

    final void putId(long id) {
        NativeMemory.putLong(address, ID, id);
    }

    final void putOpcode(int opcode) {
        NativeMemory.putInt(address, OPCODE, opcode);
    }

    final void putFlag(int flag, boolean set) {
        int flags = NativeMemory.getInt(address, FLAGS);
        int wanted = set ? flags | flag : flags & ~flag;
        if (wanted != flags) {
            NativeMemory.putInt(address, FLAGS, wanted);
        }
    }

    final void putInline(boolean set) {
        inline = set;
        classify();
        putFlag(INLINE, set);
        if (set && inlineEntry == 0) {
            inlineEntry = slab.allocate(ibv_sge.sizeof() + owner.maxInlineData());
            inlineData = NativeMemory.struct(inlineEntry + ibv_sge.sizeof(), owner.maxInlineData());
            NativeMemory.putLong(inlineEntry, ibv_sge.addr$offset(), inlineData.address());
        }
        if (!set) {
            putList(entries, parts);
        }
        if (set && batch instanceof SendBatch in) {
            in.look();
        }
    }

    /** The key to invalidate shares the place of the immediate, but is in host order. */
    final void putInvalidatedKey(int rkey) {
        NativeMemory.putInt(address, IMMEDIATE, rkey);
    }

    /**
     * What must not be closed while it is posted, because the provider looks into the native
     * objects themselves.
     *
     * @throws IllegalStateException when it is not complete
     */
    Lifecycle[] guards() {
        return NO_GUARDS;
    }

    /** Accepted by the provider; called for what is {@link #guarded}, or in a batch with such. */
    void posted() {}

    final void putImmediate(int value) {
        NativeMemory.putNetworkInt(address, IMMEDIATE, value);
    }

    final void gather(MemoryRegion region, long offset, long length) {
        putParts(list.set(region, offset, length));
    }

    final void gather(MemorySlice... slices) {
        putParts(list.set(slices));
    }

    /**
     * How many entries count; mostly as many as before. The list of an inline request is set when
     * it is posted.
     */
    private void putParts(int count) {
        if (count != parts) {
            parts = count;
            NativeMemory.putInt(address, LIST_LENGTH, count);
        }
    }

    private void putList(long first, int count) {
        NativeMemory.putLong(address, LIST, first);
        NativeMemory.putInt(address, LIST_LENGTH, count);
    }

    final void putRemote(RemoteBuffer remote, long offset) {
        if (Long.compareUnsigned(offset, remote.length()) > 0) {
            Arguments.part("remote buffer", offset, 0, remote.length());
        }
        putRemote(remote.address() + offset, remote.rkey());
    }

    final void putRemote(long remoteAddress, int rkey) {
        NativeMemory.putLong(address, REMOTE_ADDRESS, remoteAddress);
        NativeMemory.putInt(address, REMOTE_KEY, rkey);
    }

    final boolean isInline() {
        return inline;
    }

    final boolean isSignaled() {
        return (NativeMemory.getInt(address, FLAGS) & SIGNALED) != 0;
    }

    final void putRemoteQueue(int number) {
        if (owner.setup().type() != QueuePairType.XRC_SEND) {
            throw new IllegalStateException(
                    owner + " has no remote queues to choose from: only XRC has");
        }
        NativeMemory.putInt(address, XRC_QUEUE, number);
    }

    final void putDestination(AddressHandle handle, int queuePairNumber, int queueKey) {
        if (!unconnected) {
            throw new IllegalStateException(
                    owner + " has no destinations to choose from: only datagrams do");
        }
        NativeMemory.putLong(address, UD_HANDLE, handle.requireUsableBy(owner));
        NativeMemory.putInt(
                address,
                UD_QUEUE_PAIR,
                Arguments.range("queuePairNumber", queuePairNumber, 0, 0xff_ffff));
        NativeMemory.putInt(address, UD_QUEUE_KEY, queueKey);
        if (destination != handle) { // storing a reference costs a barrier of the collector
            destination = handle;
        }
    }

    final void requireOf(WorkQueues pair) {
        if (owner != pair) {
            throw new IllegalArgumentException(
                    "the request is of "
                            + owner
                            + ", not of "
                            + pair
                            + ": a request is posted where it was made");
        }
    }

    /**
     * Whether {@link #prepareAlone} has something to do before it is posted, or it has {@link
     * #guards}.
     */
    final boolean isSpecial() {
        return special;
    }

    /**
     * What would crash or silently misbehave. Every request on closed memory is refused by the
     * device, but for inline data, which the processor reads.
     */
    final void prepareAlone() {
        if (batch != null) {
            throw new IllegalStateException(
                    "the request is in a batch: post the batch, or clear it first");
        }
        prepare();
        holdDestination();
    }

    @Override
    final void batch(@Nullable RequestBatch<?> in) {
        super.batch(in);
        classify();
    }

    private void classify() {
        special = needsALook() || guarded || batch != null;
    }

    /** Whether {@link #prepare} and {@link #holdDestination} have something to do. */
    final boolean needsALook() {
        return inline || unconnected;
    }

    /** What has to be done before each post. */
    final void prepare() {
        if (inline) {
            copyInline();
        }
    }

    /**
     * Keeps the address handle, which the provider reads, from being destroyed until the post that
     * follows is over; the last thing before it.
     */
    final void holdDestination() {
        if (unconnected) {
            owner.holdDestination(destination);
        }
    }

    /**
     * Copies the inline data into the request, from where the provider takes it. What is too long
     * is not copied: the provider refuses the length before it looks at the data.
     */
    final void copyInline() {
        long length = list.copyTo(inlineData, parts);
        NativeMemory.putInt(inlineEntry, ibv_sge.length$offset(), (int) length);
        putList(inlineEntry, length == 0 ? 0 : 1);
    }

    /** Bytes that it moves, for messages. */
    final long length() {
        return list.length(parts);
    }

    @Override
    final void link(long next) {
        NativeMemory.putLong(address, NEXT, next);
    }

    /** For messages; allocates. */
    @Override
    public String toString() {
        return getClass().getSimpleName()
                + " request "
                + id()
                + " of "
                + length()
                + " bytes on "
                + owner;
    }
}
