package org.verbs4j.examples;

import org.verbs4j.Gid;

import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * What one side of perftest tells the other about a queue pair and the memory behind it. Over TCP
 * it is text, of 108 bytes where ports have GIDs and of 59 where they have not; what follows the
 * text is of no account.
 *
 * <pre>
 *   lid  : outs :  qpn   :  psn   :  rkey    :     address      : 16 bytes of GID  : srqn
 *   %04x : %04x : %06x   : %06x   : %08x     : %016x            : %02x: ... :%02x  : %08x :
 * </pre>
 *
 * Over a queue pair of rdma_cm it is a {@code struct} of 56 bytes with the same fields, big-endian.
 *
 * @param lid the port's local identifier; 0 on RoCE
 * @param outstanding reads and atomics that this side takes at a time
 * @param queuePairNumber 24 bits
 * @param packetSequence the first packet sequence number it will send, 24 bits
 * @param rkey of the memory
 * @param address of the memory
 * @param gid zero where there are none
 */
record PerfKeys(
        int lid,
        int outstanding,
        int queuePairNumber,
        int packetSequence,
        int rkey,
        long address,
        Gid gid) {
    /** Bytes of the text with a GID. */
    static final int WITH_GID = 108;

    /** Bytes of the text without. */
    static final int WITHOUT_GID = 59;

    /** Bytes of the {@code struct}. */
    static final int BINARY = 56;

    private static final int ADDRESS_AT = 24;
    private static final int GID_AT = 32;

    /** Before anything is known. */
    static final PerfKeys NONE = new PerfKeys(0, 0, 0, 0, 0, 0, Gid.zero());

    private static final Pattern FIELDS =
            Pattern.compile(
                    "(\\p{XDigit}{4}):(\\p{XDigit}{4}):(\\p{XDigit}{6,8}):(\\p{XDigit}{6,8}):"
                            + "(\\p{XDigit}{8}):(\\p{XDigit}{16}):"
                            + "((?:\\p{XDigit}{2}:){16})?\\p{XDigit}{8}[:\0](?s:.*)");

    /** The text. */
    byte[] encode(boolean withGid) {
        StringBuilder text = new StringBuilder();
        text.append(
                String.format(
                        Locale.ROOT,
                        "%04x:%04x:%06x:%06x:%08x:%016x:",
                        lid,
                        outstanding,
                        queuePairNumber,
                        packetSequence,
                        rkey,
                        address));
        if (withGid) {
            text.append(HexFormat.ofDelimiter(":").formatHex(gidBytes())).append(':');
        }
        text.append("00000000").append(withGid ? ":" : "");
        byte[] bytes = text.toString().getBytes(StandardCharsets.US_ASCII);
        return Arrays.copyOf(bytes, withGid ? WITH_GID : WITHOUT_GID);
    }

    /**
     * Reads the text.
     *
     * @throws IllegalArgumentException when it is something else
     */
    static PerfKeys decode(byte[] bytes) {
        Matcher fields = FIELDS.matcher(new String(bytes, StandardCharsets.ISO_8859_1));
        boolean withGid = bytes.length == WITH_GID;
        if (!fields.matches() || withGid != (fields.group(7) != null)) {
            throw new IllegalArgumentException(
                    "not the keys of perftest: " + PingPongEndpoint.printable(bytes));
        }
        return new PerfKeys(
                Integer.parseInt(fields.group(1), 16),
                Integer.parseInt(fields.group(2), 16),
                Integer.parseUnsignedInt(fields.group(3), 16),
                Integer.parseUnsignedInt(fields.group(4), 16),
                Integer.parseUnsignedInt(fields.group(5), 16),
                Long.parseUnsignedLong(fields.group(6), 16),
                withGid ? gid(fields.group(7)) : Gid.zero());
    }

    private static Gid gid(String text) {
        ByteBuffer bytes = ByteBuffer.wrap(HexFormat.of().parseHex(text.replace(":", "")));
        return new Gid(bytes.getLong(), bytes.getLong());
    }

    private byte[] gidBytes() {
        return ByteBuffer.allocate(16)
                .putLong(gid.subnetPrefix())
                .putLong(gid.interfaceId())
                .array();
    }

    /** The {@code struct}. */
    byte[] encodeBinary() {
        return ByteBuffer.allocate(BINARY)
                .putInt(lid)
                .putInt(outstanding)
                .putInt(queuePairNumber)
                .putInt(packetSequence)
                .putInt(rkey)
                .position(ADDRESS_AT)
                .putLong(address)
                .put(gidBytes())
                .array();
    }

    /**
     * Reads the {@code struct}.
     *
     * @throws IllegalArgumentException when it is shorter
     */
    static PerfKeys decodeBinary(byte[] bytes) {
        try {
            ByteBuffer fields = ByteBuffer.wrap(bytes);
            return new PerfKeys(
                    fields.getInt(),
                    fields.getInt(),
                    fields.getInt(),
                    fields.getInt(),
                    fields.getInt(),
                    fields.getLong(ADDRESS_AT),
                    new Gid(fields.getLong(GID_AT), fields.getLong(GID_AT + Long.BYTES)));
        } catch (BufferUnderflowException | IndexOutOfBoundsException e) {
            throw new IllegalArgumentException("keys of " + bytes.length + " bytes", e);
        }
    }

    /** The lines that the C tools print about a side. */
    String text(String side, PerfVerb verb, boolean withGid) {
        StringBuilder line = new StringBuilder();
        line.append(
                " %s address: LID %s QPN %s PSN %s"
                        .formatted(
                                side,
                                hex(lid, 4),
                                hex(queuePairNumber, 6),
                                hex(packetSequence, 6)));
        if (verb == PerfVerb.READ) {
            line.append(" OUT ").append(hex(outstanding, 4));
        }
        if (verb == PerfVerb.READ || verb == PerfVerb.WRITE) {
            line.append(
                    " RKey %s VAddr %s"
                            .formatted(hex(Integer.toUnsignedLong(rkey), 8), hex(address, 16)));
        }
        if (withGid) {
            StringBuilder decimal = new StringBuilder();
            for (byte b : gidBytes()) {
                decimal.append(':').append("%02d".formatted(b & 0xff));
            }
            line.append("\n GID").append(": ").append(decimal.substring(1));
        }
        return line.toString();
    }

    /** {@code %#0...x}. */
    private static String hex(long value, int width) {
        return value == 0
                ? "0".repeat(width)
                : String.format(Locale.ROOT, "%#0" + width + "x", value);
    }
}
