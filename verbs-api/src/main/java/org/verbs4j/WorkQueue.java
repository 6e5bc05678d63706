package org.verbs4j;

import org.verbs4j.bindings.ContextVerbs;
import org.verbs4j.bindings.NativeLibraries;
import org.verbs4j.bindings.Verbs;
import org.verbs4j.bindings.ibv_wq;
import org.verbs4j.bindings.ibv_wq_attr;
import org.verbs4j.bindings.ibv_wq_init_attr;
import org.verbs4j.bindings.verbs_context;
import org.verbs4j.internal.CallGate;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.Collections;
import java.util.EnumSet;
import java.util.Set;

/**
 * A receive queue without a queue pair, {@code struct ibv_wq}: several of them make an {@link
 * IndirectionTable} that spreads packets over processors.
 *
 * <p>One thread at a time may post; receives are taken while it is {@link State#READY}. The other
 * methods may be called by any thread at any time.
 */
public final class WorkQueue extends ReceiveQueue {
    private final ProtectionDomain domain;
    private final DeviceContext context;
    private final MemorySegment handle;
    private final Lifecycle life;
    private final int maxRequests;
    private final int maxSge;

    /** Whether the provider has a function for it: a post would call NULL. */
    private final boolean takesPosts;

    /** The state of a work queue: {@code enum ibv_wq_state}. */
    public enum State {
        /** Does nothing. */
        RESET(Verbs.IBV_WQS_RESET()),
        /** Receives. */
        READY(Verbs.IBV_WQS_RDY()),
        /** Flushes. */
        ERROR(Verbs.IBV_WQS_ERR()),
        /** Newer than this library, or not known. */
        UNKNOWN(Verbs.IBV_WQS_UNKNOWN());

        private final int code;

        State(int code) {
            this.code = code;
        }

        static State of(int code) {
            for (State state : values()) {
                if (state.code == code) {
                    return state;
                }
            }
            return UNKNOWN;
        }
    }

    /** What few devices can do for a work queue: {@code enum ibv_wq_flags}. */
    public enum Option {
        /** The VLAN tag is taken out of what is received. */
        STRIP_VLAN(Verbs.IBV_WQ_FLAGS_CVLAN_STRIPPING()),
        /** Packets are received with their frame check sequence. */
        SCATTER_FRAME_CHECK_SEQUENCE(Verbs.IBV_WQ_FLAGS_SCATTER_FCS()),
        /** A packet waits for a while when there is no receive for it. */
        DELAY_DROP(Verbs.IBV_WQ_FLAGS_DELAY_DROP()),
        /** Writes over PCI are padded to whole cache lines. */
        PAD_PCI_WRITES(Verbs.IBV_WQ_FLAGS_PCI_WRITE_END_PADDING());

        private final int bit;

        Option(int bit) {
            this.bit = bit;
        }

        static int mask(Set<Option> options) {
            return options.stream().mapToInt(option -> option.bit).reduce(0, (a, b) -> a | b);
        }
    }

    private WorkQueue(Builder asked, MemorySegment handle, int maxRequests, int maxSge) {
        super(
                new Lifecycle(
                        "work queue "
                                + ibv_wq.wq_num(handle)
                                + " on "
                                + asked.domain.context().device().name(),
                        asked.domain.life(),
                        asked.queue.life()),
                asked.domain.context(),
                ibv_wq.post_recv(handle).address());
        this.domain = asked.domain;
        this.context = asked.domain.context();
        this.handle = handle;
        this.life = life();
        this.takesPosts = ibv_wq.post_recv(handle).address() != 0;
        this.maxRequests = maxRequests;
        this.maxSge = maxSge;
        context.events().add(handle, this);
    }

    private static WorkQueue create(Builder asked) {
        DeviceContext context = asked.domain.context();
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment attr = arena.allocate(ibv_wq_init_attr.layout());
            ibv_wq_init_attr.wq_type(attr, Verbs.IBV_WQT_RQ());
            ibv_wq_init_attr.max_wr(attr, asked.maxRequests);
            ibv_wq_init_attr.max_sge(attr, asked.maxSge);
            ibv_wq_init_attr.pd(attr, asked.domain.handle());
            ibv_wq_init_attr.cq(attr, asked.queue.handle());
            if (!asked.options.isEmpty()) {
                ibv_wq_init_attr.comp_mask(attr, Verbs.IBV_WQ_INIT_ATTR_FLAGS());
                ibv_wq_init_attr.create_flags(attr, Option.mask(asked.options));
            }
            long wq = ContextVerbs.ibv_create_wq(context.address(), attr.address());
            if (wq == 0) {
                throw UnsupportedVerbs.failure(
                        "ibv_create_wq",
                        NativeLibraries.errno(),
                        context,
                        verbs_context.create_wq$offset(),
                        "a work queue of "
                                + asked.maxRequests
                                + " requests of "
                                + asked.maxSge
                                + " parts with "
                                + asked.options
                                + " on "
                                + context.device().name());
            }
            return new WorkQueue(
                    asked,
                    MemorySegment.ofAddress(wq).reinterpret(ibv_wq.sizeof()),
                    ibv_wq_init_attr.max_wr(attr),
                    ibv_wq_init_attr.max_sge(attr));
        }
    }

    /** Its number, 24 bits: {@code wq_num}. */
    public int number() {
        return life.whileOpen(() -> ibv_wq.wq_num(handle));
    }

    /** The state that this process last moved it to. */
    public State state() {
        return life.whileOpen(() -> State.of(ibv_wq.state(handle)));
    }

    /**
     * Moves it to another state, {@code ibv_modify_wq(3)}: from RESET to READY, and back when it
     * has failed.
     *
     * @throws VerbsException when the device refuses
     */
    public void modify(State state) {
        life.runWhileOpen(
                () -> {
                    try (Arena arena = Arena.ofConfined()) {
                        MemorySegment attr = arena.allocate(ibv_wq_attr.layout());
                        ibv_wq_attr.attr_mask(attr, Verbs.IBV_WQ_ATTR_STATE());
                        ibv_wq_attr.wq_state(attr, state.code);
                        modify(attr, "moving the " + life + " to " + state);
                        admit(state == State.READY);
                    }
                });
    }

    /**
     * Turns an option on or off, {@code ibv_modify_wq(3)}.
     *
     * @throws VerbsException when the device refuses
     */
    public void modify(Option option, boolean on) {
        life.runWhileOpen(
                () -> {
                    try (Arena arena = Arena.ofConfined()) {
                        MemorySegment attr = arena.allocate(ibv_wq_attr.layout());
                        ibv_wq_attr.attr_mask(attr, Verbs.IBV_WQ_ATTR_FLAGS());
                        ibv_wq_attr.flags(attr, on ? option.bit : 0);
                        ibv_wq_attr.flags_mask(attr, option.bit);
                        modify(attr, "turning " + option + " of the " + life);
                    }
                });
    }

    private void admit(boolean ready) {
        RECEIVES.set(this, ready && takesPosts ? handle.address() : 0);
    }

    private void modify(MemorySegment attr, String what) {
        int errno = ContextVerbs.ibv_modify_wq(handle.address(), attr.address());
        if (errno != 0) {
            throw UnsupportedVerbs.failure(
                    "ibv_modify_wq", errno, context, verbs_context.modify_wq$offset(), what);
        }
    }

    DeviceContext context() {
        return context;
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
        return "ibv_post_wq_recv";
    }

    @Override
    String receiveName() {
        return toString();
    }

    @Override
    void requireReceives() {}

    @Override
    IllegalStateException receivesShut() {
        if (life.isOpen() && !takesPosts) {
            return new IllegalStateException(
                    "the provider " + context.provider() + " takes no receives for the " + life);
        }
        return new IllegalStateException(
                life.isOpen() ? life + " takes receives when it is READY" : life + " is closed");
    }

    /** Escape hatch: {@code struct ibv_wq *}, valid while the queue is open. */
    public MemorySegment handle() {
        life.requireOpen();
        return handle;
    }

    /**
     * Destroys the queue, {@code ibv_destroy_wq}. Does nothing when it is closed.
     *
     * @throws IllegalStateException when an indirection table still has it, naming it
     * @throws VerbsException when the kernel refuses
     */
    @Override
    public void close() {
        life.close(
                () -> {
                    boolean ready = state() == State.READY;
                    CallGate.shut(this, RECEIVES);
                    int errno = ContextVerbs.ibv_destroy_wq(handle.address());
                    if (errno != 0) {
                        admit(ready);
                        throw new VerbsException(
                                "ibv_destroy_wq", errno, "cannot destroy the " + life);
                    }
                    context.events().remove(handle, this);
                });
    }

    /** The options of a work queue: {@code struct ibv_wq_init_attr}. Belongs to one thread. */
    public static final class Builder {
        private static final int DEFAULT_REQUESTS = 128;

        private final ProtectionDomain domain;
        private final CompletionQueue queue;
        private final Set<Option> options = EnumSet.noneOf(Option.class);
        private int maxRequests = DEFAULT_REQUESTS;
        private int maxSge = 1;

        Builder(ProtectionDomain domain, CompletionQueue queue) {
            if (queue.context() != domain.context()) {
                throw new IllegalArgumentException(
                        "the " + queue + " is of another context than the " + domain);
            }
            this.domain = domain;
            this.queue = queue;
        }

        /**
         * Sets how many receives may be outstanding: {@code max_wr}.
         *
         * @param count 128 at first, not negative; {@link #build()} refuses what the device has not
         */
        public Builder maxRequests(int count) {
            maxRequests = Arguments.range("maxRequests", count, 0, Integer.MAX_VALUE);
            return this;
        }

        /**
         * Sets how many parts a receive may have: {@code max_sge}.
         *
         * @param count 1 at first, not negative; {@link #build()} refuses what the device has not
         */
        public Builder maxSge(int count) {
            maxSge = Arguments.range("maxSge", count, 0, Integer.MAX_VALUE);
            return this;
        }

        /** Asks for options, beside those asked for before. */
        public Builder options(Option... more) {
            Collections.addAll(options, more);
            return this;
        }

        /**
         * Makes the queue, {@code ibv_create_wq(3)}, in RESET.
         *
         * @throws UnsupportedVerbException when the device has no work queues
         * @throws VerbsException when the device refuses
         */
        public WorkQueue build() {
            return Lifecycle.make(() -> WorkQueue.create(this), domain.life(), queue.life());
        }
    }
}
