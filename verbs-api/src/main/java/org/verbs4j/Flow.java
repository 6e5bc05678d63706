package org.verbs4j;

import org.verbs4j.bindings.ContextVerbs;
import org.verbs4j.bindings.NativeLibraries;
import org.verbs4j.bindings.ibv_flow;
import org.verbs4j.bindings.verbs_context;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;

/**
 * A rule in force, {@code struct ibv_flow}: until it is closed, its packets go to its queue pair.
 * Any thread may close it.
 */
public final class Flow implements AutoCloseable {
    private final DeviceContext context;
    private final MemorySegment handle;
    private final Lifecycle life;

    private Flow(
            DeviceContext context, Lifecycle pair, MemorySegment handle, Lifecycle... parents) {
        this.context = context;
        this.handle = handle;
        this.life = new Lifecycle("flow to " + pair, parents);
    }

    static Flow make(QueuePair pair, FlowRule rule) {
        return make(pair.setup().context(), pair.life(), pair.setup().handle(), rule);
    }

    /**
     * A flow to any kind of queue pair.
     *
     * @param pair its life
     * @param target its {@code struct ibv_qp}
     */
    static Flow make(DeviceContext context, Lifecycle pair, MemorySegment target, FlowRule rule) {
        rule.requireOf(context);
        List<Lifecycle> all = new ArrayList<>(rule.uses());
        all.add(pair);
        Lifecycle[] parents = all.toArray(Lifecycle[]::new);
        return Lifecycle.make(() -> create(context, pair, target, rule, parents), parents);
    }

    private static Flow create(
            DeviceContext context,
            Lifecycle pair,
            MemorySegment target,
            FlowRule rule,
            Lifecycle... parents) {
        try (Arena arena = Arena.ofConfined()) {
            FlowEncoder encoder = new FlowEncoder(arena);
            rule.encode(encoder);
            MemorySegment attr = encoder.finish(rule);
            long flow = ContextVerbs.ibv_create_flow(target.address(), attr.address());
            if (flow == 0) {
                throw UnsupportedVerbs.failure(
                        "ibv_create_flow",
                        NativeLibraries.errno(),
                        context,
                        verbs_context.ibv_create_flow$offset(),
                        "a flow to " + pair + " by " + rule);
            }
            return new Flow(
                    context,
                    pair,
                    MemorySegment.ofAddress(flow).reinterpret(ibv_flow.sizeof()),
                    parents);
        }
    }

    DeviceContext context() {
        return context;
    }

    Lifecycle life() {
        return life;
    }

    /** Escape hatch: {@code struct ibv_flow *}, valid while the flow is open. */
    public MemorySegment handle() {
        life.requireOpen();
        return handle;
    }

    /**
     * Ends the rule, {@code ibv_destroy_flow}. Does nothing when it is closed.
     *
     * @throws VerbsException when the kernel refuses
     */
    @Override
    public void close() {
        life.close(
                "ibv_destroy_flow",
                "cannot destroy the " + life,
                () -> ContextVerbs.ibv_destroy_flow(handle.address()));
    }

    @Override
    public String toString() {
        return life.toString();
    }
}
