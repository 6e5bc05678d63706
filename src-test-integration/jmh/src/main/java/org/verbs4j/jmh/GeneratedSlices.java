package org.verbs4j.jmh;

import org.verbs4j.bindings.DataPath;
import org.verbs4j.bindings.Verbs;
import org.verbs4j.bindings.ibv_send_wr;
import org.verbs4j.bindings.ibv_sge;
import org.verbs4j.bindings.ibv_wc;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;

/**
 * What one writes first when jextract has run: segments as arguments, a slice for each struct,
 * generated accessors. Here to show what the design of the hot path is for.
 */
final class GeneratedSlices {
    private static final MethodHandle POST =
            Linker.nativeLinker()
                    .downcallHandle(
                            FunctionDescriptor.of(
                                    ValueLayout.JAVA_INT,
                                    ValueLayout.ADDRESS,
                                    ValueLayout.ADDRESS,
                                    ValueLayout.ADDRESS));
    private static final MethodHandle POLL =
            Linker.nativeLinker()
                    .downcallHandle(
                            FunctionDescriptor.of(
                                    ValueLayout.JAVA_INT,
                                    ValueLayout.ADDRESS,
                                    ValueLayout.JAVA_INT,
                                    ValueLayout.ADDRESS));

    private final MemorySegment pair;
    private final MemorySegment queue;
    private final MemorySegment postSend;
    private final MemorySegment poll;
    private final MemorySegment requests;
    private final MemorySegment gather;
    private final MemorySegment completions;
    private final MemorySegment bad;
    private final Loopback loopback;

    GeneratedSlices(Arena arena, Loopback loopback) {
        this.loopback = loopback;
        long context = loopback.context().handle().address();
        pair = loopback.pair().handle();
        queue = loopback.queue().handle();
        postSend = MemorySegment.ofAddress(DataPath.postSendFunction(context));
        poll = MemorySegment.ofAddress(DataPath.pollCqFunction(context));
        requests = ibv_send_wr.allocateArray(2, arena);
        gather = ibv_sge.allocateArray(2, arena);
        completions = ibv_wc.allocateArray(2, arena);
        bad = arena.allocate(ValueLayout.ADDRESS);
    }

    /** Post and poll, every field written, four read. */
    long fullPair(int operations) {
        long sum = 0;
        for (int i = 0; i < operations; i++) {
            MemorySegment sge = ibv_sge.asSlice(gather, i & 1);
            ibv_sge.addr(sge, loopback.region().address());
            ibv_sge.length(sge, loopback.length());
            ibv_sge.lkey(sge, loopback.region().lkey());
            MemorySegment request = ibv_send_wr.asSlice(requests, i & 1);
            ibv_send_wr.wr_id(request, i);
            ibv_send_wr.next(request, MemorySegment.NULL);
            ibv_send_wr.sg_list(request, sge);
            ibv_send_wr.num_sge(request, 1);
            ibv_send_wr.opcode(request, Verbs.IBV_WR_RDMA_WRITE());
            ibv_send_wr.send_flags(request, Verbs.IBV_SEND_SIGNALED());
            MemorySegment rdma = ibv_send_wr.wr.rdma(ibv_send_wr.wr(request));
            ibv_send_wr.wr.rdma.remote_addr(rdma, loopback.remote().address());
            ibv_send_wr.wr.rdma.rkey(rdma, loopback.remote().rkey());
            MemorySegment completion = ibv_wc.asSlice(completions, i & 1);
            try {
                int error = (int) POST.invokeExact(postSend, pair, request, bad);
                int count = (int) POLL.invokeExact(poll, queue, 1, completion);
                if (error != 0 || count != 1 || ibv_wc.status(completion) != 0) {
                    throw new IllegalStateException(
                            "an operation failed in the jextract style slice");
                }
            } catch (RuntimeException | Error e) {
                throw e;
            } catch (Throwable e) {
                throw new AssertionError(e);
            }
            sum +=
                    ibv_wc.wr_id(completion)
                            + ibv_wc.opcode(completion)
                            + ibv_wc.byte_len(completion);
        }
        return sum;
    }
}
