package org.verbs4j;

import org.jspecify.annotations.Nullable;
import org.verbs4j.bindings.ContextVerbs;
import org.verbs4j.bindings.NativeLibraries;
import org.verbs4j.bindings.ibv_parent_domain_init_attr;
import org.verbs4j.bindings.ibv_pd;
import org.verbs4j.bindings.verbs_context;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/**
 * What a parent domain has beside what every protection domain has.
 *
 * @param under the domain that it is above
 * @param thread who keeps from using its objects at the same time, if anybody
 * @param calls where its queues take their memory from, if not as usual
 */
record ParentDomain(
        ProtectionDomain under, @Nullable ThreadDomain thread, @Nullable QueueMemoryCalls calls) {

    static ProtectionDomain make(
            ProtectionDomain under, @Nullable ThreadDomain thread, @Nullable QueueMemory memory) {
        if (thread == null) {
            return Lifecycle.make(() -> create(under, null, memory), under.life());
        }
        if (thread.context() != under.context()) {
            throw new IllegalArgumentException("the " + thread + " is of another context");
        }
        return Lifecycle.make(() -> create(under, thread, memory), under.life(), thread.life());
    }

    private static ProtectionDomain create(
            ProtectionDomain under, @Nullable ThreadDomain thread, @Nullable QueueMemory memory) {
        QueueMemoryCalls calls = memory == null ? null : new QueueMemoryCalls(memory);
        ParentDomain parent = new ParentDomain(under, thread, calls);
        try {
            return new ProtectionDomain(parent, parent.allocate());
        } catch (RuntimeException e) {
            parent.free();
            throw e;
        }
    }

    private MemorySegment allocate() {
        DeviceContext context = under.context();
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment attr = arena.allocate(ibv_parent_domain_init_attr.layout());
            ibv_parent_domain_init_attr.pd(attr, under.handle());
            if (thread != null) {
                ibv_parent_domain_init_attr.td(attr, thread.handle());
            }
            if (calls != null) {
                calls.put(attr);
            }
            long domain = ContextVerbs.ibv_alloc_parent_domain(context.address(), attr.address());
            if (domain == 0) {
                throw UnsupportedVerbs.failure(
                        "ibv_alloc_parent_domain",
                        NativeLibraries.errno(),
                        context,
                        verbs_context.alloc_parent_domain$offset(),
                        "a parent domain on " + context.device().name());
            }
            return MemorySegment.ofAddress(domain).reinterpret(ibv_pd.sizeof());
        }
    }

    Lifecycle newLife() {
        String name = "parent domain of " + under.context().device().name();
        return thread == null
                ? new Lifecycle(name, under.life())
                : new Lifecycle(name, under.life(), thread.life());
    }

    /** When the native domain is gone. */
    void free() {
        if (calls != null) {
            calls.close();
        }
    }
}
