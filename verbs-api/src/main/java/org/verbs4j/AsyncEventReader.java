package org.verbs4j;

import org.jspecify.annotations.Nullable;
import org.verbs4j.AsyncEvent.PortEvent;
import org.verbs4j.AsyncEvent.QueuePairEvent;
import org.verbs4j.AsyncEvent.SharedReceiveQueueEvent;
import org.verbs4j.bindings.Verbs;
import org.verbs4j.bindings.ibv_async_event;

import java.lang.foreign.MemorySegment;
import java.util.Map;
import java.util.function.LongFunction;

/** Copies a {@code struct ibv_async_event} into a value. */
final class AsyncEventReader {
    private static final Map<Integer, QueuePairEvent.Kind> QUEUE_PAIR =
            Map.of(
                    Verbs.IBV_EVENT_QP_FATAL(),
                    QueuePairEvent.Kind.FATAL,
                    Verbs.IBV_EVENT_QP_REQ_ERR(),
                    QueuePairEvent.Kind.REQUEST_ERROR,
                    Verbs.IBV_EVENT_QP_ACCESS_ERR(),
                    QueuePairEvent.Kind.ACCESS_ERROR,
                    Verbs.IBV_EVENT_COMM_EST(),
                    QueuePairEvent.Kind.COMMUNICATION_ESTABLISHED,
                    Verbs.IBV_EVENT_SQ_DRAINED(),
                    QueuePairEvent.Kind.SEND_QUEUE_DRAINED,
                    Verbs.IBV_EVENT_PATH_MIG(),
                    QueuePairEvent.Kind.PATH_MIGRATED,
                    Verbs.IBV_EVENT_PATH_MIG_ERR(),
                    QueuePairEvent.Kind.PATH_MIGRATION_ERROR,
                    Verbs.IBV_EVENT_QP_LAST_WQE_REACHED(),
                    QueuePairEvent.Kind.LAST_REQUEST_REACHED);

    private static final Map<Integer, PortEvent.Kind> PORT =
            Map.of(
                    Verbs.IBV_EVENT_PORT_ACTIVE(),
                    PortEvent.Kind.ACTIVE,
                    Verbs.IBV_EVENT_PORT_ERR(),
                    PortEvent.Kind.ERROR,
                    Verbs.IBV_EVENT_LID_CHANGE(),
                    PortEvent.Kind.LID_CHANGE,
                    Verbs.IBV_EVENT_PKEY_CHANGE(),
                    PortEvent.Kind.PKEY_CHANGE,
                    Verbs.IBV_EVENT_SM_CHANGE(),
                    PortEvent.Kind.SM_CHANGE,
                    Verbs.IBV_EVENT_CLIENT_REREGISTER(),
                    PortEvent.Kind.CLIENT_REREGISTER,
                    Verbs.IBV_EVENT_GID_CHANGE(),
                    PortEvent.Kind.GID_CHANGE);

    private AsyncEventReader() {}

    /**
     * The event as a value.
     *
     * @param objects what is at a native address
     */
    static AsyncEvent read(MemorySegment event, LongFunction<@Nullable Object> objects) {
        int code = ibv_async_event.event_type(event);
        MemorySegment element = ibv_async_event.element(event);
        QueuePairEvent.Kind ofPair = QUEUE_PAIR.get(code);
        if (ofPair != null) {
            long pair = ibv_async_event.element.qp(element).address();
            return new QueuePairEvent(code, ofPair, find(QueuePair.class, pair, objects));
        }
        PortEvent.Kind ofPort = PORT.get(code);
        if (ofPort != null) {
            return new PortEvent(code, ofPort, ibv_async_event.element.port_num(element));
        }
        if (code == Verbs.IBV_EVENT_SRQ_ERR() || code == Verbs.IBV_EVENT_SRQ_LIMIT_REACHED()) {
            long queue = ibv_async_event.element.srq(element).address();
            return new SharedReceiveQueueEvent(
                    code,
                    code == Verbs.IBV_EVENT_SRQ_ERR()
                            ? SharedReceiveQueueEvent.Kind.ERROR
                            : SharedReceiveQueueEvent.Kind.LIMIT_REACHED,
                    find(SharedReceiveQueue.class, queue, objects));
        }
        if (code == Verbs.IBV_EVENT_CQ_ERR()) {
            long queue = ibv_async_event.element.cq(element).address();
            return new AsyncEvent.CompletionQueueError(
                    code, find(CompletionQueue.class, queue, objects));
        }
        if (code == Verbs.IBV_EVENT_WQ_FATAL()) {
            long queue = ibv_async_event.element.wq(element).address();
            return new AsyncEvent.WorkQueueFatal(code, find(WorkQueue.class, queue, objects));
        }
        if (code == Verbs.IBV_EVENT_DEVICE_FATAL()) {
            return new AsyncEvent.DeviceFatal(code);
        }
        return new AsyncEvent.Unknown(code);
    }

    private static <T> @Nullable T find(
            Class<T> type, long address, LongFunction<@Nullable Object> objects) {
        Object found = objects.apply(address);
        return type.isInstance(found) ? type.cast(found) : null;
    }
}
