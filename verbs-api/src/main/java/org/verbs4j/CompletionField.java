package org.verbs4j;

import org.verbs4j.bindings.Verbs;
import org.verbs4j.bindings.ibv_cq_ex;

import java.util.Collection;

/**
 * What an {@link ExtendedCompletionQueue} can tell of a completion when it was asked for: {@code
 * enum ibv_create_cq_wc_flags}. Number, status, opcode, flags and vendor error are always there.
 */
public enum CompletionField {
    /** {@link ExtendedCompletion#byteLength()}. */
    BYTE_LENGTH(Verbs.IBV_WC_EX_WITH_BYTE_LEN(), ibv_cq_ex.read_byte_len$offset()),
    /** {@link ExtendedCompletion#immediate()} and {@link ExtendedCompletion#invalidatedKey()}. */
    IMMEDIATE(Verbs.IBV_WC_EX_WITH_IMM(), ibv_cq_ex.read_imm_data$offset()),
    /** {@link ExtendedCompletion#queuePairNumber()}. */
    QUEUE_PAIR_NUMBER(Verbs.IBV_WC_EX_WITH_QP_NUM(), ibv_cq_ex.read_qp_num$offset()),
    /** {@link ExtendedCompletion#sourceQueuePairNumber()}. */
    SOURCE_QUEUE_PAIR(Verbs.IBV_WC_EX_WITH_SRC_QP(), ibv_cq_ex.read_src_qp$offset()),
    /** {@link ExtendedCompletion#sourceLid()}. */
    SOURCE_LID(Verbs.IBV_WC_EX_WITH_SLID(), ibv_cq_ex.read_slid$offset()),
    /** {@link ExtendedCompletion#serviceLevel()}. */
    SERVICE_LEVEL(Verbs.IBV_WC_EX_WITH_SL(), ibv_cq_ex.read_sl$offset()),
    /** {@link ExtendedCompletion#destinationPathBits()}. */
    DESTINATION_PATH_BITS(
            Verbs.IBV_WC_EX_WITH_DLID_PATH_BITS(), ibv_cq_ex.read_dlid_path_bits$offset()),
    /** {@link ExtendedCompletion#timestamp()}. */
    TIMESTAMP(Verbs.IBV_WC_EX_WITH_COMPLETION_TIMESTAMP(), ibv_cq_ex.read_completion_ts$offset()),
    /** {@link ExtendedCompletion#vlan()}. */
    VLAN(Verbs.IBV_WC_EX_WITH_CVLAN(), ibv_cq_ex.read_cvlan$offset()),
    /** {@link ExtendedCompletion#flowTag()}. */
    FLOW_TAG(Verbs.IBV_WC_EX_WITH_FLOW_TAG(), ibv_cq_ex.read_flow_tag$offset()),
    /** {@link ExtendedCompletion#tag()} and {@link ExtendedCompletion#tagData()}. */
    TAG_MATCHING(Verbs.IBV_WC_EX_WITH_TM_INFO(), ibv_cq_ex.read_tm_info$offset()),
    /** {@link ExtendedCompletion#wallClockNanos()}. */
    WALL_CLOCK(
            Verbs.IBV_WC_EX_WITH_COMPLETION_TIMESTAMP_WALLCLOCK(),
            ibv_cq_ex.read_completion_wallclock_ns$offset());

    private final int bit;
    private final long reader;

    CompletionField(int bit, long reader) {
        this.bit = bit;
        this.reader = reader;
    }

    int bit() {
        return bit;
    }

    /** Its place among the fields of a row. */
    int column() {
        return Integer.numberOfTrailingZeros(bit);
    }

    /** Where {@code ibv_cq_ex} has the pointer of the function that reads it. */
    long reader() {
        return reader;
    }

    static int mask(Collection<CompletionField> fields) {
        return fields.stream().mapToInt(CompletionField::bit).reduce(0, (a, b) -> a | b);
    }
}
