package org.verbs4j.cm;

import org.jspecify.annotations.Nullable;

import java.net.InetAddress;
import java.nio.ByteBuffer;

/**
 * What happened to a {@link ConnectionId}, {@code struct rdma_cm_event}. A value: everything is
 * copied out and the event acknowledged before the caller sees it, so that nothing hangs on it.
 *
 * <p>Private data is read-only and as long as the transport makes it, with zeros behind what the
 * peer sent: 56 bytes of a request, 196 of an acceptance, 148 of a rejection on InfiniBand and
 * RoCE. A protocol that needs the exact length sends it along. Each accessor call returns a view
 * with a position of its own, in big-endian order.
 */
public sealed interface ConnectionEvent {
    /** The id that it happened to. */
    ConnectionId id();

    /** {@code RDMA_CM_EVENT_ADDR_RESOLVED}: the id has a device now; resolve the route next. */
    record AddressResolved(ConnectionId id) implements ConnectionEvent {}

    /** {@code RDMA_CM_EVENT_ROUTE_RESOLVED}: the id can connect. */
    record RouteResolved(ConnectionId id) implements ConnectionEvent {}

    /**
     * {@code RDMA_CM_EVENT_CONNECT_REQUEST}: a peer wants to connect to a listener.
     *
     * @param id a new one, for this connection: accept, reject or close it
     * @param listener the id that listens
     * @param privateData what the peer sent along, read-only, as long as the transport makes it:
     *     zeros fill it up, so its end must be in it
     * @param offer what the peer proposes: its reads are {@link
     *     ConnectionParameters#initiatorDepth} here, as the accepting side would say it
     * @param queuePairNumber the peer's
     */
    record Requested(
            ConnectionId id,
            ConnectionId listener,
            ByteBuffer privateData,
            ConnectionParameters offer,
            int queuePairNumber)
            implements ConnectionEvent {
        @Override
        public ByteBuffer privateData() {
            return privateData.duplicate();
        }
    }

    /**
     * {@code RDMA_CM_EVENT_CONNECT_RESPONSE}: the peer has accepted. Make the queue pair ready to
     * receive and to send, then {@link ConnectionId#establish()}.
     *
     * @param id the connecting id
     * @param privateData what the peer sent along, read-only, as long as the transport makes it:
     *     zeros fill it up, so its end must be in it
     * @param queuePairNumber the peer's
     */
    record Responded(ConnectionId id, ByteBuffer privateData, int queuePairNumber)
            implements ConnectionEvent {
        @Override
        public ByteBuffer privateData() {
            return privateData.duplicate();
        }
    }

    /**
     * {@code RDMA_CM_EVENT_ESTABLISHED}: the connection is there.
     *
     * @param id the accepting id, or on iWARP either
     * @param privateData what the peer sent along, read-only, as long as the transport makes it:
     *     zeros fill it up, so its end must be in it
     */
    record Established(ConnectionId id, ByteBuffer privateData) implements ConnectionEvent {
        @Override
        public ByteBuffer privateData() {
            return privateData.duplicate();
        }
    }

    /**
     * {@code RDMA_CM_EVENT_CONNECT_REQUEST} at a listener for datagrams: a peer asks whom to send
     * to. Nothing is known of the peer yet: the first datagram tells.
     *
     * @param id a new one: accept, reject or close it
     * @param listener the id that listens
     * @param privateData what the peer sent along, {@value
     *     ConnectionParameters#MAX_DATAGRAM_CONNECT_PRIVATE_DATA} bytes with zeros at the end
     */
    record DatagramRequested(ConnectionId id, ConnectionId listener, ByteBuffer privateData)
            implements ConnectionEvent {
        @Override
        public ByteBuffer privateData() {
            return privateData.duplicate();
        }
    }

    /**
     * {@code RDMA_CM_EVENT_ESTABLISHED} of an id for datagrams: the peer has told whom to send to.
     *
     * @param id the connecting id
     * @param destination where the peer takes datagrams
     * @param privateData what the peer sent along, {@value
     *     ConnectionParameters#MAX_DATAGRAM_ACCEPT_PRIVATE_DATA} bytes with zeros at the end
     */
    record DatagramEstablished(
            ConnectionId id, DatagramDestination destination, ByteBuffer privateData)
            implements ConnectionEvent {
        @Override
        public ByteBuffer privateData() {
            return privateData.duplicate();
        }
    }

    /**
     * {@code RDMA_CM_EVENT_MULTICAST_JOIN}: the network delivers the group's datagrams to this
     * port. Those who take them attach their queue pair, {@link
     * org.verbs4j.UdQueuePair#joinMulticast}, with the destination's GID and LID.
     *
     * @param id that joined
     * @param group as it was asked for
     * @param destination where datagrams to the group go
     */
    record MulticastJoined(ConnectionId id, InetAddress group, DatagramDestination destination)
            implements ConnectionEvent {}

    /**
     * {@code RDMA_CM_EVENT_MULTICAST_ERROR}: a group could not be joined, or has been lost.
     *
     * @param id that asked
     * @param group as it was asked for
     * @param status a negative error number
     */
    record MulticastFailed(ConnectionId id, InetAddress group, int status)
            implements ConnectionEvent {}

    /** {@code RDMA_CM_EVENT_DISCONNECTED}: by the peer, or as answer to one's own disconnect. */
    record Disconnected(ConnectionId id) implements ConnectionEvent {}

    /**
     * {@code RDMA_CM_EVENT_TIMEWAIT_EXIT}: no late packet of the connection can arrive any more.
     */
    record TimeWaitExited(ConnectionId id) implements ConnectionEvent {}

    /** {@code RDMA_CM_EVENT_DEVICE_REMOVAL}: the device is going; close everything on it. */
    record DeviceRemoved(ConnectionId id) implements ConnectionEvent {}

    /** {@code RDMA_CM_EVENT_ADDR_CHANGE}: the hardware address behind the id has changed. */
    record AddressChanged(ConnectionId id) implements ConnectionEvent {}

    /**
     * A step has failed: {@code RDMA_CM_EVENT_REJECTED}, {@code RDMA_CM_EVENT_UNREACHABLE} and the
     * events ending in {@code _ERROR}.
     *
     * @param id of the step
     * @param reason which event it was
     * @param status a negative error number; for {@link Reason#REJECTED} the code of a {@link
     *     Rejection}, and for {@link Reason#UNREACHABLE} of datagrams the positive status of the
     *     peer's answer
     * @param privateData what the peer sent along with a rejection, with zeros at the end, else
     *     empty
     */
    record Failed(ConnectionId id, Reason reason, int status, ByteBuffer privateData)
            implements ConnectionEvent {
        @Override
        public ByteBuffer privateData() {
            return privateData.duplicate();
        }

        /** Why the peer rejected, null unless it is a rejection. */
        public @Nullable Rejection rejection() {
            if (reason == Reason.REJECTED) {
                return Rejection.of(status);
            }
            boolean answered = reason == Reason.UNREACHABLE && status > 0;
            return answered ? Rejection.ofLookup(status) : null;
        }

        /** Which step, by the name of its event in {@code enum rdma_cm_event_type}. */
        public enum Reason {
            /** {@code RDMA_CM_EVENT_ADDR_ERROR}. */
            ADDRESS,
            /** {@code RDMA_CM_EVENT_ROUTE_ERROR}. */
            ROUTE,
            /** {@code RDMA_CM_EVENT_CONNECT_ERROR}. */
            CONNECT,
            /** {@code RDMA_CM_EVENT_UNREACHABLE}: nothing answers. */
            UNREACHABLE,
            /** {@code RDMA_CM_EVENT_REJECTED}. */
            REJECTED
        }
    }

    /**
     * An event that this version does not know.
     *
     * @param id it happened to
     * @param code its number in {@code enum rdma_cm_event_type}
     * @param status its status
     */
    record Other(ConnectionId id, int code, int status) implements ConnectionEvent {}
}
