package org.verbs4j;

/**
 * A reliable connected queue pair, {@code IBV_QPT_RC}: everything arrives once and in order, or the
 * connection fails. Post receives before the peer connects: one whose receives come too late makes
 * the other repeat.
 *
 * <p>Threads as {@link QueuePair} says, steps as {@link ConnectedQueuePair} says.
 */
public final class RcQueuePair extends ReliableQueuePair {
    RcQueuePair(QueuePairSetup setup) {
        super(setup);
    }

    /** Options of a reliable connected queue pair. Belongs to one thread. */
    public static final class Builder extends ConnectedQueuePair.Builder<Builder> {
        Builder(ProtectionDomain domain, CompletionQueue sendQueue, CompletionQueue receiveQueue) {
            super(domain, sendQueue, receiveQueue);
        }

        @Override
        Builder self() {
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
        public RcQueuePair build() {
            return make(QueuePairType.RC, RcQueuePair::new);
        }
    }
}
