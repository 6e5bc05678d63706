package org.verbs4j;

import static org.assertj.core.api.Assertions.assertThat;

import static java.util.Objects.requireNonNull;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.util.Arrays;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * The rows of the kernel's table of transitions for the types of queue pairs that soft-RoCE does
 * not have, and from the state that it does not get into, in both directions: what is needed is
 * missing without it, and what is not allowed is named. The others are put to the kernel itself in
 * TransitionTableIT.
 */
class TransitionsTest {
    private static final int EVERYTHING = -1;

    private static Set<String> set(String names) {
        return names == null
                ? Set.of()
                : Arrays.stream(names.split(" "))
                        .map(name -> "IBV_QP_" + name)
                        .collect(Collectors.toSet());
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            textBlock =
                    """
                    RAW_PACKET  | RESET            | INIT             | PORT |
                    RAW_PACKET  | INIT             | INIT             |      |
                    RAW_PACKET  | INIT             | READY_TO_RECEIVE |      |
                    RAW_PACKET  | READY_TO_RECEIVE | READY_TO_SEND    |      | RATE_LIMIT
                    RAW_PACKET  | READY_TO_SEND    | READY_TO_SEND    |      | RATE_LIMIT
                    RAW_PACKET  | READY_TO_SEND    | SEND_QUEUE_DRAIN |      |
                    RAW_PACKET  | SEND_QUEUE_DRAIN | READY_TO_SEND    |      |
                    RAW_PACKET  | SEND_QUEUE_DRAIN | SEND_QUEUE_DRAIN |      |
                    XRC_SEND    | RESET            | INIT             | PKEY_INDEX PORT ACCESS_FLAGS |
                    XRC_RECEIVE | RESET            | INIT             | PKEY_INDEX PORT ACCESS_FLAGS |
                    XRC_SEND    | INIT             | INIT             | | PKEY_INDEX PORT ACCESS_FLAGS
                    XRC_RECEIVE | INIT             | INIT             | | PKEY_INDEX PORT ACCESS_FLAGS
                    XRC_SEND    | INIT             | READY_TO_RECEIVE | AV PATH_MTU DEST_QPN RQ_PSN | ALT_PATH ACCESS_FLAGS PKEY_INDEX
                    XRC_RECEIVE | INIT             | READY_TO_RECEIVE | AV PATH_MTU DEST_QPN RQ_PSN MAX_DEST_RD_ATOMIC MIN_RNR_TIMER | ALT_PATH ACCESS_FLAGS PKEY_INDEX
                    XRC_SEND    | READY_TO_RECEIVE | READY_TO_SEND    | TIMEOUT RETRY_CNT RNR_RETRY SQ_PSN MAX_QP_RD_ATOMIC | CUR_STATE ALT_PATH ACCESS_FLAGS PATH_MIG_STATE
                    XRC_RECEIVE | READY_TO_RECEIVE | READY_TO_SEND    | TIMEOUT SQ_PSN | CUR_STATE ALT_PATH ACCESS_FLAGS MIN_RNR_TIMER PATH_MIG_STATE
                    XRC_SEND    | READY_TO_SEND    | READY_TO_SEND    | | CUR_STATE ALT_PATH ACCESS_FLAGS PATH_MIG_STATE
                    XRC_RECEIVE | READY_TO_SEND    | READY_TO_SEND    | | CUR_STATE ALT_PATH ACCESS_FLAGS MIN_RNR_TIMER PATH_MIG_STATE
                    XRC_SEND    | READY_TO_SEND    | SEND_QUEUE_DRAIN | | EN_SQD_ASYNC_NOTIFY
                    XRC_RECEIVE | READY_TO_SEND    | SEND_QUEUE_DRAIN | | EN_SQD_ASYNC_NOTIFY
                    XRC_SEND    | SEND_QUEUE_DRAIN | READY_TO_SEND    | | CUR_STATE ALT_PATH ACCESS_FLAGS PATH_MIG_STATE
                    XRC_RECEIVE | SEND_QUEUE_DRAIN | READY_TO_SEND    | | CUR_STATE ALT_PATH ACCESS_FLAGS MIN_RNR_TIMER PATH_MIG_STATE
                    XRC_SEND    | SEND_QUEUE_DRAIN | SEND_QUEUE_DRAIN | | PORT AV TIMEOUT RETRY_CNT RNR_RETRY MAX_QP_RD_ATOMIC ALT_PATH ACCESS_FLAGS PKEY_INDEX PATH_MIG_STATE
                    XRC_RECEIVE | SEND_QUEUE_DRAIN | SEND_QUEUE_DRAIN | | PORT AV TIMEOUT MAX_DEST_RD_ATOMIC ALT_PATH ACCESS_FLAGS PKEY_INDEX MIN_RNR_TIMER PATH_MIG_STATE
                    UC          | SEND_QUEUE_ERROR | READY_TO_SEND    | | CUR_STATE ACCESS_FLAGS
                    UD          | SEND_QUEUE_ERROR | READY_TO_SEND    | | CUR_STATE QKEY
                    """)
    void aTransitionNeedsAndAllows(
            QueuePairType type,
            QueuePairState from,
            QueuePairState to,
            String needed,
            String allowed) {
        Transitions.Rule rule = requireNonNull(Transitions.of(type, from, to));
        assertThat(rule.missing(0)).isEqualTo(set(needed));
        Set<String> others = Transitions.names(EVERYTHING);
        others.removeAll(set(needed));
        others.removeAll(set(allowed));
        assertThat(rule.disallowed(EVERYTHING)).isEqualTo(others);
    }

    @ParameterizedTest
    @CsvSource({
        "RESET, READY_TO_RECEIVE",
        "INIT, READY_TO_SEND",
        "READY_TO_RECEIVE, INIT",
        "READY_TO_SEND, INIT",
        "SEND_QUEUE_DRAIN, READY_TO_RECEIVE",
        "SEND_QUEUE_ERROR, SEND_QUEUE_DRAIN",
        "ERROR, INIT",
        "RESET, ERROR"
    })
    void thereIsNoOther(QueuePairState from, QueuePairState to) {
        for (QueuePairType type : QueuePairType.values()) {
            assertThat(Transitions.of(type, from, to)).as("%s", type).isNull();
        }
    }
}
