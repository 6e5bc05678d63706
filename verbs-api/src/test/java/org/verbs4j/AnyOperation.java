package org.verbs4j;

import org.verbs4j.bindings.Verbs;
import org.verbs4j.bindings.verbs_context;

import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;

/**
 * The table of operations that rdma-core keeps to itself, {@code verbs_context.priv}: exported
 * functions call through it. Its order is private and changes, so every entry is one function.
 */
final class AnyOperation {
    private static final int ENTRIES = 512;
    private static final int MOST_ARGUMENTS = 6;

    private AnyOperation() {}

    /** Lets every exported function run an operation, with up to 6 arguments, noted as "any". */
    static void provide(FakeProvider provider, FakeProvider.Operation operation) {
        MemorySegment function = provider.function("any", MOST_ARGUMENTS, operation);
        MemorySegment table =
                provider.allocate(MemoryLayout.sequenceLayout(ENTRIES, Verbs.C_POINTER));
        for (int i = 0; i < ENTRIES; i++) {
            table.setAtIndex(Verbs.C_POINTER, i, function);
        }
        MemorySegment context =
                MemorySegment.ofAddress(provider.handle.address() - verbs_context.context$offset())
                        .reinterpret(verbs_context.sizeof());
        verbs_context.priv(context, table);
    }
}
