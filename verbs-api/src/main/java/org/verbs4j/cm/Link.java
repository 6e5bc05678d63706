package org.verbs4j.cm;

import org.jspecify.annotations.Nullable;
import org.verbs4j.Access;
import org.verbs4j.QueuePair;
import org.verbs4j.QueuePairAttributes;
import org.verbs4j.QueuePairState;
import org.verbs4j.RcQueuePair;
import org.verbs4j.UdQueuePair;
import org.verbs4j.internal.VerbsInternals;

import java.net.InetSocketAddress;
import java.util.function.Function;

/**
 * An id with a channel of its own: what a connector, a request and then the connection hold, one
 * after the other.
 */
final class Link {
    private final EventChannel channel;
    private final ConnectionId id;

    private Link(EventChannel channel, ConnectionId id) {
        this.channel = channel;
        this.id = id;
    }

    /** With a new id. */
    static Link create(PortSpace portSpace) {
        EventChannel channel = EventChannel.open();
        try {
            return new Link(channel, channel.newId(portSpace));
        } catch (RuntimeException e) {
            channel.close();
            throw e;
        }
    }

    /** Of the id of a request, which moves away from the listener's channel. */
    static <T> T adopt(ConnectionId id, Function<Link, T> use) {
        EventChannel channel = null;
        try {
            channel = EventChannel.open();
            id.migrate(channel);
            return use.apply(new Link(channel, id));
        } catch (RuntimeException e) {
            closeAfter(e, id, channel);
            throw e;
        }
    }

    EventChannel channel() {
        return channel;
    }

    ConnectionId id() {
        return id;
    }

    /**
     * Waits for the next event of a step.
     *
     * @throws ConnectionException when it tells of a failure or of the device's removal, or time is
     *     over
     */
    ConnectionEvent await(
            String call, Deadline deadline, @Nullable InetSocketAddress remote, String ifLate)
            throws InterruptedException {
        ConnectionEvent event = channel.await(deadline.left());
        return switch (event) {
            case null -> throw Diagnosis.late(call, deadline.timeout(), remote, ifLate);
            case ConnectionEvent.Failed failed -> throw Diagnosis.failed(call, failed, remote);
            case ConnectionEvent.DeviceRemoved removed -> throw Diagnosis.removed(call, removed);
            default -> event;
        };
    }

    /** Refuses a queue pair that this connection cannot use, before anything is sent. */
    void requireUsable(RcQueuePair pair) {
        requireSameDevice(pair);
        QueuePairState state = pair.state();
        if (state != QueuePairState.RESET && state != QueuePairState.INIT) {
            throw new IllegalStateException(
                    pair
                            + " is in "
                            + state
                            + ": connecting takes a new one, or one that is reset");
        }
    }

    void requireSameDevice(QueuePair pair) {
        String device = VerbsInternals.get().contextOf(pair).device().name();
        String here = id.context().device().name();
        if (!device.equals(here)) {
            throw new IllegalArgumentException(
                    pair + ", but the connection is on " + here + ": make the pair from context()");
        }
    }

    /** Makes a queue pair for datagrams ready, on the port of this link, unless it is already. */
    void makeReady(UdQueuePair pair) {
        requireSameDevice(pair);
        switch (pair.state()) {
            case RESET, INIT -> {
                QueuePairAttributes attributes = id.attributesFor(QueuePairState.INIT);
                pair.modify(
                        id.portSpace() == PortSpace.UDP
                                ? attributes.queueKey(pair.queueKey())
                                : attributes);
                pair.activate();
            }
            case READY_TO_SEND -> {}
            default ->
                    throw new IllegalStateException(
                            pair + " is in " + pair.state() + ": reset it, or take a new one");
        }
    }

    /** To INIT, on the connection's port, with the remote access of the pair's builder. */
    void moveToInit(RcQueuePair pair) {
        Access[] access = VerbsInternals.get().remoteAccessOf(pair).toArray(Access[]::new);
        pair.modify(id.attributesFor(QueuePairState.INIT).remoteAccess(access));
    }

    /** From INIT to READY_TO_SEND; the connecting side's limits of reads are settled by then. */
    void moveToReady(RcQueuePair pair, ConnectionParameters parameters) {
        pair.modify(receiving(parameters));
        pair.modify(id.attributesFor(QueuePairState.READY_TO_SEND));
    }

    /** The same for the accepting side, which settles them here as {@code rdma_accept} does. */
    void moveToReady(
            RcQueuePair pair, ConnectionParameters parameters, ConnectionParameters offer) {
        var most = VerbsInternals.get().contextOf(pair).attributes();
        QueuePairAttributes receive = receiving(parameters);
        int accepted = settled(parameters.responderResources(), offer.responderResources());
        receive.maxAcceptedReads(Math.min(accepted, Math.max(0, most.maxAcceptedReads())));
        pair.modify(receive);
        QueuePairAttributes send = id.attributesFor(QueuePairState.READY_TO_SEND);
        int initiated = settled(parameters.initiatorDepth(), offer.initiatorDepth());
        send.maxInitiatedReads(Math.min(initiated, Math.max(0, most.maxInitiatedReads())));
        pair.modify(send);
    }

    private static int settled(int wanted, int offered) {
        return wanted == ConnectionParameters.MOST ? offered : wanted;
    }

    /** The connection manager leaves the timer at 0, which is 655 ms. */
    private QueuePairAttributes receiving(ConnectionParameters parameters) {
        return id.attributesFor(QueuePairState.READY_TO_RECEIVE)
                .minRnrTimer(parameters.minRnrTimer());
    }

    void close() {
        id.close();
        channel.close();
    }

    /** Closes on the way out of a failure. */
    void closeAfter(Throwable cause) {
        closeAfter(cause, id, channel);
    }

    private static void closeAfter(
            Throwable cause, ConnectionId id, @Nullable EventChannel channel) {
        try (channel;
                id) {
            // an id is closed before its channel
        } catch (RuntimeException e) {
            cause.addSuppressed(e);
        }
    }
}
