package org.verbs4j;

/**
 * A queue pair for whole Ethernet frames, headers included, {@code IBV_QPT_RAW_PACKET}: what is
 * sent goes out as it is, what is received was steered here by a flow. Needs CAP_NET_RAW, and a
 * device that can.
 *
 * <p>Threads as {@link QueuePair} says. It is made in {@link QueuePairState#INIT}; post receives,
 * then {@link #activate()}.
 */
public final class RawPacketQueuePair extends QueuePair {
    RawPacketQueuePair(QueuePairSetup setup) {
        super(setup);
    }

    /**
     * Makes it ready: from INIT, or RESET, to READY_TO_SEND, by {@code ibv_modify_qp(3)}.
     *
     * @throws QueuePairTransitionException when the kernel refuses
     */
    public void activate() {
        if (state() == QueuePairState.RESET) {
            moveToInit();
        }
        modify(new QueuePairAttributes().state(QueuePairState.READY_TO_RECEIVE));
        modify(new QueuePairAttributes().state(QueuePairState.READY_TO_SEND));
    }

    /** Options of a queue pair for Ethernet frames. Belongs to one thread. */
    public static final class Builder extends QueuePairBuilder<Builder> {
        Builder(ProtectionDomain domain, CompletionQueue sendQueue, CompletionQueue receiveQueue) {
            super(domain, sendQueue, receiveQueue);
        }

        @Override
        Builder self() {
            return this;
        }

        /**
         * Lets it send and receive in place of a queue pair number, where the device can: {@code
         * IBV_QP_CREATE_SOURCE_QPN}.
         *
         * @param number 24 bits
         */
        public Builder sourceQueuePair(int number) {
            sourceQueuePair = Arguments.range("number", number, 0, 0xff_ffff);
            return this;
        }

        /**
         * Takes the receives from a queue that several queue pairs share, instead of one of its
         * own.
         *
         * @param queue of the same protection domain
         * @throws IllegalArgumentException when it is of another
         */
        public Builder sharedReceiveQueue(SharedReceiveQueue queue) {
            return takeReceivesFrom(queue);
        }

        /**
         * Makes the queue pair, {@code ibv_create_qp(3)}, and moves it to {@link
         * QueuePairState#INIT}.
         *
         * @throws UnsupportedVerbException when the device does not have this type
         * @throws VerbsException when the device refuses, naming the limit exceeded, or no port is
         *     ACTIVE
         * @throws IllegalArgumentException when there is no such port, or its GID table has no such
         *     entry
         */
        public RawPacketQueuePair build() {
            return make(QueuePairType.RAW_PACKET, RawPacketQueuePair::new);
        }
    }
}
