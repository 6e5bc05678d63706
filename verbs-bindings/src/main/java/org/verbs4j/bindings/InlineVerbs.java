package org.verbs4j.bindings;

import static org.verbs4j.bindings.OptionalCalls.pointer;
import static org.verbs4j.bindings.OptionalCalls.status;

/**
 * The inline functions and function-like macros of {@code <infiniband/verbs.h>} that reach a
 * function by way of {@code context->ops}, an object's own pointer or an exported function, and
 * those that only calculate. {@link ContextVerbs}, {@link ExtendedQueuePair} and {@link
 * ExtendedCompletionQueue} have the others.
 *
 * <p>Pointers are {@code long}s; they must be valid, as in C. Each method says how it reports
 * failure; where that is NULL, the reason is in {@link NativeLibraries#errno()}. A function that
 * the installed library lacks behaves like an operation that the device lacks: EOPNOTSUPP. Any
 * thread may call these functions.
 */
@SuppressWarnings("MemberName") // the names are C's
public final class InlineVerbs {
    private static final long ALLOC_MW =
            ibv_context.ops$offset() + ibv_context_ops.alloc_mw$offset();
    private static final long BIND_MW = ibv_context.ops$offset() + ibv_context_ops.bind_mw$offset();
    private static final long DEALLOC_MW =
            ibv_context.ops$offset() + ibv_context_ops.dealloc_mw$offset();
    private static final long BOUND_MR =
            ibv_mw_bind.bind_info$offset() + ibv_mw_bind_info.mr$offset();
    private static final long BOUND_ADDR =
            ibv_mw_bind.bind_info$offset() + ibv_mw_bind_info.addr$offset();
    private static final long BOUND_LENGTH =
            ibv_mw_bind.bind_info$offset() + ibv_mw_bind_info.length$offset();

    private InlineVerbs() {}

    /**
     * {@code ibv_poll_cq(3)}: the count of completions written to {@code wc}, or a negative number.
     */
    public static int ibv_poll_cq(long cq, int count, long wc) {
        long context = Memory.getLong(cq + ibv_cq.context$offset());
        return DataPath.pollCq(DataPath.pollCqFunction(context), cq, count, wc);
    }

    /** {@code ibv_req_notify_cq(3)}: 0 or an error number. */
    public static int ibv_req_notify_cq(long cq, int solicitedOnly) {
        long context = Memory.getLong(cq + ibv_cq.context$offset());
        return DataPath.reqNotifyCq(DataPath.reqNotifyCqFunction(context), cq, solicitedOnly);
    }

    /**
     * {@code ibv_post_send(3)}: 0 or an error number, with {@code *badWr} the first request not
     * posted.
     */
    public static int ibv_post_send(long qp, long wr, long badWr) {
        long context = Memory.getLong(qp + ibv_qp.context$offset());
        return DataPath.postSend(DataPath.postSendFunction(context), qp, wr, badWr);
    }

    /**
     * {@code ibv_post_recv(3)}: 0 or an error number, with {@code *badWr} the first request not
     * posted.
     */
    public static int ibv_post_recv(long qp, long wr, long badWr) {
        long context = Memory.getLong(qp + ibv_qp.context$offset());
        return DataPath.postRecv(DataPath.postRecvFunction(context), qp, wr, badWr);
    }

    /**
     * {@code ibv_post_srq_recv(3)}: 0 or an error number, with {@code *badWr} the first request not
     * posted.
     */
    public static int ibv_post_srq_recv(long srq, long wr, long badWr) {
        long context = Memory.getLong(srq + ibv_srq.context$offset());
        return DataPath.postSrqRecv(DataPath.postSrqRecvFunction(context), srq, wr, badWr);
    }

    /**
     * {@code ibv_post_wq_recv}: 0 or an error number, with {@code *badWr} the first request not
     * posted.
     */
    public static int ibv_post_wq_recv(long wq, long wr, long badWr) {
        return PlainCalls.intCall(Memory.getLong(wq + ibv_wq.post_recv$offset()), wq, wr, badWr);
    }

    /** {@code ibv_alloc_mw(3)}: NULL on failure. */
    public static long ibv_alloc_mw(long pd, int type) {
        long function = Memory.getLong(Memory.getLong(pd + ibv_pd.context$offset()) + ALLOC_MW);
        return pointer(function, pd, type);
    }

    /** {@code ibv_dealloc_mw}, see {@code ibv_alloc_mw(3)}: 0 or an error number. */
    public static int ibv_dealloc_mw(long mw) {
        long context = Memory.getLong(mw + ibv_mw.context$offset());
        return PlainCalls.intCall(Memory.getLong(context + DEALLOC_MW), mw);
    }

    /**
     * {@code ibv_bind_mw(3)}: 0 or an error number. EINVAL when the window is not of type 1, or
     * when there is an address or a length but no region; EPERM when window and region have
     * different protection domains.
     */
    public static int ibv_bind_mw(long qp, long mw, long bind) {
        if (Memory.getInt(mw + ibv_mw.type$offset()) != Verbs.IBV_MW_TYPE_1()) {
            return Posix.EINVAL();
        }
        long mr = Memory.getLong(bind + BOUND_MR);
        if (mr == 0
                && (Memory.getLong(bind + BOUND_ADDR) != 0
                        || Memory.getLong(bind + BOUND_LENGTH) != 0)) {
            return Posix.EINVAL();
        }
        if (mr != 0
                && Memory.getLong(mw + ibv_mw.pd$offset())
                        != Memory.getLong(mr + ibv_mr.pd$offset())) {
            return Posix.EPERM();
        }
        long context = Memory.getLong(mw + ibv_mw.context$offset());
        return PlainCalls.intCall(Memory.getLong(context + BIND_MW), qp, mw, bind);
    }

    /** {@code ibv_memcpy_to_dm}, see {@code ibv_alloc_dm(3)}: 0 or an error number. */
    public static int ibv_memcpy_to_dm(long dm, long dmOffset, long hostAddr, long length) {
        return PlainCalls.intCall(
                Memory.getLong(dm + ibv_dm.memcpy_to_dm$offset()), dm, dmOffset, hostAddr, length);
    }

    /** {@code ibv_memcpy_from_dm}, see {@code ibv_alloc_dm(3)}: 0 or an error number. */
    public static int ibv_memcpy_from_dm(long hostAddr, long dm, long dmOffset, long length) {
        return PlainCalls.intCall(
                Memory.getLong(dm + ibv_dm.memcpy_from_dm$offset()),
                hostAddr,
                dm,
                dmOffset,
                length);
    }

    /**
     * {@code ibv_query_gid_ex(3)}: 0 or an error number; EOPNOTSUPP when libibverbs is older than
     * rdma-core 32, where {@code ibv_query_gid(3)} still answers.
     */
    public static int ibv_query_gid_ex(long context, int port, int index, long entry, int flags) {
        return status(
                Calls.exported("_ibv_query_gid_ex"),
                context,
                port,
                index,
                entry,
                flags,
                ibv_gid_entry.sizeof());
    }

    /**
     * {@code ibv_query_gid_table(3)}: the count of entries written, or a <em>negative</em> error
     * number; -EOPNOTSUPP when libibverbs is older than rdma-core 32.
     */
    public static long ibv_query_gid_table(long context, long entries, long max, int flags) {
        long function = Calls.exported("_ibv_query_gid_table");
        return function == 0
                ? -Posix.EOPNOTSUPP()
                : CapturingCalls.longCall(
                        function, context, entries, max, flags, ibv_gid_entry.sizeof());
    }

    /**
     * {@code ibv_reg_mr(3)} as the macro defines it: NULL on failure. C asks the compiler whether
     * {@code access} is a constant without optional bits; here its value decides, which registers
     * the same region.
     */
    public static long ibv_reg_mr(long pd, long addr, long length, int access) {
        return __ibv_reg_mr(pd, addr, length, access, withoutOptional(access));
    }

    /** What the macro {@link #ibv_reg_mr} stands for. */
    public static long __ibv_reg_mr(
            long pd, long addr, long length, int access, int isAccessConst) {
        if (isAccessConst == 0 || withoutOptional(access) == 0) {
            return pointer(Calls.exported("ibv_reg_mr_iova2"), pd, addr, length, addr, access);
        }
        return pointer(Calls.exported("ibv_reg_mr"), pd, addr, length, access);
    }

    /**
     * {@code ibv_reg_mr_iova(3)} as the macro defines it: NULL on failure; {@code access} as {@link
     * #ibv_reg_mr}.
     */
    public static long ibv_reg_mr_iova(long pd, long addr, long length, long iova, int access) {
        return __ibv_reg_mr_iova(pd, addr, length, iova, access, withoutOptional(access));
    }

    /** What the macro {@link #ibv_reg_mr_iova} stands for. */
    public static long __ibv_reg_mr_iova(
            long pd, long addr, long length, long iova, int access, int isAccessConst) {
        boolean plain = isAccessConst != 0 && withoutOptional(access) != 0;
        String function = plain ? "ibv_reg_mr_iova" : "ibv_reg_mr_iova2";
        return pointer(Calls.exported(function), pd, addr, length, iova, access);
    }

    private static int withoutOptional(int access) {
        return (access & Verbs.IBV_ACCESS_OPTIONAL_RANGE()) == 0 ? 1 : 0;
    }

    /**
     * {@code __ibv_get_device_list}: what {@code ibv_get_device_list(3)} becomes in a program
     * linked statically with {@code RDMA_STATIC_PROVIDERS}. The inline first names the providers
     * for the linker, of which a JVM has no need; the rest is the exported function. NULL on
     * failure.
     *
     * @param count an {@code int *}, or NULL
     */
    public static long __ibv_get_device_list(long count) {
        return pointer(Calls.exported("ibv_get_device_list"), count);
    }

    /** {@code ibv_inc_rkey(3)}: the key with its lowest 8 bits increased. */
    public static int ibv_inc_rkey(int rkey) {
        return (rkey & ~0xff) | ((rkey + 1) & 0xff);
    }

    /** {@code ibv_is_qpt_supported}: 1 when the mask of queue pair types has this one, else 0. */
    public static int ibv_is_qpt_supported(int caps, int qpType) {
        return (caps & (1 << qpType)) != 0 ? 1 : 0;
    }

    /**
     * {@code ibv_flow_label_to_udp_sport(3)}: the UDP source port of a RoCE v2 flow label of 20
     * bits.
     */
    public static int ibv_flow_label_to_udp_sport(int flowLabel) {
        int low = flowLabel & 0x03fff;
        int high = flowLabel & 0xfc000;
        return (low ^ (high >> 14)) | Verbs.IB_ROCE_UDP_ENCAP_VALID_PORT_MIN();
    }

    /**
     * The macro {@code vext_field_avail}: whether a struct of the size that was filled has a field.
     *
     * @param field the field's offset, such as {@code ibv_device_attr_ex.pci_atomic_caps$offset()}
     */
    public static boolean vext_field_avail(long field, long size) {
        return field < size;
    }
}
