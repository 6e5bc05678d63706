package org.verbs4j;

import org.jspecify.annotations.Nullable;
import org.verbs4j.bindings.InlineVerbs;
import org.verbs4j.bindings.NativeLibraries;
import org.verbs4j.bindings.Posix;
import org.verbs4j.bindings.Verbs;
import org.verbs4j.bindings.ibv_mr;
import org.verbs4j.bindings.ibv_mw;
import org.verbs4j.bindings.ibv_mw_bind;
import org.verbs4j.bindings.ibv_mw_bind_info;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.List;

/**
 * A key to a part of a region that is given and taken back without the kernel, {@code struct
 * ibv_mw}.
 *
 * <p>Any thread may use it; bind by the thread that posts sends on the queue pair. A window works
 * from the completion of its binding on, and no peer can use it any more from the completion of
 * what invalidates it on. Soft-RoCE lets a peer write past the window within its region.
 */
public final class MemoryWindow implements AutoCloseable {
    private final ProtectionDomain domain;
    private final MemorySegment handle;
    private final Type type;
    private final Lifecycle life;

    /** What it was bound to last, for the provider looks at a region even to unbind. */
    private @Nullable MemorySlice bound;

    /** Who binds a window: {@code enum ibv_mw_type}. */
    public enum Type {
        /** By {@link MemoryWindow#bind}, which chooses the key; for all queue pairs of a domain. */
        TYPE_1(Verbs.IBV_MW_TYPE_1()),
        /** By a {@link BindWindow} request, for its queue pair only. */
        TYPE_2(Verbs.IBV_MW_TYPE_2());

        private final int code;

        Type(int code) {
            this.code = code;
        }
    }

    private MemoryWindow(ProtectionDomain domain, MemorySegment handle, Type type) {
        this.domain = domain;
        this.handle = handle;
        this.type = type;
        this.life =
                new Lifecycle(
                        "memory window 0x%x (%s)".formatted(ibv_mw.rkey(handle), type),
                        domain.life());
    }

    static MemoryWindow create(ProtectionDomain domain, Type type) {
        long mw = InlineVerbs.ibv_alloc_mw(domain.handle().address(), type.code);
        if (mw == 0) {
            throw UnsupportedVerbs.failure(
                    "ibv_alloc_mw",
                    NativeLibraries.errno(),
                    domain.context(),
                    "no memory window of " + type + " on " + domain.context().device().name());
        }
        return new MemoryWindow(
                domain, MemorySegment.ofAddress(mw).reinterpret(ibv_mw.sizeof()), type);
    }

    /** {@code ibv_inc_rkey(3)}: the next key for a window, its lowest 8 bits counted up. */
    public static int nextKey(int rkey) {
        return InlineVerbs.ibv_inc_rkey(rkey);
    }

    /** The domain that it is of. */
    public ProtectionDomain protectionDomain() {
        return domain;
    }

    /** Who binds it. */
    public Type type() {
        return type;
    }

    /**
     * The key, {@code rkey}, of the last binding that was posted, before that the one that it was
     * made with.
     */
    public int rkey() {
        return life.whileOpen(() -> ibv_mw.rkey(handle));
    }

    /** Takes over the key of a binding; the caller keeps the window from being closed. */
    void rkey(int newKey) {
        ibv_mw.rkey(handle, newKey);
    }

    /**
     * Posts a binding, {@code ibv_bind_mw(3)}, which takes the place of an earlier one. It
     * completes as {@link WorkOpcode#BIND_WINDOW}; until then the key does not work.
     *
     * @param queuePair ready to send, of the same domain; the binding waits behind its requests
     * @param slice of a region of the same domain with {@link Access#MEMORY_WINDOW_BIND}: without
     *     that it completes as {@link WorkStatus#WINDOW_BIND_ERROR}
     * @param wrId the number that the completion will carry
     * @param access what the peer may do, of the REMOTE ones
     * @return what the peer needs, with the new key
     * @throws IllegalStateException when something is closed, or the queue pair not ready to send
     * @throws IllegalArgumentException when the queue pair is of another context
     * @throws VerbsException when it is refused: the window is of type 2, something is of another
     *     domain, or the send queue is full
     */
    public RemoteBuffer bind(QueuePair queuePair, MemorySlice slice, long wrId, Access... access) {
        int rkey = bind(queuePair, slice.region(), slice.address(), slice.length(), wrId, access);
        bound = slice;
        boolean zeroBased = (Access.mask(access) & Access.ZERO_BASED.code()) != 0;
        return new RemoteBuffer(zeroBased ? 0 : slice.address(), slice.length(), rkey);
    }

    /**
     * Posts a binding to nothing, {@code ibv_bind_mw(3)} with length 0, after which no peer can use
     * the window. It completes as {@link WorkOpcode#BIND_WINDOW}.
     *
     * @param queuePair as in {@link #bind}
     * @param wrId the number that the completion will carry
     * @throws IllegalStateException when it was never bound, or something is closed
     * @throws VerbsException when it is refused
     */
    public void unbind(QueuePair queuePair, long wrId) {
        MemorySlice last = bound;
        if (last == null) {
            throw new IllegalStateException(life + " was never bound");
        }
        bind(queuePair, last.region(), 0, 0, wrId);
        bound = null;
    }

    private int bind(
            QueuePair queuePair,
            MemoryRegion region,
            long address,
            long length,
            long wrId,
            Access... access) {
        if (queuePair.setup().context() != domain.context()) {
            // The window's provider would take the queue pair for one of its own.
            throw new IllegalArgumentException(
                    queuePair + " is of another context than the " + life);
        }
        return Lifecycle.make(
                () -> {
                    try (Arena arena = Arena.ofConfined()) {
                        MemorySegment bind = arena.allocate(ibv_mw_bind.layout());
                        ibv_mw_bind.wr_id(bind, wrId);
                        ibv_mw_bind.send_flags(bind, Verbs.IBV_SEND_SIGNALED());
                        describe(ibv_mw_bind.bind_info(bind), region, address, length, access);
                        int errno = queuePair.bind(handle.address(), bind.address());
                        if (errno != 0) {
                            throw refused(errno, queuePair, region, access);
                        }
                        return ibv_mw.rkey(handle);
                    }
                },
                life,
                region.life());
    }

    /** Fills in a {@code struct ibv_mw_bind_info}. */
    static void describe(
            MemorySegment info, MemoryRegion region, long address, long length, Access... access) {
        ibv_mw_bind_info.mr(info, region.handle());
        ibv_mw_bind_info.addr(info, address);
        ibv_mw_bind_info.length(info, length);
        ibv_mw_bind_info.mw_access_flags(info, Access.mask(access));
    }

    private VerbsException refused(
            int errno, QueuePair queuePair, MemoryRegion region, Access... access) {
        String what =
                "cannot bind "
                        + life
                        + " to "
                        + region
                        + " on "
                        + queuePair
                        + " for "
                        + List.of(access)
                        + ": ";
        if (type == Type.TYPE_2) {
            what += "a window of type 2 is bound by a BindWindow request";
        } else if (region.protectionDomain() != domain) {
            what += "they are of different protection domains";
        } else if (PostFailure.isFull(errno)) {
            what += "the send queue is full, so poll completions";
        } else if (errno == Posix.EINVAL() && ibv_mr.rkey(region.handle()) == 0) {
            what += "the region has no remote access";
        } else {
            what += "the provider refuses";
        }
        return UnsupportedVerbs.failure("ibv_bind_mw", errno, domain.context(), what);
    }

    /** Escape hatch: {@code struct ibv_mw *}, valid while the window is open. */
    public MemorySegment handle() {
        life.requireOpen();
        return handle;
    }

    Lifecycle life() {
        return life;
    }

    /**
     * Frees it, {@code ibv_dealloc_mw}; no peer can use it any more. Does nothing when it is
     * closed.
     *
     * @throws VerbsException when the kernel refuses
     */
    @Override
    public void close() {
        life.close(
                "ibv_dealloc_mw",
                "cannot free " + life,
                () -> InlineVerbs.ibv_dealloc_mw(handle.address()));
    }

    @Override
    public String toString() {
        return life.toString();
    }
}
