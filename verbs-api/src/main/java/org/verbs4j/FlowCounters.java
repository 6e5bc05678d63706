package org.verbs4j;

import org.jspecify.annotations.Nullable;
import org.verbs4j.bindings.ContextVerbs;
import org.verbs4j.bindings.NativeLibraries;
import org.verbs4j.bindings.Verbs;
import org.verbs4j.bindings.ibv_counter_attach_attr;
import org.verbs4j.bindings.ibv_counters;
import org.verbs4j.bindings.ibv_counters_init_attr;
import org.verbs4j.bindings.verbs_context;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/**
 * Counts what flows carry, {@code struct ibv_counters}: attach counters, make flows with {@link
 * FlowRule.Action.Count}, read. Any thread may use it.
 */
public final class FlowCounters implements AutoCloseable {
    private static final int MOST_VALUES = 1 << 16;

    private final DeviceContext context;
    private final MemorySegment handle;
    private final Lifecycle life;

    /** What is counted: {@code enum ibv_counter_description}. */
    public enum Kind {
        /** Packets. */
        PACKETS(Verbs.IBV_COUNTER_PACKETS()),
        /** Bytes. */
        BYTES(Verbs.IBV_COUNTER_BYTES());

        private final int code;

        Kind(int code) {
            this.code = code;
        }
    }

    private FlowCounters(DeviceContext context, MemorySegment handle) {
        this.context = context;
        this.handle = handle;
        this.life = new Lifecycle("counters of " + context.device().name(), context.life());
    }

    static FlowCounters create(DeviceContext context) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment attr = arena.allocate(ibv_counters_init_attr.layout());
            long counters = ContextVerbs.ibv_create_counters(context.address(), attr.address());
            if (counters == 0) {
                throw UnsupportedVerbs.failure(
                        "ibv_create_counters",
                        NativeLibraries.errno(),
                        context,
                        verbs_context.create_counters$offset(),
                        "counters on " + context.device().name());
            }
            return new FlowCounters(
                    context, MemorySegment.ofAddress(counters).reinterpret(ibv_counters.sizeof()));
        }
    }

    /**
     * Says what one of the values counts, {@code ibv_attach_counters_point_flow(3)}: of every flow
     * that is made with these counters from now on.
     *
     * @param index of the value in what {@link #read} gives, from 0
     * @throws VerbsException when the device refuses
     */
    public void attach(Kind kind, int index) {
        attach(kind, index, null);
    }

    /**
     * As {@link #attach(Kind, int)}, for one flow that is in force already; few devices can.
     *
     * @param flow which, of the same context
     * @throws IllegalArgumentException when it is of another context
     * @throws IllegalStateException when the flow or these counters are closed
     */
    public void attach(Kind kind, int index, @Nullable Flow flow) {
        Arguments.range("index", index, 0, MOST_VALUES - 1);
        if (flow == null) {
            life.runWhileOpen(() -> attach(kind, index, 0));
        } else {
            if (flow.context() != context) { // the provider would take it for one of its own
                throw new IllegalArgumentException(
                        "the " + flow + " is of another context than the " + life);
            }
            Lifecycle.make(
                    () -> life.whileOpen(() -> attach(kind, index, flow.handle().address())),
                    flow.life());
        }
    }

    private boolean attach(Kind kind, int index, long flow) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment attr = arena.allocate(ibv_counter_attach_attr.layout());
            ibv_counter_attach_attr.counter_desc(attr, kind.code);
            ibv_counter_attach_attr.index(attr, index);
            check(
                    "ibv_attach_counters_point_flow",
                    verbs_context.attach_counters_point_flow$offset(),
                    ContextVerbs.ibv_attach_counters_point_flow(
                            handle.address(), attr.address(), flow),
                    "attaching " + kind + " to the " + life);
            return true;
        }
    }

    /**
     * Reads the values, {@code ibv_read_counters(3)}.
     *
     * @param count how many, 1 to 65536: those with an index below it
     * @param cached whether values of a moment ago will do, which is faster
     * @return 64 bits each
     * @throws VerbsException when the device refuses
     */
    public long[] read(int count, boolean cached) {
        Arguments.range("count", count, 1, MOST_VALUES);
        return life.whileOpen(
                () -> {
                    try (Arena arena = Arena.ofConfined()) {
                        MemorySegment values = arena.allocate(ValueLayout.JAVA_LONG, count);
                        check(
                                "ibv_read_counters",
                                verbs_context.read_counters$offset(),
                                ContextVerbs.ibv_read_counters(
                                        handle.address(),
                                        values.address(),
                                        count,
                                        cached ? Verbs.IBV_READ_COUNTERS_ATTR_PREFER_CACHED() : 0),
                                "reading the " + life);
                        return values.toArray(ValueLayout.JAVA_LONG);
                    }
                });
    }

    private void check(String verb, long operation, int errno, String what) {
        if (errno != 0) {
            throw UnsupportedVerbs.failure(verb, errno, context, operation, what);
        }
    }

    DeviceContext context() {
        return context;
    }

    Lifecycle life() {
        return life;
    }

    /** Escape hatch: {@code struct ibv_counters *}, valid while the counters are open. */
    public MemorySegment handle() {
        life.requireOpen();
        return handle;
    }

    /**
     * Frees the counters, {@code ibv_destroy_counters}. Does nothing when they are closed.
     *
     * @throws IllegalStateException when a flow is still counted, naming it
     * @throws VerbsException when the kernel refuses
     */
    @Override
    public void close() {
        life.close(
                "ibv_destroy_counters",
                "cannot destroy the " + life,
                () -> ContextVerbs.ibv_destroy_counters(handle.address()));
    }

    @Override
    public String toString() {
        return life.toString();
    }
}
