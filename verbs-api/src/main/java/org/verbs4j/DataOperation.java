package org.verbs4j;

import org.verbs4j.bindings.Verbs;

/** What brings data, for {@link QueuePair#isDataInOrder}: of {@code enum ibv_wr_opcode}. */
public enum DataOperation {
    /** Sends of the peer. */
    SEND(Verbs.IBV_WR_SEND()),
    /** Writes of the peer. */
    WRITE(Verbs.IBV_WR_RDMA_WRITE()),
    /** Writes of the peer with an immediate number. */
    WRITE_WITH_IMMEDIATE(Verbs.IBV_WR_RDMA_WRITE_WITH_IMM()),
    /** Reads of this end. */
    READ(Verbs.IBV_WR_RDMA_READ());

    private final int code;

    DataOperation(int code) {
        this.code = code;
    }

    /** Its number in C. */
    public int code() {
        return code;
    }
}
