package org.verbs4j;

import org.verbs4j.bindings.Verbs;
import org.verbs4j.bindings.ibv_qp_ex;

import java.util.Collection;

/**
 * What an {@link ExtendedSender} can post when the queue pair was made for it: {@code enum
 * ibv_qp_create_send_ops_flags}.
 */
public enum SendOperation {
    /** {@link ExtendedSender#send()}. */
    SEND(Verbs.IBV_QP_EX_WITH_SEND(), ibv_qp_ex.wr_send$offset()),
    /** {@link ExtendedSender#sendWithImmediate}. */
    SEND_WITH_IMMEDIATE(Verbs.IBV_QP_EX_WITH_SEND_WITH_IMM(), ibv_qp_ex.wr_send_imm$offset()),
    /** {@link ExtendedSender#sendAndInvalidate}. */
    SEND_AND_INVALIDATE(Verbs.IBV_QP_EX_WITH_SEND_WITH_INV(), ibv_qp_ex.wr_send_inv$offset()),
    /** {@link ExtendedSender#write}. */
    WRITE(Verbs.IBV_QP_EX_WITH_RDMA_WRITE(), ibv_qp_ex.wr_rdma_write$offset()),
    /** {@link ExtendedSender#writeWithImmediate}. */
    WRITE_WITH_IMMEDIATE(
            Verbs.IBV_QP_EX_WITH_RDMA_WRITE_WITH_IMM(), ibv_qp_ex.wr_rdma_write_imm$offset()),
    /** {@link ExtendedSender#read}. */
    READ(Verbs.IBV_QP_EX_WITH_RDMA_READ(), ibv_qp_ex.wr_rdma_read$offset()),
    /** {@link ExtendedSender#compareAndSwap}. */
    COMPARE_AND_SWAP(
            Verbs.IBV_QP_EX_WITH_ATOMIC_CMP_AND_SWP(), ibv_qp_ex.wr_atomic_cmp_swp$offset()),
    /** {@link ExtendedSender#fetchAndAdd}. */
    FETCH_AND_ADD(
            Verbs.IBV_QP_EX_WITH_ATOMIC_FETCH_AND_ADD(), ibv_qp_ex.wr_atomic_fetch_add$offset()),
    /**
     * {@link ExtendedSender#atomicWrite}. soft-RoCE of rdma-core 44 accepts it on kernels before
     * 6.3, which then fail the request.
     */
    ATOMIC_WRITE(Verbs.IBV_QP_EX_WITH_ATOMIC_WRITE(), ibv_qp_ex.wr_atomic_write$offset()),
    /** {@link ExtendedSender#bindWindow}. */
    BIND_WINDOW(Verbs.IBV_QP_EX_WITH_BIND_MW(), ibv_qp_ex.wr_bind_mw$offset()),
    /** {@link ExtendedSender#invalidate}. */
    LOCAL_INVALIDATE(Verbs.IBV_QP_EX_WITH_LOCAL_INV(), ibv_qp_ex.wr_local_inv$offset()),
    /** {@link ExtendedSender#segmentedSend}. */
    SEGMENTED_SEND(Verbs.IBV_QP_EX_WITH_TSO(), ibv_qp_ex.wr_send_tso$offset());

    private final int bit;
    private final long function;

    SendOperation(int bit, long function) {
        this.bit = bit;
        this.function = function;
    }

    /** Where {@code struct ibv_qp_ex} has the provider's function for it. */
    long function() {
        return function;
    }

    static long mask(Collection<SendOperation> operations) {
        return operations.stream()
                .mapToLong(operation -> Integer.toUnsignedLong(operation.bit))
                .reduce(0, (a, b) -> a | b);
    }
}
