package org.verbs4j;

/**
 * A queue pair that talks to one peer: {@code IBV_QPT_RC}, {@code IBV_QPT_UC} and the two of XRC.
 *
 * <p>Threads as {@link QueuePair} says. It is made in {@link QueuePairState#INIT}, where receives
 * can be posted: do that first, then exchange {@link #endpoint()}s, then {@link
 * #connect(QueuePairEndpoint)} on both sides.
 */
public abstract sealed class ConnectedQueuePair extends QueuePair
        permits WritingQueuePair, XrcReceiveQueuePair {
    ConnectedQueuePair(QueuePairSetup setup) {
        super(setup);
    }

    /**
     * As {@link #connect(QueuePairEndpoint, ConnectOptions)}, with {@link
     * ConnectOptions#defaults()}.
     *
     * @param remote the peer's {@link #endpoint()}
     */
    public final void connect(QueuePairEndpoint remote) {
        connect(remote, ConnectOptions.defaults());
    }

    /**
     * Connects to a peer: from INIT, or RESET, to READY_TO_SEND, by {@code ibv_modify_qp(3)}. Both
     * sides do it, in any order. Blocks for up to a second on RoCE when the peer's address does not
     * answer.
     *
     * @param remote the peer's {@link #endpoint()}
     * @param options how the connection behaves
     * @throws QueuePairTransitionException when the kernel refuses, with the cause
     * @throws VerbsException when the port is not ACTIVE, or another GID has taken the place of the
     *     one to send from
     * @throws IllegalArgumentException when the peer's endpoint has no GID and the port is Ethernet
     */
    public final void connect(QueuePairEndpoint remote, ConnectOptions options) {
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

    /**
     * Moves from INIT to READY_TO_RECEIVE, where messages of the peer are served, by {@code
     * ibv_modify_qp(3)}.
     *
     * @param remote the peer
     * @param options path MTU, accepted reads, timer and class of service, as far as the type has
     *     them
     * @throws QueuePairTransitionException when the kernel refuses, with the cause
     */
    public final void moveToReadyToReceive(QueuePairEndpoint remote, ConnectOptions options) {
        QueuePairAttributes attributes =
                new QueuePairAttributes()
                        .state(QueuePairState.READY_TO_RECEIVE)
                        .addressVector(way(remote, options))
                        .pathMtu(pathMtu(remote, options))
                        .destinationQueuePair(remote.queuePairNumber())
                        .receiveSequence(remote.packetSequence());
        QueuePairType type = setup().type();
        if (type == QueuePairType.RC || type == QueuePairType.XRC_RECEIVE) {
            attributes
                    .maxAcceptedReads(lower(options.maxAcceptedReads(), most().maxAcceptedReads()))
                    .minRnrTimer(options.minRnrTimer());
        }
        modify(attributes);
    }

    /**
     * Moves from READY_TO_RECEIVE to READY_TO_SEND, by {@code ibv_modify_qp(3)}.
     *
     * @param options time-out, retries and initiated reads, as far as the type has them
     * @throws QueuePairTransitionException when the kernel refuses, with the cause
     */
    public final void moveToReadyToSend(ConnectOptions options) {
        QueuePairAttributes attributes =
                new QueuePairAttributes()
                        .state(QueuePairState.READY_TO_SEND)
                        .sendSequence(setup().packetSequence());
        QueuePairType type = setup().type();
        if (type != QueuePairType.UC) {
            attributes.timeout(options.timeout());
        }
        if (type == QueuePairType.RC || type == QueuePairType.XRC_SEND) {
            attributes
                    .retryCount(options.retryCount())
                    .rnrRetryCount(options.rnrRetryCount())
                    .maxInitiatedReads(
                            lower(options.maxInitiatedReads(), most().maxInitiatedReads()));
        }
        modify(attributes);
    }

    final DeviceAttributes most() {
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

    /**
     * Options of a connected queue pair. Belongs to one thread.
     *
     * @param <B> the builder of the type
     */
    public abstract static sealed class Builder<B extends Builder<B>> extends QueuePairBuilder<B>
            permits RcQueuePair.Builder,
                    UcQueuePair.Builder,
                    XrcSendQueuePair.Builder,
                    XrcReceiveQueuePair.Builder {
        Builder(ProtectionDomain domain, CompletionQueue sendQueue, CompletionQueue receiveQueue) {
            super(domain, sendQueue, receiveQueue);
        }

        Builder(XrcDomain xrcDomain) {
            super(xrcDomain);
        }

        /**
         * Sets what the peer may do with regions that allow it as well, {@code qp_access_flags}. By
         * default nothing.
         *
         * @param access of the REMOTE ones
         */
        public final B remoteAccess(Access... access) {
            remoteAccess = access.clone();
            return self();
        }
    }
}
