package org.verbs4j;

import org.jspecify.annotations.Nullable;
import org.verbs4j.bindings.Verbs;

import java.io.ByteArrayOutputStream;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;

/**
 * One request of an {@link ExtendedSender}, which it is made by and posted with: one of the {@code
 * ibv_wr_*} of {@code ibv_wr_post(3)} and its setters. Belongs to the thread of the sender.
 *
 * <p>It has either parts of regions or inline data, or neither, which is an empty message. The
 * memory of the parts belongs to the device until the completion has been polled; inline data is
 * copied at once.
 */
public final class ExtendedRequest {
    private final ExtendedSender sender;
    final SendOperation operation;
    final long remoteAddress;
    final int key;
    final long first;
    final long second;
    final byte[] header;

    /** What a binding binds. */
    final @Nullable Binding binding;

    /** A window, and what of which region it opens to the peer. */
    record Binding(MemoryWindow window, MemorySlice part, List<Access> access) {}

    private final List<MemorySlice> parts = new ArrayList<>();
    private final ByteArrayOutputStream inline = new ByteArrayOutputStream();
    private final List<Integer> inlineLengths = new ArrayList<>();
    private @Nullable AddressHandle destination;
    private boolean namesQueue;
    private int remoteNumber;
    private int remoteKey;
    private long id;
    private int flags = Verbs.IBV_SEND_SIGNALED();

    ExtendedRequest(
            ExtendedSender sender,
            SendOperation operation,
            @Nullable RemoteBuffer remote,
            int key,
            long first,
            long second,
            byte... header) {
        this.sender = sender;
        this.operation = operation;
        this.remoteAddress = remote == null ? 0 : remote.address();
        this.key = key;
        this.first = first;
        this.second = second;
        this.header = header;
        this.binding = null;
    }

    ExtendedRequest(ExtendedSender sender, int newKey, Binding binding) {
        this.sender = sender;
        this.operation = SendOperation.BIND_WINDOW;
        this.remoteAddress = 0;
        this.key = newKey;
        this.first = 0;
        this.second = 0;
        this.header = new byte[0];
        this.binding = binding;
    }

    /** Sets the number that its completion will carry, {@code wr_id}: any. */
    public ExtendedRequest id(long number) {
        id = number;
        return this;
    }

    /**
     * Sets whether it completes when it succeeds.
     *
     * @param signaled true at first: {@code IBV_SEND_SIGNALED}
     */
    public ExtendedRequest signaled(boolean signaled) {
        return flag(Verbs.IBV_SEND_SIGNALED(), signaled);
    }

    /**
     * Sets whether it waits until earlier reads and atomics of its queue pair are done.
     *
     * @param fenced false at first: {@code IBV_SEND_FENCE}
     */
    public ExtendedRequest fenced(boolean fenced) {
        return flag(Verbs.IBV_SEND_FENCE(), fenced);
    }

    /**
     * Sets whether it wakes a peer that asked for solicited notifications only.
     *
     * @param solicited false at first: {@code IBV_SEND_SOLICITED}
     */
    public ExtendedRequest solicited(boolean solicited) {
        return flag(Verbs.IBV_SEND_SOLICITED(), solicited);
    }

    private ExtendedRequest flag(int flag, boolean set) {
        flags = set ? flags | flag : flags & ~flag;
        return this;
    }

    /**
     * Adds a part of a region: what is sent or written, or where to what is read, {@code
     * ibv_wr_set_sge} and {@code ibv_wr_set_sge_list}.
     *
     * @param region open, of the queue pair's protection domain
     * @param offset bytes from its beginning
     * @param length bytes
     * @throws IllegalArgumentException when the part is not within the region, the region is of
     *     another domain, or there are too many
     * @throws IllegalStateException when the region is closed, or there is inline data already
     * @throws UnsupportedVerbException for a second part on soft-RoCE, whose provider sends the
     *     wrong bytes
     */
    public ExtendedRequest part(MemoryRegion region, long offset, long length) {
        requireData();
        if (isInline()) {
            throw new IllegalStateException("the request has inline data: it cannot have parts");
        }
        MemorySlice slice = new MemorySlice(region, offset, length);
        sender.requirePart(slice, parts.size());
        if (length > 0) {
            parts.add(slice);
        }
        return this;
    }

    /**
     * Adds data that is copied now, {@code ibv_wr_set_inline_data} and {@code
     * ibv_wr_set_inline_data_list}. For sends and writes, together up to {@link
     * QueuePair#maxInlineData()} bytes.
     *
     * @param data of any memory
     * @throws IllegalArgumentException when it is too long
     * @throws IllegalStateException when there are parts already
     */
    public ExtendedRequest inline(MemorySegment data) {
        requireData();
        if (!parts.isEmpty()) {
            throw new IllegalStateException("the request has parts: it cannot have inline data");
        }
        sender.requireInline(inline.size() + data.byteSize());
        inline.writeBytes(data.toArray(ValueLayout.JAVA_BYTE));
        inlineLengths.add((int) data.byteSize());
        flags |= Verbs.IBV_SEND_INLINE();
        return this;
    }

    /**
     * Sets where a datagram goes, {@code ibv_wr_set_ud_addr}; every request of a {@link
     * UdQueuePair} needs it.
     *
     * @param handle of the queue pair's protection domain; it may not be closed while it is posted
     * @param queuePairNumber the peer's, 24 bits
     * @param queueKey the peer's
     * @throws IllegalArgumentException when the handle is of another domain
     * @throws IllegalStateException when the handle is closed
     */
    public ExtendedRequest to(AddressHandle handle, int queuePairNumber, int queueKey) {
        sender.requireDestination(handle);
        destination = handle;
        remoteNumber = queuePairNumber;
        remoteKey = queueKey;
        return this;
    }

    /**
     * Sets the peer's shared receive queue, {@code ibv_wr_set_xrc_srqn}; every request of an {@link
     * XrcSendQueuePair} needs it.
     *
     * @param sharedReceiveQueue its number
     */
    public ExtendedRequest toQueue(int sharedReceiveQueue) {
        remoteNumber = sharedReceiveQueue;
        namesQueue = true;
        return this;
    }

    /** What C would take from wherever it happens to be. */
    void requireAddress(QueuePairType type) {
        if (type == QueuePairType.UD && destination == null) {
            throw new IllegalStateException(this + " has no destination: give it one with to(...)");
        }
        if (type == QueuePairType.XRC_SEND && !namesQueue) {
            throw new IllegalStateException(
                    this + " names no shared receive queue: give it one with toQueue(...)");
        }
        if ((type != QueuePairType.UD && destination != null)
                || (type != QueuePairType.XRC_SEND && namesQueue)) {
            throw new IllegalStateException(
                    this
                            + " has a destination, which a queue pair of type "
                            + type
                            + " has itself");
        }
    }

    @Nullable AddressHandle destination() {
        return destination;
    }

    boolean namesQueue() {
        return namesQueue;
    }

    int remoteNumber() {
        return remoteNumber;
    }

    int remoteKey() {
        return remoteKey;
    }

    private void requireData() {
        if (!takesData()) {
            throw new IllegalStateException(
                    operation + " has no data of its own: neither parts nor inline data");
        }
    }

    /** Whether a setter of C has to follow. */
    boolean takesData() {
        return operation != SendOperation.LOCAL_INVALIDATE
                && operation != SendOperation.ATOMIC_WRITE
                && operation != SendOperation.BIND_WINDOW;
    }

    long id() {
        return id;
    }

    /** soft-RoCE copies inline data only if the flag says so too; others ignore it. */
    int flags() {
        return flags;
    }

    boolean isInline() {
        return !inlineLengths.isEmpty();
    }

    byte[] inlineData() {
        return inline.toByteArray();
    }

    List<Integer> inlineLengths() {
        return inlineLengths;
    }

    List<MemorySlice> parts() {
        return parts;
    }

    /** For messages; allocates. */
    @Override
    public String toString() {
        return operation + " request " + id;
    }
}
