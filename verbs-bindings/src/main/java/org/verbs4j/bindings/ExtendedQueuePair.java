package org.verbs4j.bindings;

/**
 * The {@code ibv_wr_*} functions, which build requests through function pointers that an {@code
 * ibv_qp_ex} carries; see {@code ibv_wr_post(3)}.
 *
 * <p>The pointers are there for the operations asked for in {@code send_ops_flags} when the queue
 * pair was created; calling another one is an {@link IllegalArgumentException} where it is NULL and
 * a crash, as in C, where the library is older than the pointer. Nothing but {@link
 * #ibv_wr_complete} reports an error. Between {@link #ibv_wr_start} and {@link #ibv_wr_complete} or
 * {@link #ibv_wr_abort} the provider holds the send queue's lock: the calls must come from one
 * thread. {@code wr_id} and {@code wr_flags} are fields of {@link ibv_qp_ex}, set before a request
 * is begun.
 */
@SuppressWarnings("MemberName") // the names are C's
public final class ExtendedQueuePair {
    private ExtendedQueuePair() {}

    /** {@code ibv_wr_atomic_cmp_swp}: begins a compare and swap of 8 bytes. */
    public static void ibv_wr_atomic_cmp_swp(
            long qp, int rkey, long remoteAddr, long compare, long swap) {
        PlainCalls.voidCall(
                Memory.getLong(qp + ibv_qp_ex.wr_atomic_cmp_swp$offset()),
                qp,
                rkey,
                remoteAddr,
                compare,
                swap);
    }

    /** {@code ibv_wr_atomic_fetch_add}: begins a fetch and add of 8 bytes. */
    public static void ibv_wr_atomic_fetch_add(long qp, int rkey, long remoteAddr, long add) {
        PlainCalls.voidCall(
                Memory.getLong(qp + ibv_qp_ex.wr_atomic_fetch_add$offset()),
                qp,
                rkey,
                remoteAddr,
                add);
    }

    /** {@code ibv_wr_bind_mw}: begins the binding of a memory window. */
    public static void ibv_wr_bind_mw(long qp, long mw, int rkey, long bindInfo) {
        PlainCalls.voidCall(
                Memory.getLong(qp + ibv_qp_ex.wr_bind_mw$offset()), qp, mw, rkey, bindInfo);
    }

    /** {@code ibv_wr_local_inv}: begins a local invalidation. */
    public static void ibv_wr_local_inv(long qp, int invalidateRkey) {
        PlainCalls.voidCall(
                Memory.getLong(qp + ibv_qp_ex.wr_local_inv$offset()), qp, invalidateRkey);
    }

    /** {@code ibv_wr_rdma_read}: begins a read. */
    public static void ibv_wr_rdma_read(long qp, int rkey, long remoteAddr) {
        PlainCalls.voidCall(
                Memory.getLong(qp + ibv_qp_ex.wr_rdma_read$offset()), qp, rkey, remoteAddr);
    }

    /** {@code ibv_wr_rdma_write}: begins a write. */
    public static void ibv_wr_rdma_write(long qp, int rkey, long remoteAddr) {
        PlainCalls.voidCall(
                Memory.getLong(qp + ibv_qp_ex.wr_rdma_write$offset()), qp, rkey, remoteAddr);
    }

    /** {@code ibv_wr_rdma_write_imm}: begins a write with immediate data in network byte order. */
    public static void ibv_wr_rdma_write_imm(long qp, int rkey, long remoteAddr, int immData) {
        PlainCalls.voidCall(
                Memory.getLong(qp + ibv_qp_ex.wr_rdma_write_imm$offset()),
                qp,
                rkey,
                remoteAddr,
                immData);
    }

    /** {@code ibv_wr_send}: begins a send. */
    public static void ibv_wr_send(long qp) {
        PlainCalls.voidCall(Memory.getLong(qp + ibv_qp_ex.wr_send$offset()), qp);
    }

    /** {@code ibv_wr_send_imm}: begins a send with immediate data in network byte order. */
    public static void ibv_wr_send_imm(long qp, int immData) {
        PlainCalls.voidCall(Memory.getLong(qp + ibv_qp_ex.wr_send_imm$offset()), qp, immData);
    }

    /** {@code ibv_wr_send_inv}: begins a send that invalidates a remote key. */
    public static void ibv_wr_send_inv(long qp, int invalidateRkey) {
        PlainCalls.voidCall(
                Memory.getLong(qp + ibv_qp_ex.wr_send_inv$offset()), qp, invalidateRkey);
    }

    /**
     * {@code ibv_wr_send_tso}: begins a segmented send; {@code hdrSize} and {@code mss} are {@code
     * uint16_t}.
     */
    public static void ibv_wr_send_tso(long qp, long hdr, int hdrSize, int mss) {
        PlainCalls.voidCall(
                Memory.getLong(qp + ibv_qp_ex.wr_send_tso$offset()),
                qp,
                hdr,
                hdrSize & 0xffff,
                mss & 0xffff);
    }

    /** {@code ibv_wr_set_ud_addr}: addresses the request begun, on a datagram queue pair. */
    public static void ibv_wr_set_ud_addr(long qp, long ah, int remoteQpn, int remoteQkey) {
        PlainCalls.voidCall(
                Memory.getLong(qp + ibv_qp_ex.wr_set_ud_addr$offset()),
                qp,
                ah,
                remoteQpn,
                remoteQkey);
    }

    /** {@code ibv_wr_set_xrc_srqn}: addresses the request begun, on an XRC queue pair. */
    public static void ibv_wr_set_xrc_srqn(long qp, int remoteSrqn) {
        PlainCalls.voidCall(
                Memory.getLong(qp + ibv_qp_ex.wr_set_xrc_srqn$offset()), qp, remoteSrqn);
    }

    /** {@code ibv_wr_set_inline_data}: copies the data of the request begun. */
    public static void ibv_wr_set_inline_data(long qp, long addr, long length) {
        PlainCalls.voidCall(
                Memory.getLong(qp + ibv_qp_ex.wr_set_inline_data$offset()), qp, addr, length);
    }

    /**
     * {@code ibv_wr_set_inline_data_list}: copies the data of the request begun from several
     * buffers.
     */
    public static void ibv_wr_set_inline_data_list(long qp, long count, long bufList) {
        PlainCalls.voidCall(
                Memory.getLong(qp + ibv_qp_ex.wr_set_inline_data_list$offset()),
                qp,
                count,
                bufList);
    }

    /** {@code ibv_wr_set_sge}: names the buffer of the request begun. */
    public static void ibv_wr_set_sge(long qp, int lkey, long addr, int length) {
        PlainCalls.voidCall(
                Memory.getLong(qp + ibv_qp_ex.wr_set_sge$offset()), qp, lkey, addr, length);
    }

    /** {@code ibv_wr_set_sge_list}: names the buffers of the request begun. */
    public static void ibv_wr_set_sge_list(long qp, long count, long sgList) {
        PlainCalls.voidCall(
                Memory.getLong(qp + ibv_qp_ex.wr_set_sge_list$offset()), qp, count, sgList);
    }

    /** {@code ibv_wr_start}: opens a batch of requests. */
    public static void ibv_wr_start(long qp) {
        PlainCalls.voidCall(Memory.getLong(qp + ibv_qp_ex.wr_start$offset()), qp);
    }

    /** {@code ibv_wr_complete}: posts the batch; 0 or an error number, and then none was posted. */
    public static int ibv_wr_complete(long qp) {
        return PlainCalls.intCall(Memory.getLong(qp + ibv_qp_ex.wr_complete$offset()), qp);
    }

    /** {@code ibv_wr_abort}: forgets the batch. */
    public static void ibv_wr_abort(long qp) {
        PlainCalls.voidCall(Memory.getLong(qp + ibv_qp_ex.wr_abort$offset()), qp);
    }

    /** {@code ibv_wr_atomic_write}: begins an atomic write of 8 bytes; rdma-core 40 and later. */
    public static void ibv_wr_atomic_write(long qp, int rkey, long remoteAddr, long data) {
        PlainCalls.voidCall(
                Memory.getLong(qp + ibv_qp_ex.wr_atomic_write$offset()),
                qp,
                rkey,
                remoteAddr,
                data);
    }
}
