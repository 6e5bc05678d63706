package org.verbs4j.examples;

import org.verbs4j.Gid;
import org.verbs4j.Mtu;
import org.verbs4j.QueuePairEndpoint;

import java.nio.charset.StandardCharsets;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * What one side of {@code ibv_xsrq_pingpong} tells the other over TCP: 66 bytes of text.
 *
 * <pre>
 *  byte  0    4 5       11 12      18 19    25 26     32 33                           65
 *       +------+-+---------+-+---------+-+------+-+-------+-+--------------------------+----+
 *       | LID  |:| receive |:|  send   |:| PSN  |:| SRQ   |:| GID: 32 digits           | \0 |
 *       |      | | QPN     | |  QPN    | |      | | number| | in network order         |    |
 *       +------+-+---------+-+---------+-+------+-+-------+-+--------------------------+----+
 * </pre>
 *
 * @param lid the port's local identifier, 16 bits; 0 on RoCE
 * @param receiver the number of the queue pair that receives, 24 bits
 * @param sender the number of the queue pair that sends, 24 bits
 * @param packetSequence the first packet sequence number that both send, 24 bits
 * @param queue the number of the shared receive queue
 * @param gid all zero when the side sends no global routing header
 */
record XrcEndpoint(int lid, int receiver, int sender, int packetSequence, int queue, Gid gid) {
    /** Bytes of the wire form, its NUL included. */
    static final int ENCODED_LENGTH = 66;

    private static final Pattern WIRE_FORM =
            Pattern.compile(
                    "(\\p{XDigit}{4}):(\\p{XDigit}{6}):(\\p{XDigit}{6}):(\\p{XDigit}{6})"
                            + ":(\\p{XDigit}{6}):(\\p{XDigit}{16})(\\p{XDigit}{16})\0");

    byte[] encode() {
        return String.format(
                        Locale.ROOT,
                        "%04x:%06x:%06x:%06x:%06x:%016x%016x\0",
                        lid,
                        receiver,
                        sender,
                        packetSequence,
                        queue,
                        gid.subnetPrefix(),
                        gid.interfaceId())
                .getBytes(StandardCharsets.US_ASCII);
    }

    /**
     * Reads the wire form.
     *
     * @throws IllegalArgumentException when these are not the 66 bytes of this ping-pong
     */
    static XrcEndpoint decode(byte[] bytes) {
        Matcher fields = WIRE_FORM.matcher(new String(bytes, StandardCharsets.ISO_8859_1));
        if (!fields.matches()) {
            throw new IllegalArgumentException(
                    "not an address of an XRC ping-pong: " + PingPongEndpoint.printable(bytes));
        }
        return new XrcEndpoint(
                Integer.parseInt(fields.group(1), 16),
                Integer.parseInt(fields.group(2), 16),
                Integer.parseInt(fields.group(3), 16),
                Integer.parseInt(fields.group(4), 16),
                Integer.parseInt(fields.group(5), 16),
                new Gid(
                        Long.parseUnsignedLong(fields.group(6), 16),
                        Long.parseUnsignedLong(fields.group(7), 16)));
    }

    /** What the queue pair that receives on the other side connects to. */
    QueuePairEndpoint senderEnd(Mtu mtu) {
        return end(sender, mtu);
    }

    /** What the queue pair that sends on the other side connects to. */
    QueuePairEndpoint receiverEnd(Mtu mtu) {
        return end(receiver, mtu);
    }

    /** As the C tool does, an interface id of zero means that the peer has no GID. */
    private QueuePairEndpoint end(int number, Mtu mtu) {
        return new QueuePairEndpoint(
                number, packetSequence, lid, mtu, gid.interfaceId() == 0 ? null : gid);
    }

    /**
     * The line that the C tool prints about an endpoint.
     *
     * @param whose {@code local} or {@code remote}
     */
    String line(String whose) {
        return String.format(
                Locale.ROOT,
                "%8s: LID %04x, QPN RECV %06x SEND %06x, PSN %06x, SRQN %06x, GID %s",
                whose,
                lid,
                receiver,
                sender,
                packetSequence,
                queue,
                gid);
    }
}
