package org.verbs4j;

import org.verbs4j.bindings.Verbs;

/** The sending side of a reliable connection: it can read and do atomics as well. */
abstract sealed class ReliableQueuePair extends WritingQueuePair
        permits RcQueuePair, XrcSendQueuePair {
    private static final int UNKNOWN_READS = -1;

    /** What the queue pair was told about reads under way; 0 makes a posted read hang for ever. */
    private volatile int initiatedReads = UNKNOWN_READS;

    private volatile boolean readsMade;

    ReliableQueuePair(QueuePairSetup setup) {
        super(setup);
    }

    /**
     * A read request, to be filled in.
     *
     * @throws IllegalStateException when it was connected with no reads allowed
     */
    public final Read newRead() {
        requireReads();
        return new Read(this);
    }

    /**
     * A compare-and-swap request, to be filled in.
     *
     * @throws IllegalStateException when it was connected with no reads allowed
     * @throws UnsupportedVerbException when the device has no atomics
     */
    public final CompareAndSwap newCompareAndSwap() {
        requireAtomics();
        return new CompareAndSwap(this);
    }

    /**
     * A fetch-and-add request, to be filled in.
     *
     * @throws IllegalStateException when it was connected with no reads allowed
     * @throws UnsupportedVerbException when the device has no atomics
     */
    public final FetchAndAdd newFetchAndAdd() {
        requireAtomics();
        return new FetchAndAdd(this);
    }

    @Override
    final void beforeModify(QueuePairAttributes attributes, QueuePairState after) {
        int reads =
                attributes.has(Verbs.IBV_QP_MAX_QP_RD_ATOMIC())
                        ? attributes.maxInitiatedReads()
                        : initiatedReads;
        if (reads == 0 && readsMade && after == QueuePairState.READY_TO_SEND) {
            throw new IllegalArgumentException(
                    "maxInitiatedReads is 0, but reads or atomics have been made for "
                            + this
                            + ": posted, they would never complete");
        }
        initiatedReads = reads;
    }

    final void requireReads() {
        requireSends();
        readsMade = true;
        if (initiatedReads == 0) {
            throw new IllegalStateException(
                    this
                            + " was connected with maxInitiatedReads 0: a read or atomic would"
                            + " never complete");
        }
    }

    private void requireAtomics() {
        if (most().atomics() == DeviceAttributes.AtomicSupport.NONE) {
            throw new UnsupportedVerbException(
                    "ibv_post_send",
                    0,
                    setup().context().device().name()
                            + " has no atomics (its atomic_cap is IBV_ATOMIC_NONE)");
        }
        requireReads();
    }
}
