package org.verbs4j;

/**
 * How fast a queue pair sends at most: {@code struct ibv_qp_rate_limit_attr}. A value.
 *
 * @param kilobitsPerSecond 0 for no limit; unsigned
 * @param maxBurstBytes bytes that may be sent at once, 0 for the device's default; unsigned
 * @param typicalPacketBytes what most packets have, 0 for the device's default; 0 to 65535
 */
public record RateLimit(int kilobitsPerSecond, int maxBurstBytes, int typicalPacketBytes) {
    /** Checks the range. */
    public RateLimit {
        Arguments.range("typicalPacketBytes", typicalPacketBytes, 0, 0xffff);
    }
}
