package org.verbs4j.cm;

import org.verbs4j.bindings.Verbs;
import org.verbs4j.bindings.rdma_cm_event;
import org.verbs4j.bindings.rdma_conn_param;
import org.verbs4j.bindings.rdma_ud_param;
import org.verbs4j.cm.ConnectionEvent.Failed.Reason;

import java.lang.foreign.MemorySegment;
import java.net.InetAddress;
import java.nio.ByteBuffer;

/** Copies a {@code struct rdma_cm_event} into a value. */
final class EventReader {
    private EventReader() {}

    static ConnectionEvent readRequest(
            MemorySegment event, ConnectionId id, ConnectionId listener) {
        if (id.portSpace().isForDatagrams()) {
            return new ConnectionEvent.DatagramRequested(
                    id, listener, privateDataOf(datagram(event)));
        }
        MemorySegment param = param(event);
        return new ConnectionEvent.Requested(
                id,
                listener,
                ConnectionParameters.privateDataOf(param),
                ConnectionParameters.decode(param),
                rdma_conn_param.qp_num(param));
    }

    static ConnectionEvent read(MemorySegment event, ConnectionId id) {
        int code = rdma_cm_event.event(event);
        MemorySegment param = param(event);
        if (code == Verbs.RDMA_CM_EVENT_ADDR_RESOLVED()) {
            return new ConnectionEvent.AddressResolved(id);
        }
        if (code == Verbs.RDMA_CM_EVENT_ROUTE_RESOLVED()) {
            return new ConnectionEvent.RouteResolved(id);
        }
        if (code == Verbs.RDMA_CM_EVENT_CONNECT_RESPONSE()) {
            return new ConnectionEvent.Responded(
                    id, ConnectionParameters.privateDataOf(param), rdma_conn_param.qp_num(param));
        }
        if (code == Verbs.RDMA_CM_EVENT_ESTABLISHED()) {
            if (id.portSpace().isForDatagrams()) {
                MemorySegment ud = datagram(event);
                return new ConnectionEvent.DatagramEstablished(
                        id, DatagramDestination.decode(ud), privateDataOf(ud));
            }
            return new ConnectionEvent.Established(id, ConnectionParameters.privateDataOf(param));
        }
        if (code == Verbs.RDMA_CM_EVENT_DISCONNECTED()) {
            return new ConnectionEvent.Disconnected(id);
        }
        if (code == Verbs.RDMA_CM_EVENT_TIMEWAIT_EXIT()) {
            return new ConnectionEvent.TimeWaitExited(id);
        }
        if (code == Verbs.RDMA_CM_EVENT_DEVICE_REMOVAL()) {
            return new ConnectionEvent.DeviceRemoved(id);
        }
        if (code == Verbs.RDMA_CM_EVENT_ADDR_CHANGE()) {
            return new ConnectionEvent.AddressChanged(id);
        }
        if (code == Verbs.RDMA_CM_EVENT_MULTICAST_JOIN()
                || code == Verbs.RDMA_CM_EVENT_MULTICAST_ERROR()) {
            return readMulticast(event, id, code);
        }
        return readFailure(event, id, code, param);
    }

    /** Its private data is not the peer's but the number that the group was joined with. */
    private static ConnectionEvent readMulticast(MemorySegment event, ConnectionId id, int code) {
        MemorySegment ud = datagram(event);
        int status = rdma_cm_event.status(event);
        InetAddress group = id.groups().find(rdma_ud_param.private_data(ud).address());
        if (group == null) {
            return new ConnectionEvent.Other(id, code, status);
        }
        return code == Verbs.RDMA_CM_EVENT_MULTICAST_JOIN()
                ? new ConnectionEvent.MulticastJoined(id, group, DatagramDestination.decode(ud))
                : new ConnectionEvent.MulticastFailed(id, group, status);
    }

    private static ConnectionEvent readFailure(
            MemorySegment event, ConnectionId id, int code, MemorySegment param) {
        int status = rdma_cm_event.status(event);
        if (code == Verbs.RDMA_CM_EVENT_REJECTED()) {
            return new ConnectionEvent.Failed(
                    id, Reason.REJECTED, status, ConnectionParameters.privateDataOf(param));
        }
        if (code == Verbs.RDMA_CM_EVENT_ADDR_ERROR()) {
            return failed(id, Reason.ADDRESS, status);
        }
        if (code == Verbs.RDMA_CM_EVENT_ROUTE_ERROR()) {
            return failed(id, Reason.ROUTE, status);
        }
        if (code == Verbs.RDMA_CM_EVENT_CONNECT_ERROR()) {
            return failed(id, Reason.CONNECT, status);
        }
        if (code == Verbs.RDMA_CM_EVENT_UNREACHABLE()) {
            return id.portSpace().isForDatagrams() && status > 0
                    ? new ConnectionEvent.Failed(
                            id, Reason.UNREACHABLE, status, privateDataOf(datagram(event)))
                    : failed(id, Reason.UNREACHABLE, status);
        }
        return new ConnectionEvent.Other(id, code, status);
    }

    private static ConnectionEvent failed(ConnectionId id, Reason reason, int status) {
        return new ConnectionEvent.Failed(id, reason, status, ConnectionParameters.nothing());
    }

    private static MemorySegment datagram(MemorySegment event) {
        return rdma_cm_event.param.ud(rdma_cm_event.param(event));
    }

    private static ByteBuffer privateDataOf(MemorySegment ud) {
        return ConnectionParameters.privateData(
                rdma_ud_param.private_data(ud), rdma_ud_param.private_data_len(ud));
    }

    private static MemorySegment param(MemorySegment event) {
        return rdma_cm_event.param.conn(rdma_cm_event.param(event));
    }
}
