package org.verbs4j.cm;

import org.verbs4j.bindings.Verbs;
import org.verbs4j.bindings.rdma_cm_event;
import org.verbs4j.bindings.rdma_conn_param;
import org.verbs4j.cm.ConnectionEvent.Failed.Reason;

import java.lang.foreign.MemorySegment;

/** Copies a {@code struct rdma_cm_event} into a value. */
final class EventReader {
    private EventReader() {}

    static ConnectionEvent readRequest(
            MemorySegment event, ConnectionId id, ConnectionId listener) {
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
        return readFailure(event, id, code, param);
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
            return failed(id, Reason.UNREACHABLE, status);
        }
        if (code == Verbs.RDMA_CM_EVENT_MULTICAST_ERROR()) {
            return failed(id, Reason.MULTICAST, status);
        }
        return new ConnectionEvent.Other(id, code, status);
    }

    private static ConnectionEvent failed(ConnectionId id, Reason reason, int status) {
        return new ConnectionEvent.Failed(id, reason, status, ConnectionParameters.nothing());
    }

    private static MemorySegment param(MemorySegment event) {
        return rdma_cm_event.param.conn(rdma_cm_event.param(event));
    }
}
