package org.verbs4j;

import org.verbs4j.bindings.ContextVerbs;
import org.verbs4j.bindings.NativeLibraries;
import org.verbs4j.bindings.Posix;
import org.verbs4j.bindings.Verbs;
import org.verbs4j.bindings.ibv_xrcd;
import org.verbs4j.bindings.ibv_xrcd_init_attr;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/**
 * A domain of extended reliable connections, {@code struct ibv_xrcd}: its {@link
 * XrcReceiveQueuePair}s reach its shared receive queues, so that one connection between two
 * machines serves any number of processes on them.
 *
 * <p>Any thread may use it, several at a time. Close what was made from it first.
 */
public final class XrcDomain implements AutoCloseable {
    private static final int ANONYMOUS = -1;

    private final DeviceContext context;
    private final MemorySegment handle;
    private final Lifecycle life;

    private XrcDomain(DeviceContext context, MemorySegment handle) {
        this.context = context;
        this.handle = handle;
        this.life = new Lifecycle("XRC domain of " + context.device().name(), context.life());
    }

    static XrcDomain anonymous(DeviceContext context) {
        return open(context, ANONYMOUS, Posix.O_CREAT());
    }

    static XrcDomain ofFile(DeviceContext context, int descriptor, boolean exclusive) {
        Arguments.range("descriptor", descriptor, 0, Integer.MAX_VALUE);
        return open(context, descriptor, Posix.O_CREAT() | (exclusive ? Posix.O_EXCL() : 0));
    }

    private static XrcDomain open(DeviceContext context, int descriptor, int flags) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment attr = arena.allocate(ibv_xrcd_init_attr.layout());
            ibv_xrcd_init_attr.comp_mask(
                    attr, Verbs.IBV_XRCD_INIT_ATTR_FD() | Verbs.IBV_XRCD_INIT_ATTR_OFLAGS());
            ibv_xrcd_init_attr.fd(attr, descriptor);
            ibv_xrcd_init_attr.oflags(attr, flags);
            long xrcd = ContextVerbs.ibv_open_xrcd(context.address(), attr.address());
            if (xrcd == 0) {
                throw refused(context, NativeLibraries.errno());
            }
            return new XrcDomain(
                    context, MemorySegment.ofAddress(xrcd).reinterpret(ibv_xrcd.sizeof()));
        }
    }

    private static VerbsException refused(DeviceContext context, int errno) {
        String device = context.device().name() + " (provider " + context.provider() + ")";
        return UnsupportedVerbs.isMissing(errno)
                ? new UnsupportedVerbException(
                        "ibv_open_xrcd", errno, device + " has no extended reliable connections")
                : new VerbsException(
                        "ibv_open_xrcd",
                        errno,
                        "an XRC domain of "
                                + device
                                + (errno == Posix.EEXIST()
                                        ? ": the file has one already"
                                        : ": the device refuses, or the descriptor is not of a"
                                                + " file"));
    }

    /** The context that it was made from. */
    public DeviceContext context() {
        return context;
    }

    /**
     * A shared receive queue of this domain, {@code ibv_create_srq_ex(3)}; senders name it by its
     * {@link SharedReceiveQueue#number()}.
     *
     * @param domain what the memory of its receives is of
     * @param queue where its receives complete
     * @param maxRequests receives that may be outstanding, from 1; the device may round up
     * @param maxSge parts of a receive
     * @throws UnsupportedVerbException when the library, the provider or the kernel cannot
     * @throws VerbsException when the device refuses
     * @throws IllegalArgumentException when they are not of one context
     */
    public SharedReceiveQueue newSharedReceiveQueue(
            ProtectionDomain domain, CompletionQueue queue, int maxRequests, int maxSge) {
        return Lifecycle.make(
                () -> SharedReceiveQueue.create(domain, this, queue, maxRequests, maxSge),
                life,
                domain.life(),
                queue.life());
    }

    /** Begins a receiving queue pair of this domain, or opens one. */
    public XrcReceiveQueuePair.Builder newReceiveQueuePair() {
        life.requireOpen();
        return new XrcReceiveQueuePair.Builder(this);
    }

    /** Escape hatch: {@code struct ibv_xrcd *}, valid while the domain is open. */
    public MemorySegment handle() {
        life.requireOpen();
        return handle;
    }

    Lifecycle life() {
        return life;
    }

    /**
     * Closes the domain, {@code ibv_close_xrcd}; the last of all processes ends it. Does nothing
     * when it is closed.
     *
     * @throws IllegalStateException when something made from it is open, naming it
     * @throws VerbsException when the kernel refuses
     */
    @Override
    public void close() {
        life.close(
                "ibv_close_xrcd",
                "cannot close " + life,
                () -> ContextVerbs.ibv_close_xrcd(handle.address()));
    }

    @Override
    public String toString() {
        return life.toString();
    }
}
