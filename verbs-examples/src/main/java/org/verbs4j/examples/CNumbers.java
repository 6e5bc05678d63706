package org.verbs4j.examples;

import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** Numbers on the command line as {@code strtol(s, NULL, 0)} reads them, kept inside a range. */
final class CNumbers {
    private CNumbers() {}

    /** Reads decimal, {@code 0x} hexadecimal and {@code 0} octal; refuses what C would truncate. */
    static long parse(String text, long min, long max) {
        long value;
        try {
            value = Long.decode(text);
        } catch (NumberFormatException e) {
            throw new TypeConversionException("'" + text + "' is not a number");
        }
        if (value < min || value > max) {
            throw new TypeConversionException(text + " is not in " + min + ".." + max);
        }
        return value;
    }

    /** A number of a range. */
    abstract static class Range implements ITypeConverter<Integer> {
        private final int min;
        private final int max;

        Range(int min, int max) {
            this.min = min;
            this.max = max;
        }

        @Override
        public final Integer convert(String text) {
            return (int) parse(text, min, max);
        }
    }

    /** A count that is at least one. */
    static final class Count extends Range {
        Count() {
            super(1, Integer.MAX_VALUE);
        }
    }

    /** The queue pairs that the exchange of {@code ibv_srq_pingpong} has room for, but for one. */
    static final class QueuePairs extends Range {
        QueuePairs() {
            super(1, PingPongExchange.SHARED - 1);
        }
    }

    /** A message size: what the 32-bit length of a gather entry can say. */
    static final class Size implements ITypeConverter<Long> {
        @Override
        public Long convert(String text) {
            return parse(text, 1, 0xffff_ffffL);
        }
    }

    /** A TCP port. */
    static final class TcpPort extends Range {
        TcpPort() {
            super(1, 65535);
        }
    }

    /** A port of the RDMA device; they count from one. */
    static final class DevicePort extends Range {
        DevicePort() {
            super(1, 255);
        }
    }

    /** A service level: four bits. */
    static final class ServiceLevel extends Range {
        ServiceLevel() {
            super(0, 15);
        }
    }

    /** An index into the GID table; -1 is no GID, which is also C's default. */
    static final class GidIndex extends Range {
        GidIndex() {
            super(-1, 65535);
        }
    }
}
