package org.verbs4j;

import java.util.Objects;

/**
 * A second way to the peer of a connected queue pair, for when the first fails. A value; few
 * devices have it, and only on InfiniBand. The {@code alt_} fields of {@code struct ibv_qp_attr}.
 *
 * @param vector the way, with its own port
 * @param partitionKeyIndex the index of the partition key on that port, 0 to 65535
 * @param timeout acknowledgement time-out 0 to 31, as in {@link ConnectOptions}
 */
public record AlternatePath(AddressVector vector, int partitionKeyIndex, int timeout) {
    /** Checks the ranges. */
    public AlternatePath {
        Objects.requireNonNull(vector, "vector");
        Arguments.range("partitionKeyIndex", partitionKeyIndex, 0, 0xffff);
        Arguments.range("timeout", timeout, 0, 31);
    }
}
