package org.verbs4j;

import org.jspecify.annotations.Nullable;

/**
 * How a reliable connection behaves: what {@link RcQueuePair#connect(QueuePairEndpoint,
 * ConnectOptions)} sets besides the peer's address. A value; {@link #defaults()} suits most
 * networks.
 *
 * @param pathMtu the largest packet payload; null for the smaller of what both ports say. Both ends
 *     must agree
 * @param timeout acknowledgement time-out 0 to 31: 4.096 µs · 2<sup>timeout</sup>, 14 is 67 ms; 0
 *     waits for ever
 * @param retryCount 0 to 7 repetitions after a time-out; soft-RoCE takes 7 for "for ever"
 * @param rnrRetryCount 0 to 6 repetitions when the peer has posted no receive; 7 repeats for ever
 * @param minRnrTimer 0 to 31, the pause that this end asks for when it has no receive posted: 12 is
 *     0.64 ms, <b>0 is 655 ms</b> ({@code ibv_modify_qp(3)} has the table)
 * @param maxInitiatedReads reads and atomics that this end may have under way, 0 to 255; more than
 *     the device can is lowered to that, and it must not exceed the peer's {@code
 *     maxAcceptedReads}. With 0 no read can ever be posted
 * @param maxAcceptedReads reads and atomics that the peer may have under way here; lowered to what
 *     the device can
 * @param serviceLevel 0 to 15
 * @param trafficClass 0 to 255; on RoCEv2 the DSCP is in the upper six bits
 * @param hopLimit 1 to 255
 */
public record ConnectOptions(
        @Nullable Mtu pathMtu,
        int timeout,
        int retryCount,
        int rnrRetryCount,
        int minRnrTimer,
        int maxInitiatedReads,
        int maxAcceptedReads,
        int serviceLevel,
        int trafficClass,
        int hopLimit) {

    /** The default hop limit: enough for any data centre, while 1 would end at the first router. */
    public static final int DEFAULT_HOP_LIMIT = 64;

    /** Enough for the bandwidth-delay product of a rack; most devices can 16. */
    private static final int DEFAULT_READS = 16;

    private static final ConnectOptions DEFAULTS =
            new ConnectOptions(
                    null, 14, 7, 7, 12, DEFAULT_READS, DEFAULT_READS, 0, 0, DEFAULT_HOP_LIMIT);

    /** Checks the ranges. */
    public ConnectOptions {
        Arguments.range("timeout", timeout, 0, 31);
        Arguments.range("retryCount", retryCount, 0, 7);
        Arguments.range("rnrRetryCount", rnrRetryCount, 0, 7);
        Arguments.range("minRnrTimer", minRnrTimer, 0, 31);
        Arguments.range("maxInitiatedReads", maxInitiatedReads, 0, 255);
        Arguments.range("maxAcceptedReads", maxAcceptedReads, 0, 255);
        Arguments.range("serviceLevel", serviceLevel, 0, 15);
        Arguments.range("trafficClass", trafficClass, 0, 255);
        Arguments.range("hopLimit", hopLimit, 1, 255);
    }

    /**
     * Time-out 14 (67 ms), 7 retries, 7 (endless) receiver-not-ready retries, timer 12 (0.64 ms),
     * 16 reads both ways, the smaller MTU of both ends.
     */
    public static ConnectOptions defaults() {
        return DEFAULTS;
    }

    /**
     * The same with another path MTU.
     *
     * @param mtu null for the smaller of what both ports say
     */
    public ConnectOptions withPathMtu(@Nullable Mtu mtu) {
        return new ConnectOptions(
                mtu,
                timeout,
                retryCount,
                rnrRetryCount,
                minRnrTimer,
                maxInitiatedReads,
                maxAcceptedReads,
                serviceLevel,
                trafficClass,
                hopLimit);
    }

    /**
     * The same with another acknowledgement time-out.
     *
     * @param exponent 0 to 31: 4.096 µs · 2<sup>exponent</sup>, 0 waits for ever
     */
    public ConnectOptions withTimeout(int exponent) {
        return new ConnectOptions(
                pathMtu,
                exponent,
                retryCount,
                rnrRetryCount,
                minRnrTimer,
                maxInitiatedReads,
                maxAcceptedReads,
                serviceLevel,
                trafficClass,
                hopLimit);
    }

    /**
     * The same with other retry counts.
     *
     * @param retries 0 to 7, after a time-out
     * @param rnrRetries 0 to 7, when the peer has no receive posted; 7 is for ever
     */
    public ConnectOptions withRetries(int retries, int rnrRetries) {
        return new ConnectOptions(
                pathMtu,
                timeout,
                retries,
                rnrRetries,
                minRnrTimer,
                maxInitiatedReads,
                maxAcceptedReads,
                serviceLevel,
                trafficClass,
                hopLimit);
    }

    /**
     * The same with another receiver-not-ready timer.
     *
     * @param code 0 to 31; 12 is 0.64 ms, 1 is 0.01 ms, 0 is 655 ms
     */
    public ConnectOptions withMinRnrTimer(int code) {
        return new ConnectOptions(
                pathMtu,
                timeout,
                retryCount,
                rnrRetryCount,
                code,
                maxInitiatedReads,
                maxAcceptedReads,
                serviceLevel,
                trafficClass,
                hopLimit);
    }

    /**
     * The same with other limits for reads and atomics under way.
     *
     * @param initiated from this end, 0 to 255
     * @param accepted from the peer, 0 to 255
     */
    public ConnectOptions withReads(int initiated, int accepted) {
        return new ConnectOptions(
                pathMtu,
                timeout,
                retryCount,
                rnrRetryCount,
                minRnrTimer,
                initiated,
                accepted,
                serviceLevel,
                trafficClass,
                hopLimit);
    }

    /**
     * The same with another class of service.
     *
     * @param level InfiniBand service level, 0 to 15
     * @param traffic traffic class, 0 to 255; on RoCEv2 the DSCP is in the upper six bits
     * @param hops hop limit, 1 to 255
     */
    public ConnectOptions withService(int level, int traffic, int hops) {
        return new ConnectOptions(
                pathMtu,
                timeout,
                retryCount,
                rnrRetryCount,
                minRnrTimer,
                maxInitiatedReads,
                maxAcceptedReads,
                level,
                traffic,
                hops);
    }
}
