package org.verbs4j.examples;

import org.verbs4j.Gid;
import org.verbs4j.Mtu;
import org.verbs4j.QueuePairEndpoint;

import java.nio.charset.StandardCharsets;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * What one side of a C ping-pong tells the other over TCP: 52 bytes of text.
 *
 * <pre>
 *  byte  0    4 5      11 12     18 19                                51
 *       +------+-+--------+-+--------+-+----------------------------------+----+
 *       | LID  |:|  QPN   |:|  PSN   |:| GID: 32 digits in network order  | \0 |
 *       +------+-+--------+-+--------+-+----------------------------------+----+
 *        %04x     %06x       %06x       %08x%08x%08x%08x
 * </pre>
 *
 * @param lid the port's local identifier, 16 bits; 0 on RoCE
 * @param queuePairNumber 24 bits
 * @param packetSequence the first packet sequence number it will send, 24 bits
 * @param gid all zero when the side sends no global routing header
 */
record PingPongEndpoint(int lid, int queuePairNumber, int packetSequence, Gid gid) {
    /** Bytes of the wire form, its NUL included. */
    static final int ENCODED_LENGTH = 52;

    private static final Gid NO_GID = new Gid(0, 0);

    /** What stands where there is no queue pair. */
    static final PingPongEndpoint NONE = new PingPongEndpoint(0, 0, 0, NO_GID);

    private static final Pattern WIRE_FORM =
            Pattern.compile(
                    "(\\p{XDigit}{4}):(\\p{XDigit}{6}):(\\p{XDigit}{6}):(\\p{XDigit}{16})(\\p{XDigit}{16})\0");

    static PingPongEndpoint of(QueuePairEndpoint endpoint) {
        Gid gid = endpoint.gid();
        return new PingPongEndpoint(
                endpoint.lid(),
                endpoint.queuePairNumber(),
                endpoint.packetSequence(),
                gid == null ? NO_GID : gid);
    }

    /** As the C tools do, an interface id of zero means that the peer has no GID. */
    QueuePairEndpoint toQueuePairEndpoint(Mtu mtu) {
        return new QueuePairEndpoint(
                queuePairNumber, packetSequence, lid, mtu, gid.interfaceId() == 0 ? null : gid);
    }

    byte[] encode() {
        return String.format(
                        Locale.ROOT,
                        "%04x:%06x:%06x:%016x%016x\0",
                        lid,
                        queuePairNumber,
                        packetSequence,
                        gid.subnetPrefix(),
                        gid.interfaceId())
                .getBytes(StandardCharsets.US_ASCII);
    }

    /**
     * Reads the wire form.
     *
     * @throws IllegalArgumentException when these are not the 52 bytes of a ping-pong
     */
    static PingPongEndpoint decode(byte[] bytes) {
        Matcher fields = WIRE_FORM.matcher(new String(bytes, StandardCharsets.ISO_8859_1));
        if (!fields.matches()) {
            throw new IllegalArgumentException(
                    "not an address of a ping-pong: " + printable(bytes));
        }
        return new PingPongEndpoint(
                Integer.parseInt(fields.group(1), 16),
                Integer.parseInt(fields.group(2), 16),
                Integer.parseInt(fields.group(3), 16),
                new Gid(
                        Long.parseUnsignedLong(fields.group(4), 16),
                        Long.parseUnsignedLong(fields.group(5), 16)));
    }

    /** Bytes of a stranger, fit for a terminal. */
    static String printable(byte[] bytes) {
        StringBuilder text = new StringBuilder("\"");
        for (byte b : bytes) {
            text.append(b >= ' ' && b < 0x7f && b != '"' ? (char) b : '.');
        }
        return text.append('"').toString();
    }

    /** The line that the tools print about an endpoint, behind {@code local} or {@code remote}. */
    @Override
    public String toString() {
        return String.format(
                Locale.ROOT,
                "LID 0x%04x, QPN 0x%06x, PSN 0x%06x, GID %s",
                lid,
                queuePairNumber,
                packetSequence,
                gid);
    }
}
