package org.verbs4j;

import org.verbs4j.bindings.Verbs;

import java.lang.foreign.MemorySegment;

/**
 * The C library's own words for its numbers, {@code ibv_event_type_str(3)} and the like, as its
 * tools print them. Every number has an answer; one that the library does not know is {@code
 * unknown}. Any thread may call.
 */
public final class CNames {
    private CNames() {}

    /**
     * {@code ibv_wc_status_str}, see {@code ibv_poll_cq(3)}.
     *
     * @param code of {@code enum ibv_wc_status}, see {@link WorkCompletion#statusCode()}
     */
    public static String workStatus(int code) {
        return text(Verbs.ibv_wc_status_str(code));
    }

    /**
     * {@code ibv_event_type_str(3)}.
     *
     * @param code of {@code enum ibv_event_type}, see {@link AsyncEvent#code()}
     */
    public static String eventType(int code) {
        return text(Verbs.ibv_event_type_str(code));
    }

    /**
     * {@code ibv_node_type_str}, see {@code ibv_event_type_str(3)}.
     *
     * @param code of {@code enum ibv_node_type}
     */
    public static String nodeType(int code) {
        return text(Verbs.ibv_node_type_str(code));
    }

    /**
     * {@code ibv_port_state_str}, see {@code ibv_event_type_str(3)}.
     *
     * @param code of {@code enum ibv_port_state}, see {@link PortAttributes.State#code()}
     */
    public static String portState(int code) {
        return text(Verbs.ibv_port_state_str(code));
    }

    /** The C library answers a constant string, or NULL in none of its versions. */
    private static String text(MemorySegment string) {
        return string.reinterpret(Long.MAX_VALUE).getString(0);
    }
}
