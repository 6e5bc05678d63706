package org.verbs4j.jmh;

import org.verbs4j.bindings.Verbs;
import org.verbs4j.bindings.ibv_recv_wr;
import org.verbs4j.bindings.ibv_send_wr;
import org.verbs4j.bindings.ibv_sge;
import org.verbs4j.bindings.ibv_wc;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/**
 * Memory by address and the work requests laid out in it, without any check: the floor that the
 * public API is compared with. One segment over all memory, the address masked once an operation,
 * so that the compiler can prove the access in bounds and aligned.
 */
final class Raw {
    private static final MemorySegment ALL = MemorySegment.NULL.reinterpret(Long.MAX_VALUE);
    private static final long MASK = ((1L << 56) - 1) & ~7L;

    static final long REQUEST_SIZE = ibv_send_wr.sizeof();
    static final long COMPLETION_SIZE = ibv_wc.sizeof();
    static final long SGE_SIZE = ibv_sge.sizeof();

    private static final long WR_ID = ibv_send_wr.wr_id$offset();
    private static final long NEXT = ibv_send_wr.next$offset();
    private static final long SG_LIST = ibv_send_wr.sg_list$offset();
    private static final long NUM_SGE = ibv_send_wr.num_sge$offset();
    private static final long OPCODE = ibv_send_wr.opcode$offset();
    private static final long SEND_FLAGS = ibv_send_wr.send_flags$offset();
    private static final long REMOTE_ADDRESS =
            ibv_send_wr.wr$offset()
                    + ibv_send_wr.wr.rdma$offset()
                    + ibv_send_wr.wr.rdma.remote_addr$offset();
    private static final long REMOTE_KEY =
            ibv_send_wr.wr$offset()
                    + ibv_send_wr.wr.rdma$offset()
                    + ibv_send_wr.wr.rdma.rkey$offset();
    private static final long ADDRESS = ibv_sge.addr$offset();
    private static final long LENGTH = ibv_sge.length$offset();
    private static final long LOCAL_KEY = ibv_sge.lkey$offset();

    private static final long WC_ID = ibv_wc.wr_id$offset();
    private static final long WC_STATUS = ibv_wc.status$offset();
    private static final long WC_OPCODE = ibv_wc.opcode$offset();
    private static final long WC_LENGTH = ibv_wc.byte_len$offset();

    private static final int WRITE = Verbs.IBV_WR_RDMA_WRITE();
    private static final int SIGNALED = Verbs.IBV_SEND_SIGNALED();

    private Raw() {}

    static MemorySegment allocate(Arena arena, long size) {
        return arena.allocate(size, 64);
    }

    static void id(long request, long id) {
        ALL.set(ValueLayout.JAVA_LONG, (request & MASK) + WR_ID, id);
    }

    static void next(long request, long next) {
        ALL.set(ValueLayout.JAVA_LONG, (request & MASK) + NEXT, next);
    }

    /** Every field of a signaled WRITE and its one gather entry. */
    static void write(
            long request,
            long sge,
            long id,
            long local,
            int length,
            int lkey,
            long remote,
            int rkey) {
        long entry = sge & MASK;
        ALL.set(ValueLayout.JAVA_LONG, entry + ADDRESS, local);
        ALL.set(ValueLayout.JAVA_INT, entry + LENGTH, length);
        ALL.set(ValueLayout.JAVA_INT, entry + LOCAL_KEY, lkey);
        long at = request & MASK;
        ALL.set(ValueLayout.JAVA_LONG, at + WR_ID, id);
        ALL.set(ValueLayout.JAVA_LONG, at + NEXT, 0L);
        ALL.set(ValueLayout.JAVA_LONG, at + SG_LIST, sge);
        ALL.set(ValueLayout.JAVA_INT, at + NUM_SGE, 1);
        ALL.set(ValueLayout.JAVA_INT, at + OPCODE, WRITE);
        ALL.set(ValueLayout.JAVA_INT, at + SEND_FLAGS, SIGNALED);
        ALL.set(ValueLayout.JAVA_LONG, at + REMOTE_ADDRESS, remote);
        ALL.set(ValueLayout.JAVA_INT, at + REMOTE_KEY, rkey);
    }

    static long completedId(long completion) {
        return ALL.get(ValueLayout.JAVA_LONG, (completion & MASK) + WC_ID);
    }

    static int status(long completion) {
        return ALL.get(ValueLayout.JAVA_INT, (completion & MASK) + WC_STATUS);
    }

    /**
     * The identifiers of polled completions, added up.
     *
     * @throws IllegalStateException when one failed
     */
    static long sumOfIds(long completions, int count) {
        long sum = 0;
        int failed = 0;
        for (int i = 0; i < count; i++) {
            long completion = completions + i * COMPLETION_SIZE;
            failed |= status(completion);
            sum += completedId(completion);
        }
        if (failed != 0) {
            throw new IllegalStateException("an operation of a batch failed");
        }
        return sum;
    }

    /** Status, identifier, opcode and length of a completion, added up. */
    static long sum(long completion) {
        long at = completion & MASK;
        return ALL.get(ValueLayout.JAVA_LONG, at + WC_ID)
                + ALL.get(ValueLayout.JAVA_INT, at + WC_STATUS)
                + ALL.get(ValueLayout.JAVA_INT, at + WC_OPCODE)
                + ALL.get(ValueLayout.JAVA_INT, at + WC_LENGTH);
    }

    /** A receive request with one scatter entry. */
    static long receive(Arena arena, long local, int length, int lkey) {
        long request = allocate(arena, ibv_recv_wr.sizeof()).address();
        long entry = allocate(arena, SGE_SIZE).address();
        ALL.set(ValueLayout.JAVA_LONG, entry + ADDRESS, local);
        ALL.set(ValueLayout.JAVA_INT, entry + LENGTH, length);
        ALL.set(ValueLayout.JAVA_INT, entry + LOCAL_KEY, lkey);
        ALL.set(ValueLayout.JAVA_LONG, request + ibv_recv_wr.sg_list$offset(), entry);
        ALL.set(ValueLayout.JAVA_INT, request + ibv_recv_wr.num_sge$offset(), 1);
        return request;
    }
}
