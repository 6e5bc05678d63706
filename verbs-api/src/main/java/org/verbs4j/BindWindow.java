package org.verbs4j;

import org.jspecify.annotations.Nullable;
import org.verbs4j.bindings.Verbs;
import org.verbs4j.bindings.ibv_send_wr;

import java.lang.foreign.MemorySegment;

/**
 * Binds a memory window of type 2 to a part of a region, {@code IBV_WR_BIND_MW}: from its
 * completion on a peer on the other end of this queue pair can use the window's new key.
 *
 * <p>Belongs to one thread at a time, see {@link SendRequest}. Posting one allocates, other than
 * other requests: the window and the region are kept from being closed meanwhile.
 */
public final class BindWindow extends SendRequest {
    private final MemorySegment bind = ibv_send_wr.bind_mw(handle());
    private @Nullable MemoryWindow window;
    private @Nullable MemorySlice slice;
    private Access[] access = {};

    BindWindow(QueuePair owner) {
        super(owner, Verbs.IBV_WR_BIND_MW(), true);
    }

    @Override
    public BindWindow id(long id) {
        putId(id);
        return this;
    }

    @Override
    public BindWindow signaled(boolean signaled) {
        putFlag(SIGNALED, signaled);
        return this;
    }

    @Override
    public BindWindow fenced(boolean fenced) {
        putFlag(FENCE, fenced);
        return this;
    }

    /**
     * Sets the window to bind.
     *
     * @param toBind of type 2 and not bound: invalidate it first when it is
     * @param newKey its key from then on: any with the upper 24 bits of {@link
     *     MemoryWindow#rkey()}, such as {@link MemoryWindow#nextKey} of the last one
     * @throws IllegalArgumentException when it is of another domain than the queue pair
     * @throws IllegalStateException when the window is closed
     */
    public BindWindow window(MemoryWindow toBind, int newKey) {
        requireDomain(toBind.protectionDomain(), toBind);
        ibv_send_wr.bind_mw.mw(bind, toBind.handle());
        ibv_send_wr.bind_mw.rkey(bind, newKey);
        window = toBind;
        return this;
    }

    /**
     * Sets what the window opens.
     *
     * @param part of a region with {@link Access#MEMORY_WINDOW_BIND}: without that it completes as
     *     {@link WorkStatus#WINDOW_BIND_ERROR}
     * @param peersAccess what the peer may do, of the REMOTE ones; with {@link Access#ZERO_BASED}
     *     its addresses are offsets
     * @throws IllegalArgumentException when the region is of another domain than the queue pair
     * @throws IllegalStateException when the region is closed
     */
    public BindWindow over(MemorySlice part, Access... peersAccess) {
        MemoryRegion region = part.region();
        requireDomain(region.protectionDomain(), region);
        region.requirePart(part.offset(), part.length());
        access = peersAccess.clone();
        MemoryWindow.describe(
                ibv_send_wr.bind_mw.bind_info(bind), region, part.address(), part.length(), access);
        slice = part;
        return this;
    }

    private void requireDomain(ProtectionDomain of, Object what) {
        if (!of.sharesMemoryWith(owner.protectionDomain())) {
            throw new IllegalArgumentException(
                    what + " is of another protection domain than " + owner);
        }
    }

    /**
     * What the peer needs, once the binding has completed.
     *
     * @throws IllegalStateException when {@link #window} or {@link #over} has not been called
     */
    public RemoteBuffer remote() {
        MemorySlice part = requireComplete();
        boolean zeroBased = (Access.mask(access) & Access.ZERO_BASED.code()) != 0;
        return new RemoteBuffer(
                zeroBased ? 0 : part.address(), part.length(), ibv_send_wr.bind_mw.rkey(bind));
    }

    /** A provider would look behind a pointer that is not there. */
    private MemorySlice requireComplete() {
        if (window == null || slice == null) {
            throw new IllegalStateException(
                    "the request is not complete: set the window and what it opens");
        }
        return slice;
    }

    @Override
    Lifecycle[] guards() {
        MemorySlice part = requireComplete();
        MemoryWindow toBind = window;
        return toBind == null ? NO_GUARDS : new Lifecycle[] {toBind.life(), part.region().life()};
    }

    /**
     * Who binds has to keep the window's key, and soft-RoCE binds only a window whose key it knows;
     * at once, so that requests behind this one can bind it again.
     */
    @Override
    void posted() {
        if (window != null) {
            window.rkey(ibv_send_wr.bind_mw.rkey(bind));
        }
    }
}
