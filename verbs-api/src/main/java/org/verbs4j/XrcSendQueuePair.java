package org.verbs4j;

/**
 * The sending half of an extended reliable connection, {@code IBV_QPT_XRC_SEND}: every send and
 * every write with immediate names the peer's shared receive queue that it goes to, {@link
 * Send#toQueue} and {@link Write#toQueue}. It takes no receives.
 *
 * <p>Threads as {@link QueuePair} says, steps as {@link ConnectedQueuePair} says.
 */
public final class XrcSendQueuePair extends ReliableQueuePair {
    XrcSendQueuePair(QueuePairSetup setup) {
        super(setup);
    }

    /** Options of the sending half of an extended reliable connection. Belongs to one thread. */
    public static final class Builder extends ConnectedQueuePair.Builder<Builder> {
        Builder(ProtectionDomain domain, CompletionQueue sendQueue) {
            super(domain, sendQueue, sendQueue);
        }

        @Override
        Builder self() {
            return this;
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
        public XrcSendQueuePair build() {
            return make(QueuePairType.XRC_SEND, XrcSendQueuePair::new);
        }
    }
}
