package org.verbs4j;

import org.verbs4j.bindings.Verbs;

/** What a queue pair can: {@code enum ibv_qp_type}. */
enum QueuePairType {
    RC(Verbs.IBV_QPT_RC(), "IBV_QPT_RC"),
    UC(Verbs.IBV_QPT_UC(), "IBV_QPT_UC"),
    UD(Verbs.IBV_QPT_UD(), "IBV_QPT_UD"),
    RAW_PACKET(Verbs.IBV_QPT_RAW_PACKET(), "IBV_QPT_RAW_PACKET"),
    XRC_SEND(Verbs.IBV_QPT_XRC_SEND(), "IBV_QPT_XRC_SEND"),
    XRC_RECEIVE(Verbs.IBV_QPT_XRC_RECV(), "IBV_QPT_XRC_RECV");

    private final int code;
    private final String symbol;

    QueuePairType(int code, String symbol) {
        this.code = code;
        this.symbol = symbol;
    }

    int code() {
        return code;
    }

    /** The C name. */
    String symbol() {
        return symbol;
    }

    boolean sends() {
        return this != XRC_RECEIVE;
    }

    /** Whether it has a receive queue of its own or takes from a shared one. */
    boolean receives() {
        return this != XRC_SEND && this != XRC_RECEIVE;
    }

    /** Whether every send names its destination. */
    boolean isUnconnected() {
        return this == UD;
    }
}
