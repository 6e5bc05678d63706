package org.verbs4j;

import org.verbs4j.bindings.Verbs;

/**
 * A view of one completion with the fields that its queue was asked for, {@code
 * ibv_create_cq_ex(3)}. Belongs to the thread that polled; {@link ExtendedCompletions#get} moves
 * it. Keep values, not the view.
 *
 * <p>Reading a field that was not asked for is an {@link IllegalStateException}, where C calls a
 * NULL pointer. When the request failed, only {@link #wrId()}, {@link #status()}, {@link
 * #vendorError()} and {@link #queuePairNumber()} mean something, and the others are 0.
 */
public final class ExtendedCompletion {
    private final ExtendedCompletions all;
    private int row;

    ExtendedCompletion(ExtendedCompletions all) {
        this.all = all;
    }

    void moveTo(int index) {
        row = index;
    }

    /** The number that the request was given, {@code wr_id}. */
    public long wrId() {
        return all.value(row, ExtendedCompletions.WR_ID);
    }

    /** Whether the request succeeded. */
    public boolean isSuccess() {
        if (statusCode() == Verbs.IBV_WC_SUCCESS()) {
            return true;
        }
        QueuePairTable.noteFailure(all.source(), queuePair(), wrId(), statusCode(), vendorError());
        return false;
    }

    /** How the request ended, {@code status}. */
    public WorkStatus status() {
        return isSuccess() ? WorkStatus.SUCCESS : WorkStatus.of(statusCode());
    }

    /** 0 when the queue was not asked for it. */
    private int queuePair() {
        return (int)
                all.value(
                        row,
                        ExtendedCompletions.FIELDS + CompletionField.QUEUE_PAIR_NUMBER.column());
    }

    /** The number of {@code enum ibv_wc_status}, also when it is newer than this library. */
    public int statusCode() {
        return (int) all.value(row, ExtendedCompletions.STATUS);
    }

    /** What the request did, {@code ibv_wc_read_opcode}. */
    public WorkOpcode opcode() {
        return WorkOpcode.of((int) all.value(row, ExtendedCompletions.OPCODE));
    }

    /** The vendor's error number, {@code ibv_wc_read_vendor_err}; 0 when there is none. */
    public int vendorError() {
        return (int) all.value(row, ExtendedCompletions.VENDOR_ERROR);
    }

    /** The bits of {@code enum ibv_wc_flags}, {@code ibv_wc_read_wc_flags}. */
    public int flags() {
        return (int) all.value(row, ExtendedCompletions.FLAGS);
    }

    /** Bytes received, read or exchanged, {@code ibv_wc_read_byte_len}. */
    public long byteLength() {
        return all.value(row, CompletionField.BYTE_LENGTH);
    }

    /** Whether the sender gave an immediate number. */
    public boolean hasImmediate() {
        return (flags() & Verbs.IBV_WC_WITH_IMM()) != 0;
    }

    /**
     * The immediate number in host order, {@code ibv_wc_read_imm_data}; undefined unless {@link
     * #hasImmediate()}.
     */
    public int immediate() {
        return NetworkOrder.toHost((int) all.value(row, CompletionField.IMMEDIATE));
    }

    /** Whether the sender invalidated a key here. */
    public boolean hasInvalidatedKey() {
        return (flags() & Verbs.IBV_WC_WITH_INV()) != 0;
    }

    /**
     * The key that the sender invalidated, {@code ibv_wc_read_invalidated_rkey}; undefined unless
     * {@link #hasInvalidatedKey()}.
     */
    public int invalidatedKey() {
        return (int) all.value(row, CompletionField.IMMEDIATE);
    }

    /** The number of the local queue pair, 24 bits, {@code ibv_wc_read_qp_num}. */
    public int queuePairNumber() {
        return (int) all.value(row, CompletionField.QUEUE_PAIR_NUMBER);
    }

    /** The sender's queue pair, {@code ibv_wc_read_src_qp}; of unconnected queue pairs only. */
    public int sourceQueuePairNumber() {
        return (int) all.value(row, CompletionField.SOURCE_QUEUE_PAIR);
    }

    /** The sender's local identifier, {@code ibv_wc_read_slid}; InfiniBand, unconnected only. */
    public int sourceLid() {
        return (int) all.value(row, CompletionField.SOURCE_LID);
    }

    /** The service level, {@code ibv_wc_read_sl}; 0 to 15. */
    public int serviceLevel() {
        return (int) all.value(row, CompletionField.SERVICE_LEVEL);
    }

    /** The lower bits of the identifier that was sent to, {@code ibv_wc_read_dlid_path_bits}. */
    public int destinationPathBits() {
        return (int) all.value(row, CompletionField.DESTINATION_PATH_BITS);
    }

    /**
     * When it completed, in ticks of the device's clock, {@code ibv_wc_read_completion_ts}; {@link
     * DeviceClock} makes them a time.
     */
    public long timestamp() {
        return all.value(row, CompletionField.TIMESTAMP);
    }

    /**
     * When it completed, in nanoseconds of the wall clock, {@code
     * ibv_wc_read_completion_wallclock_ns}.
     */
    public long wallClockNanos() {
        return all.value(row, CompletionField.WALL_CLOCK);
    }

    /** The VLAN tag, 16 bits, {@code ibv_wc_read_cvlan}. */
    public int vlan() {
        return (int) all.value(row, CompletionField.VLAN);
    }

    /** The tag of the flow rule that matched, {@code ibv_wc_read_flow_tag}. */
    public int flowTag() {
        return (int) all.value(row, CompletionField.FLOW_TAG);
    }

    /** The tag of a tagged message, {@code ibv_wc_read_tm_info}. */
    public long tag() {
        return all.value(row, CompletionField.TAG_MATCHING);
    }

    /** The sender's 32 bits beside the tag, {@code ibv_wc_read_tm_info}. */
    public int tagData() {
        all.value(row, CompletionField.TAG_MATCHING); // refuses when it was not asked for
        return (int) all.tagData(row);
    }

    /**
     * Returns when the request succeeded.
     *
     * @throws WorkCompletionException unless it did, with the cause and what to look at; the queue
     *     pair's number is 0 when it was not asked for
     */
    public void requireSuccess() {
        if (!isSuccess()) {
            throw new WorkCompletionException(
                    statusCode(),
                    vendorError(),
                    wrId(),
                    queuePair(),
                    QueuePairTable.firstFailure(all.source(), queuePair()));
        }
    }

    /** For messages; allocates. */
    @Override
    public String toString() {
        return isSuccess() ? opcode() + " request " + wrId() : status() + " for request " + wrId();
    }
}
