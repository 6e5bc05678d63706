package org.verbs4j;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;

/**
 * What precedes every received datagram: who sent it and to whom, {@code struct ibv_grh}. A value,
 * read from the first bytes of the receive; byte order is the network's.
 *
 * <pre>
 *          0       4       8              24              40
 *          +-------+-------+---------------+---------------+
 *   IPv6   |6|class|len|n|h| source        | destination   |   InfiniBand and RoCE, n next, h hops
 *          +-------+-------+---------------+---------------+
 *   IPv4   | undefined         | IPv4 header, 20 bytes     |   RoCEv2 over IPv4
 *          +-------------------+---------------------------+
 *          0                   20                          40
 * </pre>
 *
 * @param source the sender; of IPv4 the mapped address
 * @param destination this port, or the multicast group
 * @param trafficClass 8 bits; on RoCEv2 the DSCP is in the upper six
 * @param hopLimit hops that were left
 */
public record GlobalRoutingHeader(Gid source, Gid destination, int trafficClass, int hopLimit) {
    private static final int IPV4_OFFSET = 20;
    private static final int IPV4_LENGTH = 20;
    private static final int IPV4_START = 0x45;
    private static final int IPV6 = 6;
    private static final long MAPPED = 0xffffL << 32;

    private static final ValueLayout.OfLong LONG =
            ValueLayout.JAVA_LONG_UNALIGNED.withOrder(ByteOrder.BIG_ENDIAN);
    private static final ValueLayout.OfInt INT =
            ValueLayout.JAVA_INT_UNALIGNED.withOrder(ByteOrder.BIG_ENDIAN);
    private static final ValueLayout.OfShort SHORT =
            ValueLayout.JAVA_SHORT_UNALIGNED.withOrder(ByteOrder.BIG_ENDIAN);

    /**
     * Reads the header.
     *
     * @param received memory of a receive of {@link UdQueuePair}, from its beginning; at least
     *     {@value UdQueuePair#GLOBAL_ROUTING_HEADER_LENGTH} bytes
     * @throws IllegalArgumentException when it is shorter, or holds no header
     */
    public static GlobalRoutingHeader of(MemorySegment received) {
        if (received.byteSize() < UdQueuePair.GLOBAL_ROUTING_HEADER_LENGTH) {
            throw new IllegalArgumentException(
                    "a global routing header is "
                            + UdQueuePair.GLOBAL_ROUTING_HEADER_LENGTH
                            + " bytes, not "
                            + received.byteSize());
        }
        int start = received.get(INT, 0);
        boolean perhapsIpv6 = start >>> 28 == IPV6;
        boolean perhapsIpv4 = received.get(ValueLayout.JAVA_BYTE, IPV4_OFFSET) == IPV4_START;
        if (!perhapsIpv6 && !perhapsIpv4) {
            throw new IllegalArgumentException(
                    "there is no global routing header: neither IPv6 nor IPv4 begins there");
        }
        // Soft-RoCE leaves the checksum out where it sends to itself, so ask only in doubt.
        if (!perhapsIpv6 || (perhapsIpv4 && hasIpv4Checksum(received))) {
            return new GlobalRoutingHeader(
                    mapped(received.get(INT, IPV4_OFFSET + 12)),
                    mapped(received.get(INT, IPV4_OFFSET + 16)),
                    Byte.toUnsignedInt(received.get(ValueLayout.JAVA_BYTE, IPV4_OFFSET + 1)),
                    Byte.toUnsignedInt(received.get(ValueLayout.JAVA_BYTE, IPV4_OFFSET + 8)));
        }
        return new GlobalRoutingHeader(
                new Gid(received.get(LONG, 8), received.get(LONG, 16)),
                new Gid(received.get(LONG, 24), received.get(LONG, 32)),
                start >>> 20 & 0xff,
                Byte.toUnsignedInt(received.get(ValueLayout.JAVA_BYTE, 7)));
    }

    /** Where IPv6 has the middle of its addresses, only a right checksum tells IPv4. */
    private static boolean hasIpv4Checksum(MemorySegment received) {
        int sum = 0;
        for (int at = 0; at < IPV4_LENGTH; at += Short.BYTES) {
            sum += Short.toUnsignedInt(received.get(SHORT, IPV4_OFFSET + at));
        }
        sum = (sum & 0xffff) + (sum >>> 16);
        sum = (sum & 0xffff) + (sum >>> 16);
        return sum == 0xffff;
    }

    private static Gid mapped(int ipv4) {
        return new Gid(0, MAPPED | Integer.toUnsignedLong(ipv4));
    }
}
