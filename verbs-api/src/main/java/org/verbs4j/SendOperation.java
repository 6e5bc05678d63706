package org.verbs4j;

import org.verbs4j.bindings.Verbs;

import java.util.Collection;

/**
 * What an {@link ExtendedSender} can post when the queue pair was made for it: {@code enum
 * ibv_qp_create_send_ops_flags}.
 */
public enum SendOperation {
    /** {@link ExtendedSender#send()}. */
    SEND(Verbs.IBV_QP_EX_WITH_SEND()),
    /** {@link ExtendedSender#sendWithImmediate}. */
    SEND_WITH_IMMEDIATE(Verbs.IBV_QP_EX_WITH_SEND_WITH_IMM()),
    /** {@link ExtendedSender#sendAndInvalidate}. */
    SEND_AND_INVALIDATE(Verbs.IBV_QP_EX_WITH_SEND_WITH_INV()),
    /** {@link ExtendedSender#write}. */
    WRITE(Verbs.IBV_QP_EX_WITH_RDMA_WRITE()),
    /** {@link ExtendedSender#writeWithImmediate}. */
    WRITE_WITH_IMMEDIATE(Verbs.IBV_QP_EX_WITH_RDMA_WRITE_WITH_IMM()),
    /** {@link ExtendedSender#read}. */
    READ(Verbs.IBV_QP_EX_WITH_RDMA_READ()),
    /** {@link ExtendedSender#compareAndSwap}. */
    COMPARE_AND_SWAP(Verbs.IBV_QP_EX_WITH_ATOMIC_CMP_AND_SWP()),
    /** {@link ExtendedSender#fetchAndAdd}. */
    FETCH_AND_ADD(Verbs.IBV_QP_EX_WITH_ATOMIC_FETCH_AND_ADD()),
    /**
     * {@link ExtendedSender#atomicWrite}. soft-RoCE of rdma-core 44 accepts it on kernels before
     * 6.3, which then fail the request.
     */
    ATOMIC_WRITE(Verbs.IBV_QP_EX_WITH_ATOMIC_WRITE()),
    /** {@link ExtendedSender#bindWindow}. */
    BIND_WINDOW(Verbs.IBV_QP_EX_WITH_BIND_MW()),
    /** {@link ExtendedSender#invalidate}. */
    LOCAL_INVALIDATE(Verbs.IBV_QP_EX_WITH_LOCAL_INV()),
    /** {@link ExtendedSender#segmentedSend}. */
    SEGMENTED_SEND(Verbs.IBV_QP_EX_WITH_TSO());

    private final int bit;

    SendOperation(int bit) {
        this.bit = bit;
    }

    static long mask(Collection<SendOperation> operations) {
        return operations.stream()
                .mapToLong(operation -> Integer.toUnsignedLong(operation.bit))
                .reduce(0, (a, b) -> a | b);
    }
}
