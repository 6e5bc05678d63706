package org.verbs4j;

import org.jspecify.annotations.Nullable;
import org.verbs4j.bindings.ContextVerbs;
import org.verbs4j.bindings.DataPath;
import org.verbs4j.bindings.NativeLibraries;
import org.verbs4j.bindings.Posix;
import org.verbs4j.bindings.Verbs;
import org.verbs4j.bindings.ibv_srq;
import org.verbs4j.bindings.ibv_srq_attr;
import org.verbs4j.bindings.ibv_srq_init_attr_ex;
import org.verbs4j.internal.CallGate;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.Objects;
import java.util.stream.Stream;

/**
 * A receive queue that several queue pairs take from, {@code struct ibv_srq}: few receives serve
 * many peers. The completions come to the completion queue of the queue pair that took the receive.
 *
 * <p>One thread at a time may post. The other methods may be called by any thread at any time:
 * {@link #close()} waits for a post under way, and later ones throw.
 */
public final class SharedReceiveQueue extends ReceiveQueue {
    private final ProtectionDomain domain;
    private final @Nullable XrcDomain xrcDomain;
    private final MemorySegment handle;
    private final int maxSge;
    private volatile int maxRequests;

    private SharedReceiveQueue(
            ProtectionDomain domain,
            @Nullable XrcDomain xrcDomain,
            MemorySegment handle,
            SharedReceiveQueueAttributes given,
            Lifecycle... parents) {
        super(
                new Lifecycle(
                        "shared receive queue of "
                                + given.maxRequests()
                                + " on "
                                + domain.context().device().name(),
                        parents),
                domain.context(),
                DataPath.postSrqRecvFunction(domain.context().address()));
        this.domain = domain;
        this.xrcDomain = xrcDomain;
        this.handle = handle;
        this.maxRequests = given.maxRequests();
        this.maxSge = given.maxSge();
        domain.context().events().add(handle, this);
        RECEIVES.set(this, handle.address());
    }

    /**
     * Makes one.
     *
     * @param xrcDomain null for a queue of one domain's own queue pairs
     * @param queue where receives of an XRC queue complete, null for others
     */
    static SharedReceiveQueue create(
            ProtectionDomain domain,
            @Nullable XrcDomain xrcDomain,
            @Nullable CompletionQueue queue,
            int maxRequests,
            int maxSge) {
        Arguments.range("maxRequests", maxRequests, 1, Integer.MAX_VALUE);
        Arguments.range("maxSge", maxSge, 0, Integer.MAX_VALUE);
        DeviceContext context = domain.context();
        if ((xrcDomain != null && xrcDomain.context() != context)
                || (queue != null && queue.context() != context)) {
            throw new IllegalArgumentException(
                    "the XRC domain, the completion queue and the "
                            + domain
                            + " are not of one context");
        }
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment init = arena.allocate(ibv_srq_init_attr_ex.layout());
            MemorySegment attr = ibv_srq_init_attr_ex.attr(init);
            ibv_srq_attr.max_wr(attr, maxRequests);
            ibv_srq_attr.max_sge(attr, maxSge);
            int mask = Verbs.IBV_SRQ_INIT_ATTR_PD() | Verbs.IBV_SRQ_INIT_ATTR_TYPE();
            ibv_srq_init_attr_ex.pd(init, domain.handle());
            ibv_srq_init_attr_ex.srq_type(init, Verbs.IBV_SRQT_BASIC());
            if (xrcDomain != null && queue != null) {
                mask |= Verbs.IBV_SRQ_INIT_ATTR_XRCD() | Verbs.IBV_SRQ_INIT_ATTR_CQ();
                ibv_srq_init_attr_ex.srq_type(init, Verbs.IBV_SRQT_XRC());
                ibv_srq_init_attr_ex.xrcd(init, xrcDomain.handle());
                ibv_srq_init_attr_ex.cq(init, queue.handle());
            }
            ibv_srq_init_attr_ex.comp_mask(init, mask);
            long srq = ContextVerbs.ibv_create_srq_ex(context.address(), init.address());
            if (srq == 0) {
                throw refused(context, xrcDomain != null, maxRequests, maxSge);
            }
            MemorySegment handle = MemorySegment.ofAddress(srq).reinterpret(ibv_srq.sizeof());
            Lifecycle[] parents =
                    Stream.of(
                                    domain.life(),
                                    xrcDomain == null ? null : xrcDomain.life(),
                                    queue == null ? null : queue.life())
                            .filter(Objects::nonNull)
                            .toArray(Lifecycle[]::new);
            try {
                return new SharedReceiveQueue(domain, xrcDomain, handle, query(handle), parents);
            } catch (RuntimeException | Error e) {
                Verbs.ibv_destroy_srq(handle); // nobody else knows it yet
                throw e;
            }
        }
    }

    private static VerbsException refused(
            DeviceContext context, boolean xrc, int maxRequests, int maxSge) {
        int errno = NativeLibraries.errno();
        String verb = xrc ? "ibv_create_srq_ex" : "ibv_create_srq";
        String device = context.device().name() + " (provider " + context.provider() + ")";
        if (UnsupportedVerbs.isMissing(errno)) {
            return new UnsupportedVerbException(
                    verb, errno, device + " has no shared receive queues" + (xrc ? " of XRC" : ""));
        }
        return new VerbsException(
                verb,
                errno,
                "a shared receive queue of "
                        + maxRequests
                        + " receives of "
                        + maxSge
                        + " parts on "
                        + device
                        + (errno == Posix.ENOMEM()
                                ? ": too large, or " + Hints.memlock("it")
                                : ": the device's limits are lower"));
    }

    /** What it can and how it is armed, {@code ibv_query_srq(3)}. */
    public SharedReceiveQueueAttributes query() {
        return life().whileOpen(() -> query(handle));
    }

    private static SharedReceiveQueueAttributes query(MemorySegment handle) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment attr = arena.allocate(ibv_srq_attr.layout());
            int errno = Verbs.ibv_query_srq(handle, attr);
            if (errno != 0) {
                throw new VerbsException(
                        "ibv_query_srq",
                        errno > 0 ? errno : NativeLibraries.errno(),
                        "the attributes of a shared receive queue");
            }
            return new SharedReceiveQueueAttributes(
                    ibv_srq_attr.max_wr(attr),
                    ibv_srq_attr.max_sge(attr),
                    ibv_srq_attr.srq_limit(attr));
        }
    }

    /**
     * Asks for one {@code IBV_EVENT_SRQ_LIMIT_REACHED} event when fewer than so many receives are
     * left, {@code ibv_modify_srq(3)}. The event disarms it.
     *
     * @param limit from 1 to {@link #maxReceiveRequests()}; 0 disarms
     * @throws VerbsException when the device cannot
     */
    public void armLimit(int limit) {
        modify(Verbs.IBV_SRQ_LIMIT(), Arguments.range("limit", limit, 0, maxRequests));
    }

    /**
     * Changes its size, {@code ibv_modify_srq(3)}; what is posted stays.
     *
     * @param requests at least 1; the device may round up, see {@link #maxReceiveRequests()}
     * @throws VerbsException when the device cannot, or more than that are posted
     */
    public void resize(int requests) {
        modify(Verbs.IBV_SRQ_MAX_WR(), Arguments.range("requests", requests, 1, Integer.MAX_VALUE));
    }

    private void modify(int mask, int value) {
        life().runWhileOpen(
                        () -> {
                            boolean resize = mask == Verbs.IBV_SRQ_MAX_WR();
                            if (resize) { // the provider moves the queue under a post
                                CallGate.shut(this, RECEIVES);
                            }
                            try {
                                modifyShut(mask, value);
                                maxRequests = query(handle).maxRequests();
                            } finally {
                                RECEIVES.set(this, handle.address());
                            }
                        });
    }

    private void modifyShut(int mask, int value) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment attr = arena.allocate(ibv_srq_attr.layout());
            ibv_srq_attr.max_wr(attr, value);
            ibv_srq_attr.srq_limit(attr, value);
            int errno = Verbs.ibv_modify_srq(handle, attr, mask);
            if (errno != 0) {
                boolean resize = mask == Verbs.IBV_SRQ_MAX_WR();
                String device = domain.context().device().name();
                throw new VerbsException(
                        "ibv_modify_srq",
                        errno,
                        (resize ? "resizing " : "arming ")
                                + this
                                + (resize ? " to " : " for fewer than ")
                                + value
                                + ": "
                                + device
                                + " cannot, or the value does not fit what is posted");
            }
        }
    }

    /**
     * The number by which senders name an XRC queue, {@code ibv_get_srq_num(3)}.
     *
     * @throws UnsupportedVerbException when it is not of an XRC domain
     */
    public int number() {
        return life().whileOpen(
                        () -> {
                            try (Arena arena = Arena.ofConfined()) {
                                MemorySegment number = arena.allocate(Verbs.C_INT);
                                int errno =
                                        ContextVerbs.ibv_get_srq_num(
                                                handle.address(), number.address());
                                if (errno != 0) {
                                    throw new UnsupportedVerbException(
                                            "ibv_get_srq_num", errno, noNumber());
                                }
                                return number.get(Verbs.C_INT, 0);
                            }
                        });
    }

    private String noNumber() {
        return xrcDomain == null
                ? this + " is not of an XRC domain, so nobody names it"
                : domain.context().provider() + " tells no number of " + this;
    }

    @Override
    public int maxReceiveRequests() {
        return maxRequests;
    }

    @Override
    public int maxReceiveSge() {
        return maxSge;
    }

    @Override
    ProtectionDomain receiveDomain() {
        return domain;
    }

    @Override
    String receiveVerb() {
        return "ibv_post_srq_recv";
    }

    @Override
    String receiveName() {
        return toString();
    }

    @Override
    void requireReceives() {}

    @Override
    IllegalStateException receivesShut() {
        return new IllegalStateException(
                life().isOpen()
                        ? this + " is being resized: post again afterwards"
                        : this + " is closed");
    }

    /** Escape hatch: {@code struct ibv_srq *}, valid while the queue is open. */
    public MemorySegment handle() {
        life().requireOpen();
        return handle;
    }

    /**
     * Destroys the queue with what is posted, {@code ibv_destroy_srq}. Does nothing when it is
     * closed.
     *
     * @throws IllegalStateException when a queue pair still takes from it, naming it
     * @throws VerbsException when the kernel refuses
     */
    @Override
    public void close() {
        life().close(
                        () -> {
                            CallGate.shut(this, RECEIVES);
                            int errno = Verbs.ibv_destroy_srq(handle);
                            if (errno != 0) {
                                RECEIVES.set(this, handle.address());
                                throw new VerbsException(
                                        "ibv_destroy_srq", errno, "cannot destroy the " + this);
                            }
                            domain.context().events().remove(handle, this);
                        });
    }
}
