package org.verbs4j.cm;

/**
 * Why a connection was rejected, the {@code status} of {@code RDMA_CM_EVENT_REJECTED}: the codes of
 * the InfiniBand specification's REJ message, which RoCE shares.
 */
public enum Rejection {
    /** The peer has no queue pair left. */
    NO_QUEUE_PAIR(1, "the peer has no queue pair left"),
    /** The peer lacks resources. */
    NO_RESOURCES(3, "the peer lacks resources"),
    /** The peer did not answer in time. */
    TIMEOUT(4, "a message of the handshake came too late or was lost"),
    /** The peer cannot do what was asked for. */
    UNSUPPORTED(5, "the peer does not support what was asked for"),
    /** The peer does not know the connection. */
    INVALID_COMMUNICATION(6, "the peer does not know this connection (any more)"),
    /** Nobody listens. */
    NO_LISTENER(
            8,
            "nobody listens on that address and port: is the server started, on this port and"
                    + " address family?"),
    /** The peer's service is of another transport. */
    INVALID_TRANSPORT(9, "the peer's service is of another transport"),
    /** The peer still holds an older connection with this queue pair number. */
    STALE_CONNECTION(
            10,
            "the peer still holds an older connection of this queue pair: try again with a new"
                    + " queue pair"),
    /** The peer's port has no such GID. */
    INVALID_GID(12, "the peer's port has no such GID"),
    /** The peer accepts fewer reads. */
    INSUFFICIENT_READS(27, "the peer cannot serve so many reads at once: lower initiatorDepth"),
    /** The program at the other end refused. */
    BY_APPLICATION(28, "the program at the other end refused"),
    /** The peer refuses the RNR retry count. */
    INVALID_RNR_RETRY(29, "the peer refuses the RNR retry count"),
    /** The peer saw the connection twice. */
    DUPLICATE(30, "the peer has a connection with the same identifier"),
    /** Another code. */
    UNKNOWN(-1, "with a code that this version does not know");

    private final int code;
    private final String explanation;

    Rejection(int code, String explanation) {
        this.code = code;
        this.explanation = explanation;
    }

    /** Its number in the message, -1 of {@link #UNKNOWN}. */
    public int code() {
        return code;
    }

    /** What it means and what helps, a part of a sentence. */
    public String explanation() {
        return explanation;
    }

    /**
     * The rejection of a datagram lookup, by the status of the InfiniBand specification's SIDR_REP
     * message: 1 is that nobody listens, 2 that the program refused, 3 that it has no queue pair.
     */
    static Rejection ofLookup(int status) {
        return switch (status) {
            case 1 -> NO_LISTENER;
            case 2 -> BY_APPLICATION;
            case 3 -> NO_QUEUE_PAIR;
            default -> UNKNOWN;
        };
    }

    /** The rejection with this number, {@link #UNKNOWN} when there is none. */
    public static Rejection of(int code) {
        for (Rejection rejection : values()) {
            if (rejection.code == code) {
                return rejection;
            }
        }
        return UNKNOWN;
    }
}
