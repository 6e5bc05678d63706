package org.verbs4j;

import org.verbs4j.bindings.ContextVerbs;
import org.verbs4j.bindings.NativeLibraries;
import org.verbs4j.bindings.Verbs;
import org.verbs4j.bindings.ibv_rwq_ind_table;
import org.verbs4j.bindings.ibv_rwq_ind_table_init_attr;
import org.verbs4j.bindings.verbs_context;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.stream.Stream;

/**
 * Which work queue a packet goes to, by the hash of its header: {@code struct ibv_rwq_ind_table}. A
 * {@link RssQueuePair} hashes. Any thread may use it.
 */
public final class IndirectionTable implements AutoCloseable {
    private final DeviceContext context;
    private final MemorySegment handle;
    private final Lifecycle life;

    private IndirectionTable(DeviceContext context, MemorySegment handle, Lifecycle... parents) {
        this.context = context;
        this.handle = handle;
        this.life =
                new Lifecycle(
                        "indirection table "
                                + ibv_rwq_ind_table.ind_tbl_num(handle)
                                + " on "
                                + context.device().name(),
                        parents);
    }

    static IndirectionTable make(DeviceContext context, List<WorkQueue> queues) {
        if (Integer.bitCount(queues.size()) != 1) {
            throw new IllegalArgumentException(
                    "an indirection table has a power of two of work queues, not "
                            + queues.size()
                            + "; one queue may be there several times");
        }
        for (WorkQueue queue : queues) {
            if (queue.context() != context) {
                throw new IllegalArgumentException("the " + queue + " is of another context");
            }
        }
        Lifecycle[] parents =
                Stream.concat(
                                Stream.of(context.life()),
                                queues.stream().distinct().map(WorkQueue::life))
                        .toArray(Lifecycle[]::new);
        return Lifecycle.make(() -> create(context, queues, parents), parents);
    }

    private static IndirectionTable create(
            DeviceContext context, List<WorkQueue> queues, Lifecycle... parents) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment list = arena.allocate(Verbs.C_POINTER, queues.size());
            for (int i = 0; i < queues.size(); i++) {
                list.setAtIndex(Verbs.C_POINTER, i, queues.get(i).handle());
            }
            MemorySegment attr = arena.allocate(ibv_rwq_ind_table_init_attr.layout());
            ibv_rwq_ind_table_init_attr.log_ind_tbl_size(
                    attr, Integer.numberOfTrailingZeros(queues.size()));
            ibv_rwq_ind_table_init_attr.ind_tbl(attr, list);
            long table = ContextVerbs.ibv_create_rwq_ind_table(context.address(), attr.address());
            if (table == 0) {
                throw UnsupportedVerbs.failure(
                        "ibv_create_rwq_ind_table",
                        NativeLibraries.errno(),
                        context,
                        verbs_context.create_rwq_ind_table$offset(),
                        "an indirection table of "
                                + queues.size()
                                + " work queues on "
                                + context.device().name());
            }
            return new IndirectionTable(
                    context,
                    MemorySegment.ofAddress(table).reinterpret(ibv_rwq_ind_table.sizeof()),
                    parents);
        }
    }

    DeviceContext context() {
        return context;
    }

    Lifecycle life() {
        return life;
    }

    /** Escape hatch: {@code struct ibv_rwq_ind_table *}, valid while the table is open. */
    public MemorySegment handle() {
        life.requireOpen();
        return handle;
    }

    /**
     * Destroys the table, {@code ibv_destroy_rwq_ind_table}. Does nothing when it is closed.
     *
     * @throws IllegalStateException when a queue pair still spreads by it, naming it
     * @throws VerbsException when the kernel refuses
     */
    @Override
    public void close() {
        life.close(
                "ibv_destroy_rwq_ind_table",
                "cannot destroy the " + life,
                () -> ContextVerbs.ibv_destroy_rwq_ind_table(handle.address()));
    }

    @Override
    public String toString() {
        return life.toString();
    }
}
