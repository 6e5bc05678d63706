package org.verbs4j;

/**
 * What a device does for packets: the groups of {@code struct ibv_device_attr_ex} that concern raw
 * packets, tags and interrupts. A value; zero is what the device does not have.
 *
 * <p>Where queue pair types are given as bits, bit <i>n</i> is the type with number <i>n</i> in
 * {@code enum ibv_qp_type}: 2 RC, 3 UC, 4 UD, 8 raw packet, 9 XRC send, 10 XRC receive.
 *
 * @param segmentation {@code struct ibv_tso_caps}
 * @param hashing {@code struct ibv_rss_caps}
 * @param pacing {@code struct ibv_packet_pacing_caps}
 * @param rawPacketBits bits of {@code enum ibv_raw_packet_caps}
 * @param tagMatching {@code struct ibv_tm_caps}
 * @param moderation {@code struct ibv_cq_moderation_caps}
 */
public record DeviceOffloads(
        Segmentation segmentation,
        Hashing hashing,
        Pacing pacing,
        int rawPacketBits,
        TagMatching tagMatching,
        Moderation moderation) {

    /**
     * TCP segmentation: {@code struct ibv_tso_caps}.
     *
     * @param maxPayload bytes of the largest payload, unsigned
     * @param queuePairTypes bits
     */
    public record Segmentation(int maxPayload, int queuePairTypes) {}

    /**
     * Receive-side scaling: {@code struct ibv_rss_caps}.
     *
     * @param queuePairTypes bits
     * @param maxIndirectionTables tables
     * @param maxIndirectionTableSize queues of one table
     * @param fields what can be hashed: bits of {@code enum ibv_rx_hash_fields}
     * @param functions bits of {@code enum ibv_rx_hash_function_flags}
     */
    public record Hashing(
            int queuePairTypes,
            int maxIndirectionTables,
            int maxIndirectionTableSize,
            long fields,
            int functions) {}

    /**
     * Packet pacing: {@code struct ibv_packet_pacing_caps}.
     *
     * @param minRate kbit/s, unsigned
     * @param maxRate kbit/s, unsigned; 0 when there is none
     * @param queuePairTypes bits
     */
    public record Pacing(int minRate, int maxRate, int queuePairTypes) {}

    /**
     * Tag matching: {@code struct ibv_tm_caps}.
     *
     * @param maxRendezvousHeader bytes of the largest rendezvous header
     * @param maxTags tags of one list
     * @param flags bits of {@code enum ibv_tm_cap_flags}
     * @param maxOperations list operations outstanding
     * @param maxSge entries of one receive
     */
    public record TagMatching(
            int maxRendezvousHeader, int maxTags, int flags, int maxOperations, int maxSge) {}

    /**
     * Moderation of completion queues: {@code struct ibv_cq_moderation_caps}.
     *
     * @param maxCount completions that one event can stand for, 0 when there is no moderation
     * @param maxPeriod microseconds that an event can be put off
     */
    public record Moderation(int maxCount, int maxPeriod) {}
}
