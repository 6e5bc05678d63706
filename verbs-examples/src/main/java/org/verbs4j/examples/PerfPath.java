package org.verbs4j.examples;

import org.verbs4j.Mtu;
import org.verbs4j.bindings.Posix;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * What both sides of perftest agree on before anything else.
 *
 * @param cycle bytes in which messages go round, the larger page of the two machines
 * @param cacheLine bytes, the larger of the two machines; messages begin at one
 * @param mtu of the path, the smaller one
 */
record PerfPath(int cycle, int cacheLine, Mtu mtu) {
    /** A page almost everywhere. */
    static final int USUAL_PAGE = 4096;

    /** What Debian 12 has; its exchange is the same from 5.70 to at least 6.20. */
    static final String VERSION = "6.06";

    private static final int VERSION_LENGTH = 16;
    private static final double OLDEST = 5.70;
    private static final Pattern NUMBER = Pattern.compile("(\\d{1,3}\\.\\d{1,3})[^\0]*\0(?s:.*)");
    private static final int USUAL_CACHE_LINE = 64;
    private static final Path CACHE_LINE =
            Path.of("/sys/devices/system/cpu/cpu0/cache/index0/coherency_line_size");

    /** Of this machine alone. */
    static PerfPath local(PortChoice port, PerfOptions options) {
        int page = (int) Posix.sysconf(Posix._SC_PAGESIZE());
        Mtu mtu = options.mtu == null ? port.attributes().activeMtu() : options.mtu;
        return new PerfPath(page > 0 ? page : USUAL_PAGE, cacheLineOfThisMachine(), mtu);
    }

    private static int cacheLineOfThisMachine() {
        try {
            return Integer.parseInt(Files.readString(CACHE_LINE).strip());
        } catch (IOException | NumberFormatException e) {
            return USUAL_CACHE_LINE;
        }
    }

    /** Learns what the peer has and takes what suits both. */
    PerfPath agree(PerfChannel channel) throws InterruptedException {
        requireVersion(
                channel.peer(),
                channel.swap(
                        Arrays.copyOf(
                                VERSION.getBytes(StandardCharsets.US_ASCII), VERSION_LENGTH)));
        int theirCycle = number(channel, channel.swap(bytes(cycle)));
        int theirLine = number(channel, channel.swap(bytes(cacheLine)));
        byte[] theirMtu = channel.swap(new byte[] {(byte) ('0' + mtu.code()), 0});
        int code = theirMtu[0] - '0';
        boolean known = code >= Mtu.BYTES_256.code() && code <= Mtu.BYTES_4096.code();
        return new PerfPath(
                Math.max(cycle, theirCycle),
                Math.max(cacheLine, theirLine),
                known ? Mtu.min(mtu, Mtu.of(code)) : mtu);
    }

    /** Refuses a stranger, and a peer that would say other things than we do. */
    static void requireVersion(String peer, byte[] version) {
        Matcher number = NUMBER.matcher(new String(version, StandardCharsets.ISO_8859_1));
        if (!number.matches()) {
            throw new ToolFailure(
                    peer
                            + " sent something else: not a version of perftest: "
                            + PingPongEndpoint.printable(version));
        }
        if (Double.parseDouble(number.group(1)) < OLDEST) {
            throw new ToolFailure(
                    "%s is perftest %s, this tool speaks %s and understands 5.70 or later"
                            .formatted(peer, number.group(1), VERSION));
        }
    }

    private static byte[] bytes(int number) {
        return ByteBuffer.allocate(Integer.BYTES).putInt(number).array();
    }

    /** What nobody has would make a buffer that nobody wants. */
    private static int number(PerfChannel channel, byte[] bytes) {
        int number = ByteBuffer.wrap(bytes).getInt();
        if (number < 1 || number > 1 << 24 || Integer.bitCount(number) != 1) {
            throw new ToolFailure(
                    channel.peer() + " sent something else: a page or cache line of " + number);
        }
        return number;
    }

    /** Bytes from one message to the next. */
    long stride(long size) {
        long lines = (size + cacheLine - 1) / cacheLine;
        return Math.max(1, lines) * cacheLine;
    }

    /** How many messages lie side by side before the first place is used again. */
    int slots(long size) {
        return size <= cycle / 2 ? (int) (cycle / stride(size)) : 1;
    }
}
