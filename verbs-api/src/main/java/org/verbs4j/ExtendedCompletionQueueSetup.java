package org.verbs4j;

import org.jspecify.annotations.Nullable;
import org.verbs4j.bindings.ContextVerbs;
import org.verbs4j.bindings.NativeLibraries;
import org.verbs4j.bindings.Verbs;
import org.verbs4j.bindings.ibv_cq_ex;
import org.verbs4j.bindings.ibv_cq_init_attr_ex;
import org.verbs4j.bindings.verbs_context;
import org.verbs4j.internal.ProviderPolicy;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;

/** Makes extended completion queues. */
final class ExtendedCompletionQueueSetup {
    private static final long[] ALWAYS_CALLED = {
        ibv_cq_ex.start_poll$offset(),
        ibv_cq_ex.next_poll$offset(),
        ibv_cq_ex.end_poll$offset(),
        ibv_cq_ex.read_opcode$offset(),
        ibv_cq_ex.read_vendor_err$offset(),
        ibv_cq_ex.read_wc_flags$offset()
    };

    private ExtendedCompletionQueueSetup() {}

    static ExtendedCompletionQueue create(ExtendedCompletionQueue.Builder asked) {
        List<Lifecycle> parents = new ArrayList<>(List.of(asked.context.life()));
        CompletionChannel channel = asked.channel;
        if (channel != null) {
            parents.add(channel.life());
        }
        if (asked.parentDomain != null) {
            parents.add(asked.parentDomain.life());
        }
        CompletionQueue queue =
                Lifecycle.make(
                        () ->
                                channel == null
                                        ? create(asked, null, 0)
                                        : channel.add(place -> create(asked, channel, place)),
                        parents.toArray(Lifecycle[]::new));
        return new ExtendedCompletionQueue(queue, asked.fields);
    }

    private static CompletionQueue create(
            ExtendedCompletionQueue.Builder asked, @Nullable CompletionChannel channel, int place) {
        DeviceContext context = asked.context;
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment attr = arena.allocate(ibv_cq_init_attr_ex.layout());
            ibv_cq_init_attr_ex.cqe(attr, asked.minCapacity);
            ibv_cq_init_attr_ex.cq_context(attr, MemorySegment.ofAddress(place));
            ibv_cq_init_attr_ex.comp_vector(attr, asked.vector);
            ibv_cq_init_attr_ex.wc_flags(attr, CompletionField.mask(asked.fields));
            if (channel != null) {
                ibv_cq_init_attr_ex.channel(attr, channel.handle());
            }
            int options = 0;
            if (asked.flags != 0) {
                options |= Verbs.IBV_CQ_INIT_ATTR_MASK_FLAGS();
                ibv_cq_init_attr_ex.flags(attr, asked.flags);
            }
            if (asked.parentDomain != null) {
                options |= Verbs.IBV_CQ_INIT_ATTR_MASK_PD();
                ibv_cq_init_attr_ex.parent_domain(attr, asked.parentDomain.handle());
            }
            ibv_cq_init_attr_ex.comp_mask(attr, options);
            long cq = ContextVerbs.ibv_create_cq_ex(context.address(), attr.address());
            if (cq == 0) {
                throw UnsupportedVerbs.failure(
                        "ibv_create_cq_ex",
                        NativeLibraries.errno(),
                        context,
                        verbs_context.create_cq_ex$offset(),
                        describe(asked));
            }
            MemorySegment handle = MemorySegment.ofAddress(cq).reinterpret(ibv_cq_ex.sizeof());
            requireReaders(asked, handle);
            // From ibv_start_poll to ibv_end_poll this thread may have to stop for the virtual
            // machine while it holds the provider's lock. A critical call of another thread that
            // spins for it would keep the machine from ever getting there.
            ProviderPolicy never = new ProviderPolicy(context.provider(), false, false);
            return asked.parentDomain == null
                    ? new CompletionQueue(context, channel, place, handle, never)
                    : new CompletionQueue(
                            context, channel, place, handle, never, asked.parentDomain.life());
        }
    }

    /** A provider that forgets a field would make the JVM call a NULL pointer. */
    private static void requireReaders(ExtendedCompletionQueue.Builder asked, MemorySegment cq) {
        for (CompletionField field : asked.fields) {
            requireFunction(
                    asked, cq, field.reader(), "accepted " + field + ", but cannot read it");
        }
        for (long function : ALWAYS_CALLED) {
            requireFunction(asked, cq, function, "cannot poll extended completion queues");
        }
    }

    private static void requireFunction(
            ExtendedCompletionQueue.Builder asked, MemorySegment cq, long function, String what) {
        if (cq.get(ValueLayout.JAVA_LONG, function) == 0) {
            int errno = Verbs.ibv_destroy_cq(cq);
            throw new VerbsException(
                    "ibv_create_cq_ex",
                    errno,
                    "the provider " + asked.context.provider() + " " + what);
        }
    }

    private static String describe(ExtendedCompletionQueue.Builder asked) {
        List<String> options = new ArrayList<>();
        if ((asked.flags & Verbs.IBV_CREATE_CQ_ATTR_SINGLE_THREADED()) != 0) {
            options.add("singleThreaded");
        }
        if ((asked.flags & Verbs.IBV_CREATE_CQ_ATTR_IGNORE_OVERRUN()) != 0) {
            options.add("ignoreOverrun");
        }
        if (asked.parentDomain != null) {
            options.add("a parent domain");
        }
        return "an extended completion queue of "
                + asked.minCapacity
                + " on "
                + asked.context.device().name()
                + " with "
                + asked.fields
                + (options.isEmpty() ? "" : " and " + String.join(", ", options));
    }
}
