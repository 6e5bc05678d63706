package org.verbs4j;

import org.verbs4j.bindings.Verbs;
import org.verbs4j.bindings.ibv_context;
import org.verbs4j.bindings.ibv_context_ops;
import org.verbs4j.bindings.ibv_cq;
import org.verbs4j.bindings.ibv_mr;
import org.verbs4j.bindings.ibv_qp;
import org.verbs4j.bindings.ibv_recv_wr;
import org.verbs4j.bindings.ibv_send_wr;
import org.verbs4j.bindings.ibv_sge;
import org.verbs4j.bindings.ibv_wc;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/**
 * A context whose provider is Java: it notes what is posted and fails as it is told. Only the hot
 * calls work, and nothing can be closed.
 */
final class FakeDevice {
    static final int MAX_SGE = 4;
    static final long MAX_MESSAGE = 1L << 31;
    private static final int LKEY = 0x11223344;
    private static final int QUEUE_PAIR = 17;

    private final Arena arena = Arena.ofAuto();

    /** For the operations beside the hot calls. */
    final FakeProvider provider = new FakeProvider();

    final DeviceContext context;
    final ProtectionDomain domain;
    final CompletionQueue queue;
    final RcQueuePair pair;

    /** What was posted: copies, as a provider makes them. */
    final List<Posted> posted = new ArrayList<>();

    /** The error to give for the request with this index, counted over all. */
    int failAt = -1;

    int errno;
    boolean namesTheBadOne = true;
    int pollResult;

    /** A request as the provider saw it. */
    record Posted(
            long address,
            long id,
            int opcode,
            int flags,
            int count,
            List<Part> parts,
            MemorySegment raw) {}

    /** An entry of its list. */
    record Part(long address, int length, int key) {}

    FakeDevice() {
        MemorySegment ops = ibv_context.ops(provider.handle);
        ibv_context_ops.post_send(
                ops, ibv_context_ops.post_send.allocate((qp, wr, bad) -> send(wr, bad), arena));
        ibv_context_ops.post_recv(
                ops, ibv_context_ops.post_recv.allocate((qp, wr, bad) -> receive(wr, bad), arena));
        ibv_context_ops.poll_cq(
                ops, ibv_context_ops.poll_cq.allocate((cq, count, wc) -> poll(count, wc), arena));
        Guid guid = new Guid(1);
        Device device =
                new Device("fake0", guid, NodeType.CHANNEL_ADAPTER, TransportType.INFINIBAND);
        context = provider.open(device, TestAttributes.small());
        domain = provider.newDomain(context);
        MemorySegment cq = arena.allocate(ibv_cq.layout());
        ibv_cq.context(cq, provider.handle);
        ibv_cq.cqe(cq, 128);
        queue = new CompletionQueue(context, null, 0, cq);
        pair = newPair();
        ready(pair);
    }

    /** A queue pair in RESET. */
    RcQueuePair newPair() {
        MemorySegment qp = arena.allocate(ibv_qp.layout());
        ibv_qp.context(qp, provider.handle);
        ibv_qp.qp_num(qp, QUEUE_PAIR);
        return newPair(qp, Set.of());
    }

    /** A queue pair of one's own, in RESET. */
    RcQueuePair newPair(MemorySegment qp, Set<SendOperation> extendedSends) {
        return new RcQueuePair(setup(QueuePairType.RC, domain, qp, extendedSends));
    }

    /** What a queue pair of any type was made with. */
    QueuePairSetup setup(QueuePairType type, ProtectionDomain of, MemorySegment qp) {
        return setup(type, of, qp, Set.of());
    }

    private QueuePairSetup setup(
            QueuePairType type,
            ProtectionDomain of,
            MemorySegment qp,
            Set<SendOperation> extendedSends) {
        return new QueuePairSetup(
                type,
                context,
                of,
                null,
                queue,
                queue,
                null,
                List.of(of.life(), queue.life()),
                qp,
                context.port(1),
                null,
                PortAttributes.LinkLayer.INFINIBAND,
                MAX_MESSAGE,
                0,
                0,
                0,
                List.of(),
                false,
                new QueuePairSetup.Capacity(128, 128, MAX_SGE, MAX_SGE, 64),
                extendedSends);
    }

    private static void ready(RcQueuePair pair) {
        pair.admit(true, true);
    }

    /** Memory of a region; the kernel has not heard of it. */
    MemoryRegion region(long size) {
        MemorySegment mr = arena.allocate(ibv_mr.layout());
        ibv_mr.lkey(mr, LKEY);
        ibv_mr.rkey(mr, ~LKEY);
        return new MemoryRegion(domain, mr, arena.allocate(size, 4096), null);
    }

    /** Memory that is not there, for lengths that nobody has. */
    MemoryRegion imaginary(long address, long size) {
        MemorySegment mr = arena.allocate(ibv_mr.layout());
        ibv_mr.lkey(mr, LKEY);
        return new MemoryRegion(
                domain, mr, MemorySegment.ofAddress(address).reinterpret(size), null);
    }

    private int send(MemorySegment first, MemorySegment bad) {
        MemorySegment wr = first.reinterpret(ibv_send_wr.sizeof());
        while (wr.address() != 0) {
            MemorySegment raw = arena.allocate(ibv_send_wr.layout()).copyFrom(wr);
            int result =
                    note(
                            wr,
                            bad,
                            new Posted(
                                    wr.address(),
                                    ibv_send_wr.wr_id(wr),
                                    ibv_send_wr.opcode(wr),
                                    ibv_send_wr.send_flags(wr),
                                    ibv_send_wr.num_sge(wr),
                                    parts(ibv_send_wr.sg_list(wr), ibv_send_wr.num_sge(wr)),
                                    raw));
            if (result != 0) {
                return result;
            }
            MemorySegment next = ibv_send_wr.next(wr);
            wr = next.address() == 0 ? next : next.reinterpret(ibv_send_wr.sizeof());
        }
        return 0;
    }

    private int receive(MemorySegment first, MemorySegment bad) {
        MemorySegment wr = first.reinterpret(ibv_recv_wr.sizeof());
        while (wr.address() != 0) {
            int result =
                    note(
                            wr,
                            bad,
                            new Posted(
                                    wr.address(),
                                    ibv_recv_wr.wr_id(wr),
                                    0,
                                    0,
                                    ibv_recv_wr.num_sge(wr),
                                    parts(ibv_recv_wr.sg_list(wr), ibv_recv_wr.num_sge(wr)),
                                    wr));
            if (result != 0) {
                return result;
            }
            MemorySegment next = ibv_recv_wr.next(wr);
            wr = next.address() == 0 ? next : next.reinterpret(ibv_recv_wr.sizeof());
        }
        return 0;
    }

    private int note(MemorySegment wr, MemorySegment bad, Posted seen) {
        if (posted.size() == failAt) {
            if (namesTheBadOne) {
                bad.reinterpret(8).set(Verbs.C_POINTER, 0, wr);
            }
            return errno;
        }
        posted.add(seen);
        return 0;
    }

    private static List<Part> parts(MemorySegment list, int count) {
        MemorySegment all = list.reinterpret(count * ibv_sge.sizeof());
        List<Part> parts = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            MemorySegment entry = ibv_sge.asSlice(all, i);
            parts.add(new Part(ibv_sge.addr(entry), ibv_sge.length(entry), ibv_sge.lkey(entry)));
        }
        return parts;
    }

    private int poll(int count, MemorySegment wc) {
        if (pollResult <= 0) {
            return pollResult;
        }
        int taken = Math.min(count, pollResult);
        MemorySegment all = wc.reinterpret(taken * ibv_wc.sizeof());
        for (int i = 0; i < taken; i++) {
            MemorySegment one = ibv_wc.asSlice(all, i);
            ibv_wc.wr_id(one, 1000 + i);
            ibv_wc.status(one, i == 0 ? Verbs.IBV_WC_SUCCESS() : Verbs.IBV_WC_RETRY_EXC_ERR());
            ibv_wc.opcode(one, Verbs.IBV_WC_RECV());
            ibv_wc.vendor_err(one, 0x81);
            ibv_wc.byte_len(one, -1);
            ibv_wc.imm_data(one, Integer.reverseBytes(0x01020304));
            ibv_wc.qp_num(one, QUEUE_PAIR);
            ibv_wc.src_qp(one, 99);
            ibv_wc.wc_flags(one, Verbs.IBV_WC_WITH_IMM());
        }
        pollResult -= taken;
        return taken;
    }
}
