package org.verbs4j.bindings;

import static org.verbs4j.bindings.OptionalCalls.pointer;
import static org.verbs4j.bindings.OptionalCalls.status;

import java.lang.foreign.MemorySegment;

/**
 * The inline functions of {@code <infiniband/verbs.h>} that call an operation of {@code
 * verbs_context}, with their C names.
 *
 * <p>{@code verbs_context} lies in front of the {@code ibv_context} that programs hold, and has
 * grown at its front:
 *
 * <pre>
 *   newer operations ... | query_port | advise_mr | ... | close_xrcd | placeholder | sz | ibv_context
 *                                                                                       ^ the pointer
 * </pre>
 *
 * <p>An operation is therefore addressed backwards from that pointer, and exists when the context
 * says that it is an extended one ({@code abi_compat} is all ones), {@code sz} reaches to it, and
 * it is not NULL.
 *
 * <p>Pointers are {@code long}s; they must be valid, as in C. Results are as in C too: 0 or an
 * error number where the function returns an {@code int}, NULL with the reason in {@link
 * NativeLibraries#errno()} where it returns a pointer. A missing operation is EOPNOTSUPP in either
 * way. Any thread may call these functions.
 */
@SuppressWarnings("MemberName") // the names are C's
public final class ContextVerbs {
    private static final long CONTEXT = verbs_context.context$offset();
    private static final long ABI_COMPAT = ibv_context.abi_compat$offset();
    private static final long EXTENDED = Verbs.__VERBS_ABI_IS_EXTENDED().address();

    private ContextVerbs() {}

    /**
     * The {@code verbs_context *} around a context.
     *
     * @return NULL when the provider made no extended context
     */
    public static long verbs_get_ctx(long context) {
        return Memory.getLong(context + ABI_COMPAT) == EXTENDED ? context - CONTEXT : 0;
    }

    /**
     * The macro {@code verbs_get_ctx_op}: the {@code verbs_context *} if it has an operation.
     *
     * @param operation the offset of the operation, such as {@code
     *     verbs_context.create_cq_ex$offset()}
     * @return NULL when the operation is missing
     */
    public static long verbs_get_ctx_op(long context, long operation) {
        long extended = verbs_get_ctx(context);
        if (extended == 0) {
            return 0;
        }
        long size = Memory.getLong(extended + verbs_context.sz$offset());
        boolean reaches = Long.compareUnsigned(size, verbs_context.sizeof() - operation) >= 0;
        return reaches && Memory.getLong(extended + operation) != 0 ? extended : 0;
    }

    /** {@code ibv_create_flow(3)}. */
    public static long ibv_create_flow(long qp, long flow) {
        return pointer(
                operation(
                        Memory.getLong(qp + ibv_qp.context$offset()),
                        verbs_context.ibv_create_flow$offset()),
                qp,
                flow);
    }

    /** {@code ibv_destroy_flow}, see {@code ibv_create_flow(3)}. */
    public static int ibv_destroy_flow(long flow) {
        return status(
                operation(
                        Memory.getLong(flow + ibv_flow.context$offset()),
                        verbs_context.ibv_destroy_flow$offset()),
                flow);
    }

    /** {@code ibv_create_flow_action_esp}, see {@code ibv_flow_action_esp(3)}. */
    public static long ibv_create_flow_action_esp(long context, long esp) {
        return pointer(
                operation(context, verbs_context.create_flow_action_esp$offset()), context, esp);
    }

    /** {@code ibv_modify_flow_action_esp}, see {@code ibv_flow_action_esp(3)}. */
    public static int ibv_modify_flow_action_esp(long action, long esp) {
        return status(
                operation(
                        Memory.getLong(action + ibv_flow_action.context$offset()),
                        verbs_context.modify_flow_action_esp$offset()),
                action,
                esp);
    }

    /** {@code ibv_destroy_flow_action}, see {@code ibv_flow_action_esp(3)}. */
    public static int ibv_destroy_flow_action(long action) {
        return status(
                operation(
                        Memory.getLong(action + ibv_flow_action.context$offset()),
                        verbs_context.destroy_flow_action$offset()),
                action);
    }

    /** {@code ibv_open_xrcd(3)}. */
    public static long ibv_open_xrcd(long context, long attr) {
        return pointer(operation(context, verbs_context.open_xrcd$offset()), context, attr);
    }

    /**
     * {@code ibv_close_xrcd}, see {@code ibv_open_xrcd(3)}; C calls without asking whether the
     * operation is there.
     */
    public static int ibv_close_xrcd(long xrcd) {
        return status(
                operation(
                        Memory.getLong(xrcd + ibv_xrcd.context$offset()),
                        verbs_context.close_xrcd$offset()),
                xrcd);
    }

    /** {@code ibv_advise_mr(3)}. */
    public static int ibv_advise_mr(long pd, int advice, int flags, long sgList, int count) {
        return status(
                operation(
                        Memory.getLong(pd + ibv_pd.context$offset()),
                        verbs_context.advise_mr$offset()),
                pd,
                advice,
                flags,
                sgList,
                count);
    }

    /** {@code ibv_alloc_dm(3)}. */
    public static long ibv_alloc_dm(long context, long attr) {
        return pointer(operation(context, verbs_context.alloc_dm$offset()), context, attr);
    }

    /** {@code ibv_free_dm}, see {@code ibv_alloc_dm(3)}. */
    public static int ibv_free_dm(long dm) {
        return status(
                operation(
                        Memory.getLong(dm + ibv_dm.context$offset()),
                        verbs_context.free_dm$offset()),
                dm);
    }

    /** {@code ibv_reg_dm_mr}, see {@code ibv_alloc_dm(3)}. */
    public static long ibv_reg_dm_mr(long pd, long dm, long dmOffset, long length, int access) {
        return pointer(
                operation(
                        Memory.getLong(pd + ibv_pd.context$offset()),
                        verbs_context.reg_dm_mr$offset()),
                pd,
                dm,
                dmOffset,
                length,
                access);
    }

    /** {@code ibv_alloc_null_mr(3)}. */
    public static long ibv_alloc_null_mr(long pd) {
        return pointer(
                operation(
                        Memory.getLong(pd + ibv_pd.context$offset()),
                        verbs_context.alloc_null_mr$offset()),
                pd);
    }

    /** {@code ibv_create_cq_ex(3)}. */
    public static long ibv_create_cq_ex(long context, long attr) {
        return pointer(operation(context, verbs_context.create_cq_ex$offset()), context, attr);
    }

    /** {@code ibv_modify_cq(3)}. */
    public static int ibv_modify_cq(long cq, long attr) {
        return status(
                operation(
                        Memory.getLong(cq + ibv_cq.context$offset()),
                        verbs_context.modify_cq$offset()),
                cq,
                attr);
    }

    /**
     * {@code ibv_create_srq_ex(3)}: a basic queue of a protection domain goes to the exported
     * {@code ibv_create_srq}, whose attributes the extended ones begin with.
     */
    public static long ibv_create_srq_ex(long context, long attr) {
        int mask = Memory.getInt(attr + ibv_srq_init_attr_ex.comp_mask$offset());
        int pd = Verbs.IBV_SRQ_INIT_ATTR_PD();
        int type = Verbs.IBV_SRQ_INIT_ATTR_TYPE();
        boolean basic =
                (mask & ~(pd | type)) == 0
                        && (mask & pd) != 0
                        && ((mask & type) == 0
                                || Memory.getInt(attr + ibv_srq_init_attr_ex.srq_type$offset())
                                        == Verbs.IBV_SRQT_BASIC());
        if (basic) {
            return pointer(
                    Calls.exported("ibv_create_srq"),
                    Memory.getLong(attr + ibv_srq_init_attr_ex.pd$offset()),
                    attr);
        }
        return pointer(operation(context, verbs_context.create_srq_ex$offset()), context, attr);
    }

    /** {@code ibv_get_srq_num(3)}. */
    public static int ibv_get_srq_num(long srq, long number) {
        return status(
                operation(
                        Memory.getLong(srq + ibv_srq.context$offset()),
                        verbs_context.get_srq_num$offset()),
                srq,
                number);
    }

    /** {@code ibv_post_srq_ops(3)}; without the operation {@code *badOp} is {@code op}. */
    public static int ibv_post_srq_ops(long srq, long op, long badOp) {
        long function =
                operation(
                        Memory.getLong(srq + ibv_srq.context$offset()),
                        verbs_context.post_srq_ops$offset());
        if (function == 0) {
            Memory.setLong(badOp, op);
        }
        return status(function, srq, op, badOp);
    }

    /**
     * {@code ibv_create_qp_ex(3)}: attributes that have the protection domain only go to the
     * exported {@code ibv_create_qp}, whose attributes the extended ones begin with.
     */
    public static long ibv_create_qp_ex(long context, long attr) {
        if (Memory.getInt(attr + ibv_qp_init_attr_ex.comp_mask$offset())
                == Verbs.IBV_QP_INIT_ATTR_PD()) {
            return pointer(
                    Calls.exported("ibv_create_qp"),
                    Memory.getLong(attr + ibv_qp_init_attr_ex.pd$offset()),
                    attr);
        }
        return pointer(operation(context, verbs_context.create_qp_ex$offset()), context, attr);
    }

    /** {@code ibv_open_qp(3)}. */
    public static long ibv_open_qp(long context, long attr) {
        return pointer(operation(context, verbs_context.open_qp$offset()), context, attr);
    }

    /** {@code ibv_modify_qp_rate_limit(3)}. */
    public static int ibv_modify_qp_rate_limit(long qp, long attr) {
        return status(
                operation(
                        Memory.getLong(qp + ibv_qp.context$offset()),
                        verbs_context.modify_qp_rate_limit$offset()),
                qp,
                attr);
    }

    /** {@code ibv_alloc_td(3)}. */
    public static long ibv_alloc_td(long context, long attr) {
        return pointer(operation(context, verbs_context.alloc_td$offset()), context, attr);
    }

    /** {@code ibv_dealloc_td}, see {@code ibv_alloc_td(3)}. */
    public static int ibv_dealloc_td(long td) {
        return status(
                operation(
                        Memory.getLong(td + ibv_td.context$offset()),
                        verbs_context.dealloc_td$offset()),
                td);
    }

    /** {@code ibv_alloc_parent_domain(3)}. */
    public static long ibv_alloc_parent_domain(long context, long attr) {
        return pointer(
                operation(context, verbs_context.alloc_parent_domain$offset()), context, attr);
    }

    /** {@code ibv_query_rt_values_ex(3)}. */
    public static int ibv_query_rt_values_ex(long context, long values) {
        return status(operation(context, verbs_context.query_rt_values$offset()), context, values);
    }

    /**
     * {@code ibv_query_device_ex(3)}: without the operation {@code attr} is cleared but for {@code
     * orig_attr}, which the exported {@code ibv_query_device} fills.
     *
     * @param input an {@code ibv_query_device_ex_input *} or NULL; its {@code comp_mask} must be 0,
     *     else EINVAL
     */
    public static int ibv_query_device_ex(long context, long input, long attr) {
        if (input != 0
                && Memory.getInt(input + ibv_query_device_ex_input.comp_mask$offset()) != 0) {
            return Posix.EINVAL();
        }
        long function = operation(context, verbs_context.query_device_ex$offset());
        if (function != 0) {
            int result =
                    CapturingCalls.intCall(
                            function, context, input, attr, ibv_device_attr_ex.sizeof());
            if (result != Posix.EOPNOTSUPP() && result != Posix.ENOSYS()) {
                return result;
            }
        }
        Memory.clear(attr, ibv_device_attr_ex.sizeof());
        return status(
                Calls.exported("ibv_query_device"),
                context,
                attr + ibv_device_attr_ex.orig_attr$offset());
    }

    /**
     * {@code ibv_query_port(3)} as the macro defines it. The exported function of the same name
     * knows a shorter {@code ibv_port_attr} and serves only where the operation is missing.
     *
     * @param port from 1 on; {@code uint8_t}
     */
    public static int ibv_query_port(long context, int port, long attr) {
        return ___ibv_query_port(context, port, attr);
    }

    /** What the macro {@link #ibv_query_port} stands for. */
    public static int ___ibv_query_port(long context, int port, long attr) {
        long function = operation(context, verbs_context.query_port$offset());
        if (function == 0) {
            Memory.clear(attr, ibv_port_attr.sizeof());
            return status(Calls.exported("ibv_query_port"), context, port & 0xff, attr);
        }
        return CapturingCalls.intCall(function, context, port & 0xff, attr, ibv_port_attr.sizeof());
    }

    /** {@code ibv_create_wq(3)}: the caller's side initialises what the provider leaves to it. */
    public static long ibv_create_wq(long context, long attr) {
        long wq = pointer(operation(context, verbs_context.create_wq$offset()), context, attr);
        if (wq != 0) {
            Memory.setLong(
                    wq + ibv_wq.wq_context$offset(),
                    Memory.getLong(attr + ibv_wq_init_attr.wq_context$offset()));
            Memory.setInt(wq + ibv_wq.events_completed$offset(), 0);
            Posix.pthread_mutex_init(
                    MemorySegment.ofAddress(wq + ibv_wq.mutex$offset()), MemorySegment.NULL);
            Posix.pthread_cond_init(
                    MemorySegment.ofAddress(wq + ibv_wq.cond$offset()), MemorySegment.NULL);
        }
        return wq;
    }

    /** {@code ibv_modify_wq(3)}. */
    public static int ibv_modify_wq(long wq, long attr) {
        return status(
                operation(
                        Memory.getLong(wq + ibv_wq.context$offset()),
                        verbs_context.modify_wq$offset()),
                wq,
                attr);
    }

    /** {@code ibv_destroy_wq}, see {@code ibv_create_wq(3)}. */
    public static int ibv_destroy_wq(long wq) {
        return status(
                operation(
                        Memory.getLong(wq + ibv_wq.context$offset()),
                        verbs_context.destroy_wq$offset()),
                wq);
    }

    /** {@code ibv_create_rwq_ind_table(3)}. */
    public static long ibv_create_rwq_ind_table(long context, long attr) {
        return pointer(
                operation(context, verbs_context.create_rwq_ind_table$offset()), context, attr);
    }

    /** {@code ibv_destroy_rwq_ind_table}, see {@code ibv_create_rwq_ind_table(3)}. */
    public static int ibv_destroy_rwq_ind_table(long table) {
        return status(
                operation(
                        Memory.getLong(table + ibv_rwq_ind_table.context$offset()),
                        verbs_context.destroy_rwq_ind_table$offset()),
                table);
    }

    /** {@code ibv_create_counters(3)}. */
    public static long ibv_create_counters(long context, long attr) {
        return pointer(operation(context, verbs_context.create_counters$offset()), context, attr);
    }

    /** {@code ibv_destroy_counters}, see {@code ibv_create_counters(3)}. */
    public static int ibv_destroy_counters(long counters) {
        return status(
                operation(
                        Memory.getLong(counters + ibv_counters.context$offset()),
                        verbs_context.destroy_counters$offset()),
                counters);
    }

    /** {@code ibv_attach_counters_point_flow(3)}. */
    public static int ibv_attach_counters_point_flow(long counters, long attr, long flow) {
        return status(
                operation(
                        Memory.getLong(counters + ibv_counters.context$offset()),
                        verbs_context.attach_counters_point_flow$offset()),
                counters,
                attr,
                flow);
    }

    /** {@code ibv_read_counters(3)}. */
    public static int ibv_read_counters(long counters, long values, int count, int flags) {
        return status(
                operation(
                        Memory.getLong(counters + ibv_counters.context$offset()),
                        verbs_context.read_counters$offset()),
                counters,
                values,
                count,
                flags);
    }

    /**
     * The function pointer of an operation.
     *
     * @param offset of the operation, such as {@code verbs_context.create_cq_ex$offset()}
     * @return NULL when the operation is missing
     */
    public static long operation(long context, long offset) {
        long extended = verbs_get_ctx_op(context, offset);
        return extended == 0 ? 0 : Memory.getLong(extended + offset);
    }
}
