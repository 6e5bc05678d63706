package org.verbs4j;

import org.jspecify.annotations.Nullable;
import org.verbs4j.bindings.Verbs;

import java.util.Arrays;
import java.util.StringJoiner;

/** What is set of a {@link QueuePairAttributes}, by the names of its setters. */
final class QueuePairAttributesText {
    private final QueuePairAttributes all;
    private final StringJoiner text = new StringJoiner(", ", "queue pair attributes [", "]");

    private QueuePairAttributesText(QueuePairAttributes all) {
        this.all = all;
    }

    static String of(QueuePairAttributes all) {
        QueuePairAttributesText made = new QueuePairAttributesText(all);
        made.addAll();
        return made.text.toString();
    }

    private void addAll() {
        add(Verbs.IBV_QP_STATE(), "state", all.state());
        add(Verbs.IBV_QP_CUR_STATE(), "currentState", all.currentState());
        add(Verbs.IBV_QP_PORT(), "port", all.port());
        add(Verbs.IBV_QP_PKEY_INDEX(), "partitionKeyIndex", all.partitionKeyIndex());
        add(
                Verbs.IBV_QP_ACCESS_FLAGS(),
                "remoteAccess",
                Arrays.stream(Access.values()).filter(all::allows).toList());
        add(Verbs.IBV_QP_PATH_MTU(), "pathMtu", all.pathMtu());
        add(Verbs.IBV_QP_AV(), "addressVector", all.addressVector());
        add(Verbs.IBV_QP_DEST_QPN(), "destinationQueuePair", all.destinationQueuePair());
        add(Verbs.IBV_QP_RQ_PSN(), "receiveSequence", all.receiveSequence());
        add(Verbs.IBV_QP_SQ_PSN(), "sendSequence", all.sendSequence());
        add(Verbs.IBV_QP_QKEY(), "queueKey", "0x%08x".formatted(all.queueKey()));
        add(Verbs.IBV_QP_MIN_RNR_TIMER(), "minRnrTimer", all.minRnrTimer());
        add(Verbs.IBV_QP_TIMEOUT(), "timeout", all.timeout());
        add(Verbs.IBV_QP_RETRY_CNT(), "retryCount", all.retryCount());
        add(Verbs.IBV_QP_RNR_RETRY(), "rnrRetryCount", all.rnrRetryCount());
        add(Verbs.IBV_QP_MAX_QP_RD_ATOMIC(), "maxInitiatedReads", all.maxInitiatedReads());
        add(Verbs.IBV_QP_MAX_DEST_RD_ATOMIC(), "maxAcceptedReads", all.maxAcceptedReads());
        add(Verbs.IBV_QP_ALT_PATH(), "alternatePath", all.alternatePath());
        add(Verbs.IBV_QP_PATH_MIG_STATE(), "pathMigration", all.pathMigration());
        add(Verbs.IBV_QP_EN_SQD_ASYNC_NOTIFY(), "drainedEvent", all.drainedEvent());
        add(Verbs.IBV_QP_RATE_LIMIT(), "rateLimit", Integer.toUnsignedString(all.rateLimit()));
    }

    private void add(int bit, String name, @Nullable Object value) {
        if (all.has(bit)) {
            text.add(name + "=" + value);
        }
    }
}
