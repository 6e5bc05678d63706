package org.verbs4j;

import org.verbs4j.bindings.Verbs;

import java.util.List;

/**
 * A reliable connected queue pair: everything arrives once and in order, or the connection fails.
 *
 * <p>Threads as {@link QueuePair} says. It is made in {@link QueuePairState#INIT}, where receives
 * can be posted: do that first, then exchange {@link #endpoint()}s, then {@link
 * #connect(QueuePairEndpoint)} on both sides; a peer whose receives come too late makes the other
 * one repeat.
 */
public final class RcQueuePair extends QueuePair {
    private static final int UNKNOWN_READS = -1;

    /** What the queue pair was told about reads under way; 0 makes a posted read hang for ever. */
    private volatile int initiatedReads = UNKNOWN_READS;

    private volatile boolean readsMade;

    RcQueuePair(QueuePairSetup setup) {
        super(setup);
    }

    /**
     * Connects to a peer with {@link ConnectOptions#defaults()}.
     *
     * @param remote the peer's {@link #endpoint()}
     */
    public void connect(QueuePairEndpoint remote) {
        connect(remote, ConnectOptions.defaults());
    }

    /**
     * Connects to a peer: from INIT, or RESET, to READY_TO_SEND. Both sides do it, in any order.
     * Blocks for up to a second on RoCE when the peer's address does not answer.
     *
     * @param remote the peer's {@link #endpoint()}
     * @param options how the connection behaves
     * @throws QueuePairTransitionException when the kernel refuses, with the cause
     * @throws VerbsException when the port is not ACTIVE
     */
    public void connect(QueuePairEndpoint remote, ConnectOptions options) {
        PortAttributes port = setup().port().attributes();
        if (!port.isActive()) { // else every request would be repeated until it fails, or for ever
            throw new VerbsException(
                    "ibv_query_port",
                    0,
                    Hints.portDown(
                            setup().context().device().name(),
                            setup().port().number(),
                            port.state()));
        }
        if (state() == QueuePairState.RESET) {
            moveToInit();
        }
        moveToReadyToReceive(remote, options);
        moveToReadyToSend(options);
    }

    /** Moves from RESET to INIT with the port, partition and remote access of the builder. */
    public void moveToInit() {
        modify(
                new QueuePairAttributes()
                        .state(QueuePairState.INIT)
                        .partitionKeyIndex(setup().partitionKeyIndex())
                        .port(setup().port().number())
                        .remoteAccess(setup().remoteAccess().toArray(Access[]::new)));
    }

    /**
     * Moves from INIT to READY_TO_RECEIVE, where messages of the peer are served.
     *
     * @param remote the peer
     * @param options path MTU, accepted reads, timer and class of service
     */
    public void moveToReadyToReceive(QueuePairEndpoint remote, ConnectOptions options) {
        modify(
                new QueuePairAttributes()
                        .state(QueuePairState.READY_TO_RECEIVE)
                        .addressVector(way(remote, options))
                        .pathMtu(pathMtu(remote, options))
                        .destinationQueuePair(remote.queuePairNumber())
                        .receiveSequence(remote.packetSequence())
                        .maxAcceptedReads(
                                lower(options.maxAcceptedReads(), most().maxAcceptedReads()))
                        .minRnrTimer(options.minRnrTimer()));
    }

    /**
     * Moves from READY_TO_RECEIVE to READY_TO_SEND.
     *
     * @param options time-out, retries and initiated reads
     */
    public void moveToReadyToSend(ConnectOptions options) {
        modify(
                new QueuePairAttributes()
                        .state(QueuePairState.READY_TO_SEND)
                        .timeout(options.timeout())
                        .retryCount(options.retryCount())
                        .rnrRetryCount(options.rnrRetryCount())
                        .sendSequence(setup().packetSequence())
                        .maxInitiatedReads(
                                lower(options.maxInitiatedReads(), most().maxInitiatedReads())));
    }

    private DeviceAttributes most() {
        return setup().context().attributes();
    }

    /** The field has 8 bits, some devices more. */
    private static int lower(int wanted, int most) {
        return Math.min(wanted, Math.max(0, most));
    }

    private AddressVector way(QueuePairEndpoint remote, ConnectOptions options) {
        GidEntry source = setup().source();
        Gid destination = remote.gid();
        if (destination == null && setup().isEthernet()) {
            throw new IllegalArgumentException(
                    "the peer's endpoint has no GID, which "
                            + setup().port()
                            + " needs because it is Ethernet");
        }
        AddressVector.GlobalRoute route =
                source == null || destination == null
                        ? null
                        : new AddressVector.GlobalRoute(
                                destination,
                                source.index(),
                                0,
                                options.hopLimit(),
                                options.trafficClass());
        return new AddressVector(
                setup().port().number(), remote.lid(), options.serviceLevel(), route);
    }

    private Mtu pathMtu(QueuePairEndpoint remote, ConnectOptions options) {
        Mtu asked = options.pathMtu();
        return asked != null
                ? asked
                : Mtu.min(setup().port().attributes().activeMtu(), remote.mtu());
    }

    @Override
    void beforeModify(QueuePairAttributes attributes, QueuePairState after) {
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

    /** A write request, to be filled in. */
    public Write newWrite() {
        life().requireOpen();
        return new Write(this);
    }

    /**
     * A read request, to be filled in.
     *
     * @throws IllegalStateException when it was connected with no reads allowed
     */
    public Read newRead() {
        requireReads();
        return new Read(this);
    }

    /**
     * A compare-and-swap request, to be filled in.
     *
     * @throws IllegalStateException when it was connected with no reads allowed
     * @throws UnsupportedVerbException when the device has no atomics
     */
    public CompareAndSwap newCompareAndSwap() {
        requireAtomics();
        return new CompareAndSwap(this);
    }

    /**
     * A fetch-and-add request, to be filled in.
     *
     * @throws IllegalStateException when it was connected with no reads allowed
     * @throws UnsupportedVerbException when the device has no atomics
     */
    public FetchAndAdd newFetchAndAdd() {
        requireAtomics();
        return new FetchAndAdd(this);
    }

    /** A request that binds a memory window of type 2, to be filled in. */
    public BindWindow newBindWindow() {
        life().requireOpen();
        return new BindWindow(this);
    }

    /** A request that takes a key of this side back, to be filled in. */
    public LocalInvalidate newLocalInvalidate() {
        life().requireOpen();
        return new LocalInvalidate(this);
    }

    private void requireReads() {
        life().requireOpen();
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

    /** Options of a reliable connected queue pair. */
    public static final class Builder extends QueuePairBuilder<Builder> {
        Builder(ProtectionDomain domain, CompletionQueue sendQueue, CompletionQueue receiveQueue) {
            super(domain, sendQueue, receiveQueue);
        }

        @Override
        Builder self() {
            return this;
        }

        /**
         * Sets what the peer may do with regions that allow it as well. By default nothing.
         *
         * @param access of the REMOTE ones
         */
        public Builder remoteAccess(Access... access) {
            remoteAccess = List.of(access).toArray(Access[]::new);
            return this;
        }

        /**
         * Makes the queue pair, {@code ibv_create_qp(3)}, and moves it to {@link
         * QueuePairState#INIT}.
         *
         * @throws VerbsException when the device refuses, naming the limit exceeded, or no port is
         *     ACTIVE
         * @throws IllegalArgumentException when there is no such port, or its GID table has no such
         *     entry
         */
        public RcQueuePair build() {
            return sendQueue == receiveQueue
                    ? Lifecycle.make(this::make, domain.life(), sendQueue.life())
                    : Lifecycle.make(
                            this::make, domain.life(), sendQueue.life(), receiveQueue.life());
        }

        private RcQueuePair make() {
            RcQueuePair pair = new RcQueuePair(QueuePairSetup.create(this, Verbs.IBV_QPT_RC()));
            try {
                pair.moveToInit();
                return pair;
            } catch (RuntimeException e) {
                closeAfter(pair, e);
                throw e;
            }
        }

        private static void closeAfter(RcQueuePair pair, RuntimeException cause) {
            try {
                pair.close();
            } catch (RuntimeException e) {
                cause.addSuppressed(e);
            }
        }
    }
}
