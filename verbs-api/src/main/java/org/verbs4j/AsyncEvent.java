package org.verbs4j;

import org.jspecify.annotations.Nullable;

/**
 * Something that happened to a device, a port or an object made from it: {@code struct
 * ibv_async_event}. A value; the library has acknowledged it before it hands it out, so that
 * closing the object does not wait for anybody.
 *
 * <p>An object is null when it is not this library's, such as one that a program made through an
 * escape hatch, or was closed before the event could be read.
 */
public sealed interface AsyncEvent {
    /** The number of {@code enum ibv_event_type}, also when it is newer than this library. */
    int code();

    /** What the C library calls it, {@code ibv_event_type_str(3)}. */
    default String description() {
        return CNames.eventType(code());
    }

    /**
     * Of a queue pair.
     *
     * @param code {@code IBV_EVENT_QP_*}, {@code IBV_EVENT_COMM_EST}, {@code IBV_EVENT_SQ_DRAINED}
     *     or {@code IBV_EVENT_PATH_*}
     * @param kind what happened
     * @param queuePair to which
     */
    record QueuePairEvent(int code, QueuePairEvent.Kind kind, @Nullable QueuePair queuePair)
            implements AsyncEvent {
        /**
         * What happens to queue pairs: {@code IBV_EVENT_QP_*} and others of {@code enum
         * ibv_event_type}.
         */
        public enum Kind {
            /** It has failed for a reason that is not a request's. */
            FATAL,
            /** The peer sent what it must not, {@code IBV_EVENT_QP_REQ_ERR}. */
            REQUEST_ERROR,
            /** The peer reached for what it may not. */
            ACCESS_ERROR,
            /** A first message came before it was ready to send. */
            COMMUNICATION_ESTABLISHED,
            /** All sends are done after it was moved to SEND_QUEUE_DRAINED. */
            SEND_QUEUE_DRAINED,
            /** It goes by the alternate path now. */
            PATH_MIGRATED,
            /** It could not go over to the alternate path. */
            PATH_MIGRATION_ERROR,
            /** A failed one with a shared receive queue has used up its last receive. */
            LAST_REQUEST_REACHED
        }
    }

    /**
     * A completion queue has overflowed or is broken: completions are lost.
     *
     * @param code {@code IBV_EVENT_CQ_ERR}
     * @param completionQueue which
     */
    record CompletionQueueError(int code, @Nullable CompletionQueue completionQueue)
            implements AsyncEvent {}

    /**
     * Of a shared receive queue.
     *
     * @param code {@code IBV_EVENT_SRQ_*}
     * @param kind what happened
     * @param queue to which
     */
    record SharedReceiveQueueEvent(
            int code, SharedReceiveQueueEvent.Kind kind, @Nullable SharedReceiveQueue queue)
            implements AsyncEvent {
        /** What happens to shared receive queues: {@code IBV_EVENT_SRQ_*}. */
        public enum Kind {
            /** It is broken. */
            ERROR,
            /** Fewer receives are left than {@link SharedReceiveQueue#armLimit} said; disarmed. */
            LIMIT_REACHED
        }
    }

    /**
     * A work queue has failed.
     *
     * @param code {@code IBV_EVENT_WQ_FATAL}
     * @param workQueue which
     */
    record WorkQueueFatal(int code, @Nullable WorkQueue workQueue) implements AsyncEvent {}

    /**
     * Of a port.
     *
     * @param code {@code IBV_EVENT_PORT_*}, {@code IBV_EVENT_GID_CHANGE} and the like
     * @param kind what happened
     * @param port its number, from 1
     */
    record PortEvent(int code, PortEvent.Kind kind, int port) implements AsyncEvent {
        /**
         * What happens to ports: {@code IBV_EVENT_PORT_*} and others of {@code enum
         * ibv_event_type}.
         */
        public enum Kind {
            /** It carries traffic. */
            ACTIVE,
            /** It carries none. */
            ERROR,
            /** Its local identifier has changed. */
            LID_CHANGE,
            /** Its table of P_Keys has changed. */
            PKEY_CHANGE,
            /** Another subnet manager has taken over. */
            SM_CHANGE,
            /** The subnet manager wants subscriptions again. */
            CLIENT_REREGISTER,
            /** Its table of GIDs has changed: look indexes up again. */
            GID_CHANGE
        }
    }

    /**
     * The device has failed: close everything.
     *
     * @param code {@code IBV_EVENT_DEVICE_FATAL}
     */
    record DeviceFatal(int code) implements AsyncEvent {}

    /**
     * Newer than this library.
     *
     * @param code its number in {@code enum ibv_event_type}
     */
    record Unknown(int code) implements AsyncEvent {}
}
