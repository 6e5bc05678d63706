package org.verbs4j;

import org.verbs4j.bindings.ContextVerbs;
import org.verbs4j.bindings.NativeLibraries;
import org.verbs4j.bindings.ibv_td;
import org.verbs4j.bindings.ibv_td_init_attr;
import org.verbs4j.bindings.verbs_context;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/**
 * Says that what is made under it is used by one thread at a time, so that the provider need not
 * lock: {@code struct ibv_td}. Give it to {@link ProtectionDomain#newParentDomain}.
 *
 * <p>Keeping that promise is up to the program: two threads at a time may crash the process, as in
 * C.
 */
public final class ThreadDomain implements AutoCloseable {
    private final DeviceContext context;
    private final MemorySegment handle;
    private final Lifecycle life;

    private ThreadDomain(DeviceContext context, MemorySegment handle) {
        this.context = context;
        this.handle = handle;
        this.life = new Lifecycle("thread domain of " + context.device().name(), context.life());
    }

    static ThreadDomain create(DeviceContext context) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment attr = arena.allocate(ibv_td_init_attr.layout());
            long td = ContextVerbs.ibv_alloc_td(context.address(), attr.address());
            if (td == 0) {
                throw UnsupportedVerbs.failure(
                        "ibv_alloc_td",
                        NativeLibraries.errno(),
                        context,
                        verbs_context.alloc_td$offset(),
                        "a thread domain on " + context.device().name());
            }
            return new ThreadDomain(
                    context, MemorySegment.ofAddress(td).reinterpret(ibv_td.sizeof()));
        }
    }

    DeviceContext context() {
        return context;
    }

    Lifecycle life() {
        return life;
    }

    /** Escape hatch: {@code struct ibv_td *}, valid while the domain is open. */
    public MemorySegment handle() {
        life.requireOpen();
        return handle;
    }

    /**
     * Frees the domain, {@code ibv_dealloc_td}. Does nothing when it is closed.
     *
     * @throws IllegalStateException when a parent domain still has it, naming it
     * @throws VerbsException when the provider refuses
     */
    @Override
    public void close() {
        life.close(
                "ibv_dealloc_td",
                "cannot free the " + life,
                () -> ContextVerbs.ibv_dealloc_td(handle.address()));
    }

    @Override
    public String toString() {
        return life.toString();
    }
}
