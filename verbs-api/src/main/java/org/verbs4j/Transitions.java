package org.verbs4j;

import org.jspecify.annotations.Nullable;
import org.verbs4j.bindings.Verbs;

import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;

/**
 * What each transition of a queue pair needs and allows by its type, as in the kernel's {@code
 * qp_state_table} (drivers/infiniband/core/verbs.c, equal in 6.1 and 6.12). Consulted only after
 * the kernel has refused: a device may be more generous.
 */
final class Transitions {
    private static final int STATE = Verbs.IBV_QP_STATE();
    private static final int CURRENT = Verbs.IBV_QP_CUR_STATE();
    private static final int ACCESS = Verbs.IBV_QP_ACCESS_FLAGS();
    private static final int PKEY = Verbs.IBV_QP_PKEY_INDEX();
    private static final int PORT = Verbs.IBV_QP_PORT();
    private static final int AV = Verbs.IBV_QP_AV();
    private static final int MTU = Verbs.IBV_QP_PATH_MTU();
    private static final int TIMEOUT = Verbs.IBV_QP_TIMEOUT();
    private static final int RETRY = Verbs.IBV_QP_RETRY_CNT();
    private static final int RNR_RETRY = Verbs.IBV_QP_RNR_RETRY();
    private static final int RQ_PSN = Verbs.IBV_QP_RQ_PSN();
    private static final int SQ_PSN = Verbs.IBV_QP_SQ_PSN();
    private static final int READS = Verbs.IBV_QP_MAX_QP_RD_ATOMIC();
    private static final int DEST_READS = Verbs.IBV_QP_MAX_DEST_RD_ATOMIC();
    private static final int ALT = Verbs.IBV_QP_ALT_PATH();
    private static final int RNR_TIMER = Verbs.IBV_QP_MIN_RNR_TIMER();
    private static final int MIGRATION = Verbs.IBV_QP_PATH_MIG_STATE();
    private static final int DEST_QPN = Verbs.IBV_QP_DEST_QPN();
    private static final int SQD_NOTIFY = Verbs.IBV_QP_EN_SQD_ASYNC_NOTIFY();

    private static final int QKEY = Verbs.IBV_QP_QKEY();
    private static final int RATE = Verbs.IBV_QP_RATE_LIMIT();

    private static final Map<Integer, String> NAMES = new LinkedHashMap<>();

    static {
        NAMES.put(CURRENT, "IBV_QP_CUR_STATE");
        NAMES.put(SQD_NOTIFY, "IBV_QP_EN_SQD_ASYNC_NOTIFY");
        NAMES.put(ACCESS, "IBV_QP_ACCESS_FLAGS");
        NAMES.put(PKEY, "IBV_QP_PKEY_INDEX");
        NAMES.put(PORT, "IBV_QP_PORT");
        NAMES.put(QKEY, "IBV_QP_QKEY");
        NAMES.put(AV, "IBV_QP_AV");
        NAMES.put(MTU, "IBV_QP_PATH_MTU");
        NAMES.put(TIMEOUT, "IBV_QP_TIMEOUT");
        NAMES.put(RETRY, "IBV_QP_RETRY_CNT");
        NAMES.put(RNR_RETRY, "IBV_QP_RNR_RETRY");
        NAMES.put(RQ_PSN, "IBV_QP_RQ_PSN");
        NAMES.put(READS, "IBV_QP_MAX_QP_RD_ATOMIC");
        NAMES.put(ALT, "IBV_QP_ALT_PATH");
        NAMES.put(RNR_TIMER, "IBV_QP_MIN_RNR_TIMER");
        NAMES.put(SQ_PSN, "IBV_QP_SQ_PSN");
        NAMES.put(DEST_READS, "IBV_QP_MAX_DEST_RD_ATOMIC");
        NAMES.put(MIGRATION, "IBV_QP_PATH_MIG_STATE");
        NAMES.put(Verbs.IBV_QP_CAP(), "IBV_QP_CAP");
        NAMES.put(DEST_QPN, "IBV_QP_DEST_QPN");
        NAMES.put(RATE, "IBV_QP_RATE_LIMIT");
    }

    /**
     * The attributes of one transition, besides the state itself.
     *
     * @param required bits without which it is refused
     * @param optional bits that it may have as well
     */
    record Rule(int required, int optional) {
        Set<String> missing(int mask) {
            return names(required & ~mask);
        }

        Set<String> disallowed(int mask) {
            return names(mask & ~(required | optional | STATE));
        }
    }

    private Transitions() {}

    /** The rule of a transition, null when there is no such transition. */
    static @Nullable Rule of(QueuePairType type, QueuePairState from, QueuePairState to) {
        if (to == QueuePairState.RESET
                || (to == QueuePairState.ERROR && from != QueuePairState.RESET)) {
            return new Rule(0, 0);
        }
        return switch (from) {
            case RESET -> to == QueuePairState.INIT ? new Rule(identity(type), 0) : null;
            case INIT -> fromInit(type, to);
            case READY_TO_RECEIVE ->
                    to == QueuePairState.READY_TO_SEND
                            ? new Rule(sending(type), (CURRENT & ~raw(type)) | whileReady(type))
                            : null;
            case READY_TO_SEND -> fromReadyToSend(type, to);
            case SEND_QUEUE_DRAIN -> fromDrain(type, to);
            case SEND_QUEUE_ERROR ->
                    to == QueuePairState.READY_TO_SEND ? afterSendError(type) : null;
            case ERROR, UNKNOWN -> null;
        };
    }

    /** All bits for a raw packet queue pair, which knows next to none, else none. */
    private static int raw(QueuePairType type) {
        return type == QueuePairType.RAW_PACKET ? -1 : 0;
    }

    /** Where it is attached and who may come in. */
    private static int identity(QueuePairType type) {
        return switch (type) {
            case RC, UC, XRC_SEND, XRC_RECEIVE -> PKEY | PORT | ACCESS;
            case UD -> PKEY | PORT | QKEY;
            case RAW_PACKET -> PORT;
        };
    }

    private static @Nullable Rule fromInit(QueuePairType type, QueuePairState to) {
        return switch (to) {
            case INIT -> new Rule(0, identity(type) & ~raw(type));
            case READY_TO_RECEIVE ->
                    switch (type) {
                        case RC, XRC_RECEIVE ->
                                new Rule(
                                        AV | MTU | DEST_QPN | RQ_PSN | DEST_READS | RNR_TIMER,
                                        ALT | ACCESS | PKEY);
                        case UC, XRC_SEND ->
                                new Rule(AV | MTU | DEST_QPN | RQ_PSN, ALT | ACCESS | PKEY);
                        case UD -> new Rule(0, PKEY | QKEY);
                        case RAW_PACKET -> new Rule(0, 0);
                    };
            default -> null;
        };
    }

    /** What sending needs. */
    private static int sending(QueuePairType type) {
        return switch (type) {
            case RC, XRC_SEND -> TIMEOUT | RETRY | RNR_RETRY | SQ_PSN | READS;
            case XRC_RECEIVE -> TIMEOUT | SQ_PSN;
            case UC, UD -> SQ_PSN;
            case RAW_PACKET -> 0;
        };
    }

    /** What may change while it sends, and on the way there. */
    private static int whileReady(QueuePairType type) {
        return switch (type) {
            case RC, XRC_RECEIVE -> ALT | ACCESS | RNR_TIMER | MIGRATION;
            case UC, XRC_SEND -> ALT | ACCESS | MIGRATION;
            case UD -> QKEY;
            case RAW_PACKET -> RATE;
        };
    }

    private static @Nullable Rule fromReadyToSend(QueuePairType type, QueuePairState to) {
        return switch (to) {
            case READY_TO_SEND -> new Rule(0, (CURRENT & ~raw(type)) | whileReady(type));
            case SEND_QUEUE_DRAIN -> new Rule(0, SQD_NOTIFY & ~raw(type));
            default -> null;
        };
    }

    private static @Nullable Rule fromDrain(QueuePairType type, QueuePairState to) {
        return switch (to) {
            case READY_TO_SEND -> new Rule(0, (CURRENT | whileReady(type)) & ~raw(type));
            case SEND_QUEUE_DRAIN -> new Rule(0, whileDrained(type));
            default -> null;
        };
    }

    private static int whileDrained(QueuePairType type) {
        int way = AV | ALT | ACCESS | PKEY | MIGRATION;
        return switch (type) {
            case RC -> way | PORT | TIMEOUT | RETRY | RNR_RETRY | READS | DEST_READS | RNR_TIMER;
            case XRC_SEND -> way | PORT | TIMEOUT | RETRY | RNR_RETRY | READS;
            case XRC_RECEIVE -> way | PORT | TIMEOUT | DEST_READS | RNR_TIMER;
            case UC -> way;
            case UD -> PKEY | QKEY;
            case RAW_PACKET -> 0;
        };
    }

    private static Rule afterSendError(QueuePairType type) {
        return switch (type) {
            case UD -> new Rule(0, CURRENT | QKEY);
            case UC -> new Rule(0, CURRENT | ACCESS);
            case RC, XRC_SEND, XRC_RECEIVE, RAW_PACKET -> new Rule(0, 0);
        };
    }

    /** The C names of mask bits. */
    static Set<String> names(int mask) {
        Set<String> names = new LinkedHashSet<>();
        NAMES.forEach(
                (bit, name) -> {
                    if ((mask & bit) != 0) {
                        names.add(name);
                    }
                });
        return names;
    }
}
