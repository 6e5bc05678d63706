package org.verbs4j;

import org.verbs4j.bindings.ContextVerbs;
import org.verbs4j.bindings.NativeLibraries;
import org.verbs4j.bindings.ibv_flow_action;
import org.verbs4j.bindings.ibv_flow_action_esp_attr;
import org.verbs4j.bindings.verbs_context;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/**
 * An IPsec transformation of packets, {@code struct ibv_flow_action}, for {@link
 * FlowRule.Action.Handle}. Any thread may use it.
 *
 * <p>Keys and replay windows are described by the kernel's own structs ({@code
 * rdma/ib_user_ioctl_verbs.h}), to which the attributes point; the program lays them out.
 */
public final class FlowAction implements AutoCloseable {
    private final DeviceContext context;
    private final MemorySegment handle;
    private final Lifecycle life;

    private FlowAction(DeviceContext context, MemorySegment handle) {
        this.context = context;
        this.handle = handle;
        this.life = new Lifecycle("flow action of " + context.device().name(), context.life());
    }

    static FlowAction createEsp(DeviceContext context, MemorySegment attributes) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment attr = copyOf(attributes, arena);
            long action =
                    ContextVerbs.ibv_create_flow_action_esp(context.address(), attr.address());
            if (action == 0) {
                throw UnsupportedVerbs.failure(
                        "ibv_create_flow_action_esp",
                        NativeLibraries.errno(),
                        context,
                        verbs_context.create_flow_action_esp$offset(),
                        "an IPsec action on " + context.device().name());
            }
            return new FlowAction(
                    context, MemorySegment.ofAddress(action).reinterpret(ibv_flow_action.sizeof()));
        }
    }

    /** What is too short C would read beyond, and what another thread frees meanwhile it reads. */
    private static MemorySegment copyOf(MemorySegment attributes, Arena arena) {
        long size = ibv_flow_action_esp_attr.sizeof();
        if (attributes.byteSize() < size) {
            throw new IllegalArgumentException(
                    "the attributes must be a struct ibv_flow_action_esp_attr of "
                            + size
                            + " bytes, but are "
                            + attributes);
        }
        return arena.allocate(ibv_flow_action_esp_attr.layout())
                .copyFrom(attributes.asSlice(0, size));
    }

    /**
     * Changes it, {@code ibv_modify_flow_action_esp}, such as the next extended sequence number.
     *
     * @param attributes a {@code struct ibv_flow_action_esp_attr}; what it points to must be alive
     * @throws IllegalArgumentException when it is not as large as that
     * @throws VerbsException when the device refuses
     */
    public void modify(MemorySegment attributes) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment attr = copyOf(attributes, arena);
            life.runWhileOpen(() -> modify(attr.address()));
        }
    }

    private void modify(long attr) {
        int errno = ContextVerbs.ibv_modify_flow_action_esp(handle.address(), attr);
        if (errno != 0) {
            throw UnsupportedVerbs.failure(
                    "ibv_modify_flow_action_esp",
                    errno,
                    context,
                    verbs_context.modify_flow_action_esp$offset(),
                    "changing the " + life);
        }
    }

    DeviceContext context() {
        return context;
    }

    Lifecycle life() {
        return life;
    }

    /** Escape hatch: {@code struct ibv_flow_action *}, valid while the action is open. */
    public MemorySegment handle() {
        life.requireOpen();
        return handle;
    }

    /**
     * Destroys it, {@code ibv_destroy_flow_action}. Does nothing when it is closed.
     *
     * @throws IllegalStateException when a flow still uses it, naming it
     * @throws VerbsException when the kernel refuses
     */
    @Override
    public void close() {
        life.close(
                "ibv_destroy_flow_action",
                "cannot destroy the " + life,
                () -> ContextVerbs.ibv_destroy_flow_action(handle.address()));
    }

    @Override
    public String toString() {
        return life.toString();
    }
}
