package org.verbs4j.bindings;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/**
 * The inline functions of {@code <rdma/rdma_cma.h>} and {@code <rdma/rdma_verbs.h>}: shorthands on
 * the queue pair and queues of an {@code rdma_cm_id}.
 *
 * <p>Pointers are {@code long}s; they must be valid, as in C. Functions that return an {@code int}
 * return -1 on failure, those that return a pointer NULL, with the reason in {@link
 * NativeLibraries#errno()}. The posting functions build their request in memory of their own for
 * each call; {@link DataPath} is the way for every message.
 */
@SuppressWarnings("MemberName") // the names are C's
public final class InlineRdmaCm {
    private static final long ADDRESSES = rdma_cm_id.route$offset() + rdma_route.addr$offset();

    private InlineRdmaCm() {}

    /** {@code rdma_get_local_addr(3)}: a {@code sockaddr *} within the id. */
    public static long rdma_get_local_addr(long id) {
        return id + ADDRESSES + rdma_addr.src_addr$offset();
    }

    /** {@code rdma_get_peer_addr(3)}: a {@code sockaddr *} within the id. */
    public static long rdma_get_peer_addr(long id) {
        return id + ADDRESSES + rdma_addr.dst_addr$offset();
    }

    /**
     * {@code rdma_seterrno}: turns an error number into -1 and {@link NativeLibraries#errno()}; 0
     * stays 0.
     */
    public static int rdma_seterrno(int error) {
        if (error == 0) {
            return 0;
        }
        NativeLibraries.setErrno(error);
        return -1;
    }

    /** {@code rdma_reg_msgs(3)}: a region to send from and to receive into. */
    public static long rdma_reg_msgs(long id, long addr, long length) {
        return register(id, addr, length, Verbs.IBV_ACCESS_LOCAL_WRITE());
    }

    /** {@code rdma_reg_read(3)}: a region that the peer may read. */
    public static long rdma_reg_read(long id, long addr, long length) {
        return register(
                id, addr, length, Verbs.IBV_ACCESS_LOCAL_WRITE() | Verbs.IBV_ACCESS_REMOTE_READ());
    }

    /** {@code rdma_reg_write(3)}: a region that the peer may write. */
    public static long rdma_reg_write(long id, long addr, long length) {
        return register(
                id, addr, length, Verbs.IBV_ACCESS_LOCAL_WRITE() | Verbs.IBV_ACCESS_REMOTE_WRITE());
    }

    private static long register(long id, long addr, long length, int access) {
        return InlineVerbs.ibv_reg_mr(
                Memory.getLong(id + rdma_cm_id.pd$offset()), addr, length, access);
    }

    /** {@code rdma_dereg_mr(3)}. */
    public static int rdma_dereg_mr(long mr) {
        return rdma_seterrno(OptionalCalls.status(Calls.exported("ibv_dereg_mr"), mr));
    }

    /** {@code rdma_post_recvv(3)}: to the shared receive queue if the id has one. */
    public static int rdma_post_recvv(long id, long context, long sgl, int count) {
        try (Request request = new Request()) {
            return request.postRecv(id, context, sgl, count);
        }
    }

    /** {@code rdma_post_sendv(3)}. */
    public static int rdma_post_sendv(long id, long context, long sgl, int count, int flags) {
        try (Request request = new Request()) {
            return request.postSend(id, context, sgl, count, Verbs.IBV_WR_SEND(), flags);
        }
    }

    /** {@code rdma_post_readv(3)}. */
    public static int rdma_post_readv(
            long id, long context, long sgl, int count, int flags, long remoteAddr, int rkey) {
        try (Request request = new Request()) {
            request.remote(remoteAddr, rkey);
            return request.postSend(id, context, sgl, count, Verbs.IBV_WR_RDMA_READ(), flags);
        }
    }

    /** {@code rdma_post_writev(3)}. */
    public static int rdma_post_writev(
            long id, long context, long sgl, int count, int flags, long remoteAddr, int rkey) {
        try (Request request = new Request()) {
            request.remote(remoteAddr, rkey);
            return request.postSend(id, context, sgl, count, Verbs.IBV_WR_RDMA_WRITE(), flags);
        }
    }

    /** {@code rdma_post_recv(3)}; {@code mr} must cover the buffer. */
    public static int rdma_post_recv(long id, long context, long addr, long length, long mr) {
        assert covers(mr, addr, length);
        try (Request request = new Request()) {
            return request.postRecv(id, context, request.gather(addr, length, lkey(mr)), 1);
        }
    }

    /** {@code rdma_post_send(3)}; {@code mr} may be NULL for inline data. */
    public static int rdma_post_send(
            long id, long context, long addr, long length, long mr, int flags) {
        try (Request request = new Request()) {
            long sge = request.gather(addr, length, mr == 0 ? 0 : lkey(mr));
            return request.postSend(id, context, sge, 1, Verbs.IBV_WR_SEND(), flags);
        }
    }

    /** {@code rdma_post_read(3)}. */
    public static int rdma_post_read(
            long id,
            long context,
            long addr,
            long length,
            long mr,
            int flags,
            long remoteAddr,
            int rkey) {
        try (Request request = new Request()) {
            long sge = request.gather(addr, length, lkey(mr));
            request.remote(remoteAddr, rkey);
            return request.postSend(id, context, sge, 1, Verbs.IBV_WR_RDMA_READ(), flags);
        }
    }

    /** {@code rdma_post_write(3)}; {@code mr} may be NULL for inline data. */
    public static int rdma_post_write(
            long id,
            long context,
            long addr,
            long length,
            long mr,
            int flags,
            long remoteAddr,
            int rkey) {
        try (Request request = new Request()) {
            long sge = request.gather(addr, length, mr == 0 ? 0 : lkey(mr));
            request.remote(remoteAddr, rkey);
            return request.postSend(id, context, sge, 1, Verbs.IBV_WR_RDMA_WRITE(), flags);
        }
    }

    /** {@code rdma_post_ud_send(3)}; {@code mr} may be NULL for inline data. */
    public static int rdma_post_ud_send(
            long id,
            long context,
            long addr,
            long length,
            long mr,
            int flags,
            long ah,
            int remoteQpn) {
        try (Request request = new Request()) {
            long sge = request.gather(addr, length, mr == 0 ? 0 : lkey(mr));
            request.datagram(ah, remoteQpn);
            return request.postSend(id, context, sge, 1, Verbs.IBV_WR_SEND(), flags);
        }
    }

    /**
     * {@code rdma_get_send_comp(3)}: waits for one completion; 1, or -1 on failure. Neither ends on
     * an interrupt.
     */
    public static int rdma_get_send_comp(long id, long wc) {
        return completion(
                id,
                Memory.getLong(id + rdma_cm_id.send_cq$offset()),
                Memory.getLong(id + rdma_cm_id.send_cq_channel$offset()),
                wc);
    }

    /**
     * {@code rdma_get_recv_comp(3)}: waits for one completion; 1, or -1 on failure. Neither ends on
     * an interrupt.
     */
    public static int rdma_get_recv_comp(long id, long wc) {
        return completion(
                id,
                Memory.getLong(id + rdma_cm_id.recv_cq$offset()),
                Memory.getLong(id + rdma_cm_id.recv_cq_channel$offset()),
                wc);
    }

    private static int completion(long id, long cq, long channel, long wc) {
        while (true) {
            int polled = InlineVerbs.ibv_poll_cq(cq, 1, wc);
            if (polled != 0) {
                return polled < 0 ? rdma_seterrno(polled) : polled;
            }
            int error = InlineVerbs.ibv_req_notify_cq(cq, 0);
            if (error != 0) {
                return rdma_seterrno(error);
            }
            // A completion that came between the poll and the request raises no event.
            polled = InlineVerbs.ibv_poll_cq(cq, 1, wc);
            if (polled != 0) {
                return polled < 0 ? rdma_seterrno(polled) : polled;
            }
            int failed = awaitEvent(id, cq, channel);
            if (failed != 0) {
                return failed;
            }
            CapturingCalls.voidCall(Calls.exported("ibv_ack_cq_events"), cq, 1);
        }
    }

    private static int awaitEvent(long id, long cq, long channel) {
        try (Arena arena = Arena.ofConfined()) {
            long ofCq = arena.allocate(Long.BYTES, Long.BYTES).address();
            long ofContext = arena.allocate(Long.BYTES, Long.BYTES).address();
            long function = Calls.exported("ibv_get_cq_event");
            int failed = CapturingCalls.intCall(function, channel, ofCq, ofContext);
            assert failed != 0 || (Memory.getLong(ofCq) == cq && Memory.getLong(ofContext) == id);
            return failed;
        }
    }

    private static int lkey(long mr) {
        return Memory.getInt(mr + ibv_mr.lkey$offset());
    }

    private static boolean covers(long mr, long addr, long length) {
        long start = Memory.getLong(mr + ibv_mr.addr$offset());
        long end = start + Memory.getLong(mr + ibv_mr.length$offset());
        return Long.compareUnsigned(addr, start) >= 0
                && Long.compareUnsigned(addr + length, end) <= 0;
    }

    /** What C builds on the stack: a request, the place for {@code bad_wr} and one gather entry. */
    private static final class Request implements AutoCloseable {
        private static final long REMOTE = ibv_send_wr.wr$offset() + ibv_send_wr.wr.rdma$offset();
        private static final long DATAGRAM = ibv_send_wr.wr$offset() + ibv_send_wr.wr.ud$offset();

        private final Arena arena = Arena.ofConfined();
        private final long bad = arena.allocate(Long.BYTES, Long.BYTES).address();
        private final long wr = arena.allocate(ibv_send_wr.layout()).address();

        @Override
        public void close() {
            arena.close();
        }

        long gather(long addr, long length, int lkey) {
            MemorySegment sge = arena.allocate(ibv_sge.layout());
            ibv_sge.addr(sge, addr);
            ibv_sge.length(sge, (int) length);
            ibv_sge.lkey(sge, lkey);
            return sge.address();
        }

        void remote(long addr, int rkey) {
            Memory.setLong(wr + REMOTE + ibv_send_wr.wr.rdma.remote_addr$offset(), addr);
            Memory.setInt(wr + REMOTE + ibv_send_wr.wr.rdma.rkey$offset(), rkey);
        }

        void datagram(long ah, int remoteQpn) {
            Memory.setLong(wr + DATAGRAM + ibv_send_wr.wr.ud.ah$offset(), ah);
            Memory.setInt(wr + DATAGRAM + ibv_send_wr.wr.ud.remote_qpn$offset(), remoteQpn);
            Memory.setInt(
                    wr + DATAGRAM + ibv_send_wr.wr.ud.remote_qkey$offset(), Verbs.RDMA_UDP_QKEY());
        }

        int postSend(long id, long context, long sgl, int count, int opcode, int flags) {
            Memory.setLong(wr + ibv_send_wr.wr_id$offset(), context);
            Memory.setLong(wr + ibv_send_wr.sg_list$offset(), sgl);
            Memory.setInt(wr + ibv_send_wr.num_sge$offset(), count);
            Memory.setInt(wr + ibv_send_wr.opcode$offset(), opcode);
            Memory.setInt(wr + ibv_send_wr.send_flags$offset(), flags);
            return rdma_seterrno(
                    InlineVerbs.ibv_post_send(
                            Memory.getLong(id + rdma_cm_id.qp$offset()), wr, bad));
        }

        /** An {@code ibv_recv_wr} is shorter than the {@code ibv_send_wr} whose place it takes. */
        int postRecv(long id, long context, long sgl, int count) {
            Memory.setLong(wr + ibv_recv_wr.wr_id$offset(), context);
            Memory.setLong(wr + ibv_recv_wr.sg_list$offset(), sgl);
            Memory.setInt(wr + ibv_recv_wr.num_sge$offset(), count);
            long srq = Memory.getLong(id + rdma_cm_id.srq$offset());
            return rdma_seterrno(
                    srq != 0
                            ? InlineVerbs.ibv_post_srq_recv(srq, wr, bad)
                            : InlineVerbs.ibv_post_recv(
                                    Memory.getLong(id + rdma_cm_id.qp$offset()), wr, bad));
        }
    }
}
