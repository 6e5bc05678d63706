package org.verbs4j;

import static org.verbs4j.bindings.ExtendedCompletionQueue.ibv_end_poll;
import static org.verbs4j.bindings.ExtendedCompletionQueue.ibv_next_poll;
import static org.verbs4j.bindings.ExtendedCompletionQueue.ibv_start_poll;
import static org.verbs4j.bindings.ExtendedCompletionQueue.ibv_wc_read_byte_len;
import static org.verbs4j.bindings.ExtendedCompletionQueue.ibv_wc_read_completion_ts;
import static org.verbs4j.bindings.ExtendedCompletionQueue.ibv_wc_read_completion_wallclock_ns;
import static org.verbs4j.bindings.ExtendedCompletionQueue.ibv_wc_read_cvlan;
import static org.verbs4j.bindings.ExtendedCompletionQueue.ibv_wc_read_dlid_path_bits;
import static org.verbs4j.bindings.ExtendedCompletionQueue.ibv_wc_read_flow_tag;
import static org.verbs4j.bindings.ExtendedCompletionQueue.ibv_wc_read_imm_data;
import static org.verbs4j.bindings.ExtendedCompletionQueue.ibv_wc_read_opcode;
import static org.verbs4j.bindings.ExtendedCompletionQueue.ibv_wc_read_qp_num;
import static org.verbs4j.bindings.ExtendedCompletionQueue.ibv_wc_read_sl;
import static org.verbs4j.bindings.ExtendedCompletionQueue.ibv_wc_read_slid;
import static org.verbs4j.bindings.ExtendedCompletionQueue.ibv_wc_read_src_qp;
import static org.verbs4j.bindings.ExtendedCompletionQueue.ibv_wc_read_tm_info;
import static org.verbs4j.bindings.ExtendedCompletionQueue.ibv_wc_read_vendor_err;
import static org.verbs4j.bindings.ExtendedCompletionQueue.ibv_wc_read_wc_flags;

import org.jspecify.annotations.Nullable;
import org.verbs4j.bindings.Posix;
import org.verbs4j.bindings.Verbs;
import org.verbs4j.bindings.ibv_cq_ex;
import org.verbs4j.bindings.ibv_poll_cq_attr;
import org.verbs4j.bindings.ibv_wc_tm_info;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.Collections;
import java.util.EnumSet;
import java.util.Set;

/**
 * A completion queue that tells more than {@link WorkCompletion} holds, such as time stamps: {@code
 * struct ibv_cq_ex}.
 *
 * <p>One thread at a time may poll or wait. {@link #close()} may be called by any thread at any
 * time: it waits for a poll under way, and later ones throw.
 *
 * <p>Queue pairs are made on {@link #queue()}, which may also be armed, resized and polled as any
 * other. In C the provider holds the queue's lock from {@code ibv_start_poll} to {@code
 * ibv_end_poll}, and the program must come to the end in any case; here {@link #poll} does, and
 * copies what was asked for, so that nothing can be done wrong in between. That costs one call a
 * field: ask for what is needed, and poll classically where {@link WorkCompletion} suffices.
 */
public final class ExtendedCompletionQueue implements AutoCloseable {
    private final CompletionQueue queue;
    private final Set<CompletionField> fields;
    private final CompletionField[] read;
    private final int mask;
    private final boolean oneByOne;

    private final Arena arena = Arena.ofAuto();
    private final MemorySegment pollAttributes = arena.allocate(ibv_poll_cq_attr.layout());
    private final MemorySegment tagInfo = arena.allocate(ibv_wc_tm_info.layout());

    ExtendedCompletionQueue(CompletionQueue queue, Set<CompletionField> fields) {
        this.queue = queue;
        this.fields = Collections.unmodifiableSet(fields);
        this.read = fields.toArray(CompletionField[]::new);
        this.mask = CompletionField.mask(fields);
        // rxe before rdma-core 55 counts one completion too many when ibv_next_poll finds none, and
        // before 59 unlocks twice: measured with 44 as 63 completions that never were.
        this.oneByOne = queue.context().provider().equals("rxe");
    }

    /** The queue to make queue pairs on. It is closed by {@link #close()} of this one. */
    public CompletionQueue queue() {
        return queue;
    }

    /** What was asked for. */
    public Set<CompletionField> fields() {
        return fields;
    }

    /**
     * Takes completions and copies what was asked for, {@code ibv_start_poll} to {@code
     * ibv_end_poll}, see {@code ibv_create_cq_ex(3)}; it never waits. No allocation.
     *
     * @param into filled from index 0
     * @return how many were taken, 0 when there are none
     * @throws IllegalStateException when the queue is closed
     * @throws VerbsException when the queue is broken
     */
    public int poll(ExtendedCompletions into) {
        into.begin(queue, mask);
        long cq = CompletionQueue.GATE.enter(queue);
        if (cq == 0) {
            throw queue.closed();
        }
        try {
            boolean more = true;
            while (more && !into.isFull()) {
                more = oneByOne ? take(cq, into, 1) : take(cq, into, into.capacity());
            }
        } finally {
            CompletionQueue.GATE.leave(queue);
        }
        return into.size();
    }

    /**
     * From start to end.
     *
     * @return whether there may be more
     */
    private boolean take(long cq, ExtendedCompletions into, int most) {
        int result = ibv_start_poll(cq, pollAttributes.address());
        if (result == Posix.ENOENT()) {
            return false;
        }
        if (result != 0) {
            throw new VerbsException(
                    "ibv_start_poll",
                    result,
                    "polling the " + queue + ": it has overflowed or the device has failed");
        }
        try {
            int taken = 0;
            do {
                copy(cq, into, into.add());
                taken++;
            } while (taken < most && !into.isFull() && (result = ibv_next_poll(cq)) == 0);
        } finally {
            ibv_end_poll(cq);
        }
        // What else ibv_next_poll may say is an error that the next ibv_start_poll says again.
        return result == 0;
    }

    private void copy(long cq, ExtendedCompletions into, int row) {
        MemorySegment completion = MemorySegment.ofAddress(cq).reinterpret(ibv_cq_ex.sizeof());
        int status = ibv_cq_ex.status(completion);
        into.set(row, ExtendedCompletions.WR_ID, ibv_cq_ex.wr_id(completion));
        into.set(row, ExtendedCompletions.STATUS, status);
        into.set(row, ExtendedCompletions.VENDOR_ERROR, ibv_wc_read_vendor_err(cq));
        boolean success = status == Verbs.IBV_WC_SUCCESS();
        into.set(row, ExtendedCompletions.OPCODE, success ? ibv_wc_read_opcode(cq) : 0);
        into.set(row, ExtendedCompletions.FLAGS, success ? ibv_wc_read_wc_flags(cq) : 0);
        into.set(row, CompletionField.QUEUE_PAIR_NUMBER, 0);
        for (CompletionField field : read) {
            boolean defined = success || field == CompletionField.QUEUE_PAIR_NUMBER;
            into.set(row, field, defined ? read(cq, field) : 0);
            if (field == CompletionField.TAG_MATCHING) {
                into.setTagData(row, defined ? ibv_wc_tm_info.priv(tagInfo) : 0);
            }
        }
    }

    private long read(long cq, CompletionField field) {
        return switch (field) {
            case BYTE_LENGTH -> Integer.toUnsignedLong(ibv_wc_read_byte_len(cq));
            case IMMEDIATE -> ibv_wc_read_imm_data(cq);
            case QUEUE_PAIR_NUMBER -> ibv_wc_read_qp_num(cq);
            case SOURCE_QUEUE_PAIR -> ibv_wc_read_src_qp(cq);
            case SOURCE_LID -> ibv_wc_read_slid(cq);
            case SERVICE_LEVEL -> ibv_wc_read_sl(cq);
            case DESTINATION_PATH_BITS -> ibv_wc_read_dlid_path_bits(cq);
            case TIMESTAMP -> ibv_wc_read_completion_ts(cq);
            case WALL_CLOCK -> ibv_wc_read_completion_wallclock_ns(cq);
            case VLAN -> ibv_wc_read_cvlan(cq);
            case FLOW_TAG -> ibv_wc_read_flow_tag(cq);
            case TAG_MATCHING -> {
                ibv_wc_read_tm_info(cq, tagInfo.address());
                yield ibv_wc_tm_info.tag(tagInfo);
            }
        };
    }

    /**
     * Waits for completions and takes them, {@code ibv_get_cq_event(3)}: polls, arms, polls again
     * because what came in between does not notify, and sleeps on the channel.
     *
     * @param into filled from index 0
     * @param timeout the longest wait; zero only polls
     * @return how many were taken, 0 on time-out
     * @throws InterruptedException when the thread is interrupted
     * @throws IllegalStateException when the queue is closed, before or meanwhile, or has no
     *     channel
     * @throws VerbsException when the events cannot be read: EIO when the device has been removed
     */
    public int await(ExtendedCompletions into, Duration timeout) throws InterruptedException {
        return queue.await(() -> poll(into), timeout);
    }

    /** Escape hatch: {@code struct ibv_cq_ex *}, valid while the queue is open. */
    public MemorySegment handle() {
        return queue.handle().reinterpret(ibv_cq_ex.sizeof());
    }

    /**
     * Destroys the queue, as {@link CompletionQueue#close()} of {@link #queue()} does.
     *
     * @throws IllegalStateException when a queue pair still completes into it, naming it
     * @throws VerbsException when the kernel refuses
     */
    @Override
    public void close() {
        queue.close();
    }

    @Override
    public String toString() {
        return queue.toString();
    }

    /**
     * The options of an extended queue: {@code struct ibv_cq_init_attr_ex}. Belongs to one thread.
     */
    public static final class Builder {
        final DeviceContext context;
        final int minCapacity;
        final Set<CompletionField> fields = EnumSet.noneOf(CompletionField.class);
        @Nullable CompletionChannel channel;
        int vector;
        @Nullable ProtectionDomain parentDomain;
        int flags;

        Builder(DeviceContext context, int minCapacity) {
            CompletionQueue.requireCapacity(context, minCapacity);
            this.context = context;
            this.minCapacity = minCapacity;
        }

        /** Asks for fields, beside those asked for before. */
        public Builder fields(CompletionField... more) {
            Collections.addAll(fields, more);
            return this;
        }

        /**
         * Sets where to wait. By default nowhere.
         *
         * @param where of the same context
         * @param completionVector which one raises the interrupt, 0 to {@link
         *     DeviceContext#completionVectors()} - 1
         */
        public Builder channel(CompletionChannel where, int completionVector) {
            CompletionQueue.requireVector(context, where, completionVector);
            channel = where;
            vector = completionVector;
            return this;
        }

        /**
         * Says that one and the same thread polls and posts all that completes into the queue, so
         * that the provider need not lock: {@code IBV_CREATE_CQ_ATTR_SINGLE_THREADED}. Keeping that
         * promise is up to the program: two threads at a time may crash the process, as in C.
         */
        public Builder singleThreaded() {
            flags |= Verbs.IBV_CREATE_CQ_ATTR_SINGLE_THREADED();
            return this;
        }

        /** Lets the queue overflow without a failure: {@code IBV_CREATE_CQ_ATTR_IGNORE_OVERRUN}. */
        public Builder ignoreOverrun() {
            flags |= Verbs.IBV_CREATE_CQ_ATTR_IGNORE_OVERRUN();
            return this;
        }

        /** Puts the queue under a domain made by {@link ProtectionDomain#newParentDomain}. */
        public Builder parentDomain(ProtectionDomain domain) {
            if (domain.context() != context) {
                throw new IllegalArgumentException("the " + domain + " is of another context");
            }
            parentDomain = domain;
            return this;
        }

        /**
         * Makes the queue, {@code ibv_create_cq_ex(3)}.
         *
         * @throws UnsupportedVerbException when the device does not have a field or an option
         * @throws VerbsException when the device refuses
         */
        public ExtendedCompletionQueue build() {
            return ExtendedCompletionQueueSetup.create(this);
        }
    }
}
