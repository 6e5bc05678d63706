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

    /** A count that is at least one. */
    static final class Count implements ITypeConverter<Integer> {
        @Override
        public Integer convert(String text) {
            return (int) parse(text, 1, Integer.MAX_VALUE);
        }
    }

    /** The queue pairs that the exchange of {@code ibv_srq_pingpong} has room for, but for one. */
    static final class QueuePairs implements ITypeConverter<Integer> {
        @Override
        public Integer convert(String text) {
            return (int) parse(text, 1, PingPongExchange.SHARED - 1);
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
    static final class TcpPort implements ITypeConverter<Integer> {
        @Override
        public Integer convert(String text) {
            return (int) parse(text, 1, 65535);
        }
    }

    /** A port of the RDMA device; they count from one. */
    static final class DevicePort implements ITypeConverter<Integer> {
        @Override
        public Integer convert(String text) {
            return (int) parse(text, 1, 255);
        }
    }

    /** A service level: four bits. */
    static final class ServiceLevel implements ITypeConverter<Integer> {
        @Override
        public Integer convert(String text) {
            return (int) parse(text, 0, 15);
        }
    }

    /** An index into the GID table; -1 is no GID, which is also C's default. */
    static final class GidIndex implements ITypeConverter<Integer> {
        @Override
        public Integer convert(String text) {
            return (int) parse(text, -1, 65535);
        }
    }
}
