package org.verbs4j.bindings;

/**
 * The functions that read completions one field at a time through function pointers that an {@code
 * ibv_cq_ex} carries; see {@code ibv_create_cq_ex(3)}.
 *
 * <p>The {@code read_*} pointers are there for the fields asked for in {@code wc_flags} when the
 * queue was created; calling another one is an {@link IllegalArgumentException} where it is NULL.
 * {@code status} and {@code wr_id} of the current completion are fields of {@link ibv_cq_ex}. From
 * {@link #ibv_start_poll} to {@link #ibv_end_poll} the provider holds the queue's lock: the calls
 * must come from one thread.
 */
@SuppressWarnings("MemberName") // the names are C's
public final class ExtendedCompletionQueue {
    private ExtendedCompletionQueue() {}

    /**
     * {@code ibv_cq_ex_to_cq}: the same address, because {@code ibv_cq_ex} begins with the fields
     * of {@code ibv_cq}.
     */
    public static long ibv_cq_ex_to_cq(long cq) {
        return cq;
    }

    /**
     * {@code ibv_start_poll}: begins polling; 0, ENOENT when the queue is empty, or an error
     * number. Unless it is 0, {@link #ibv_end_poll} must not follow.
     */
    public static int ibv_start_poll(long cq, long attr) {
        return PlainCalls.intCall(Memory.getLong(cq + ibv_cq_ex.start_poll$offset()), cq, attr);
    }

    /** {@code ibv_next_poll}: moves to the next completion; 0 or ENOENT when there is none. */
    public static int ibv_next_poll(long cq) {
        return PlainCalls.intCall(Memory.getLong(cq + ibv_cq_ex.next_poll$offset()), cq);
    }

    /** {@code ibv_end_poll}: gives back the completions read. */
    public static void ibv_end_poll(long cq) {
        PlainCalls.voidCall(Memory.getLong(cq + ibv_cq_ex.end_poll$offset()), cq);
    }

    /** {@code ibv_wc_read_opcode}: the {@code ibv_wc_opcode}. */
    public static int ibv_wc_read_opcode(long cq) {
        return PlainCalls.intCall(Memory.getLong(cq + ibv_cq_ex.read_opcode$offset()), cq);
    }

    /** {@code ibv_wc_read_vendor_err}: the vendor's error code. */
    public static int ibv_wc_read_vendor_err(long cq) {
        return PlainCalls.intCall(Memory.getLong(cq + ibv_cq_ex.read_vendor_err$offset()), cq);
    }

    /** {@code ibv_wc_read_byte_len}: the count of bytes transferred; {@code uint32_t}. */
    public static int ibv_wc_read_byte_len(long cq) {
        return PlainCalls.intCall(Memory.getLong(cq + ibv_cq_ex.read_byte_len$offset()), cq);
    }

    /** {@code ibv_wc_read_imm_data}: the immediate data, in network byte order. */
    public static int ibv_wc_read_imm_data(long cq) {
        return PlainCalls.intCall(Memory.getLong(cq + ibv_cq_ex.read_imm_data$offset()), cq);
    }

    /**
     * {@code ibv_wc_read_invalidated_rkey}: the remote key that the peer's send invalidated; shares
     * a pointer with {@link #ibv_wc_read_imm_data}.
     */
    public static int ibv_wc_read_invalidated_rkey(long cq) {
        return PlainCalls.intCall(Memory.getLong(cq + ibv_cq_ex.read_imm_data$offset()), cq);
    }

    /** {@code ibv_wc_read_qp_num}: the number of the local queue pair. */
    public static int ibv_wc_read_qp_num(long cq) {
        return PlainCalls.intCall(Memory.getLong(cq + ibv_cq_ex.read_qp_num$offset()), cq);
    }

    /** {@code ibv_wc_read_src_qp}: the number of the remote queue pair; datagrams only. */
    public static int ibv_wc_read_src_qp(long cq) {
        return PlainCalls.intCall(Memory.getLong(cq + ibv_cq_ex.read_src_qp$offset()), cq);
    }

    /** {@code ibv_wc_read_wc_flags}: the {@code ibv_wc_flags}. */
    public static int ibv_wc_read_wc_flags(long cq) {
        return PlainCalls.intCall(Memory.getLong(cq + ibv_cq_ex.read_wc_flags$offset()), cq);
    }

    /** {@code ibv_wc_read_slid}: the source LID. */
    public static int ibv_wc_read_slid(long cq) {
        return PlainCalls.intCall(Memory.getLong(cq + ibv_cq_ex.read_slid$offset()), cq);
    }

    /** {@code ibv_wc_read_sl}: the service level; {@code uint8_t}. */
    public static int ibv_wc_read_sl(long cq) {
        return PlainCalls.intCall(Memory.getLong(cq + ibv_cq_ex.read_sl$offset()), cq) & 0xff;
    }

    /**
     * {@code ibv_wc_read_dlid_path_bits}: the path bits of the destination LID; {@code uint8_t}.
     */
    public static int ibv_wc_read_dlid_path_bits(long cq) {
        return PlainCalls.intCall(Memory.getLong(cq + ibv_cq_ex.read_dlid_path_bits$offset()), cq)
                & 0xff;
    }

    /** {@code ibv_wc_read_completion_ts}: the time stamp, in ticks of the device's clock. */
    public static long ibv_wc_read_completion_ts(long cq) {
        return PlainCalls.longCall(Memory.getLong(cq + ibv_cq_ex.read_completion_ts$offset()), cq);
    }

    /**
     * {@code ibv_wc_read_completion_wallclock_ns}: the time stamp, in nanoseconds of the wall
     * clock.
     */
    public static long ibv_wc_read_completion_wallclock_ns(long cq) {
        return PlainCalls.longCall(
                Memory.getLong(cq + ibv_cq_ex.read_completion_wallclock_ns$offset()), cq);
    }

    /** {@code ibv_wc_read_cvlan}: the VLAN tag; {@code uint16_t}. */
    public static int ibv_wc_read_cvlan(long cq) {
        return PlainCalls.intCall(Memory.getLong(cq + ibv_cq_ex.read_cvlan$offset()), cq) & 0xffff;
    }

    /** {@code ibv_wc_read_flow_tag}: the tag of the flow rule that matched. */
    public static int ibv_wc_read_flow_tag(long cq) {
        return PlainCalls.intCall(Memory.getLong(cq + ibv_cq_ex.read_flow_tag$offset()), cq);
    }

    /**
     * {@code ibv_wc_read_tm_info}: fills an {@code ibv_wc_tm_info} with the tag-matching header.
     */
    public static void ibv_wc_read_tm_info(long cq, long tmInfo) {
        PlainCalls.voidCall(Memory.getLong(cq + ibv_cq_ex.read_tm_info$offset()), cq, tmInfo);
    }
}
