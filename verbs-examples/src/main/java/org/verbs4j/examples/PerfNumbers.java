package org.verbs4j.examples;

import picocli.CommandLine.ITypeConverter;

/** Numbers on the command line of perftest, in the ranges of its version 4.5. */
final class PerfNumbers {
    private PerfNumbers() {}

    /** Messages to exchange; fewer than five would leave nothing to make statistics of. */
    static final class Iterations extends CNumbers.Range {
        Iterations() {
            super(5, 100_000_000);
        }
    }

    /** Requests in a send queue. */
    static final class SendDepth extends CNumbers.Range {
        SendDepth() {
            super(1, 15_000);
        }
    }

    /** Requests in a receive queue, and queue pairs. */
    static final class To16384 extends CNumbers.Range {
        To16384() {
            super(1, 16_384);
        }
    }

    /** Sends to a completion. */
    static final class Moderation extends CNumbers.Range {
        Moderation() {
            super(1, 1024);
        }
    }

    /** Bytes that may be sent inline. */
    static final class Inline extends CNumbers.Range {
        Inline() {
            super(0, 912);
        }
    }

    /** Seconds, milliseconds or a count that may be none. */
    static final class OrNone extends CNumbers.Range {
        OrNone() {
            super(0, Integer.MAX_VALUE);
        }
    }

    /** The exponent of an acknowledgement time-out: five bits. */
    static final class AckTimeout extends CNumbers.Range {
        AckTimeout() {
            super(0, 31);
        }
    }

    /** Reads under way: eight bits. */
    static final class Outstanding extends CNumbers.Range {
        Outstanding() {
            super(1, 255);
        }
    }

    /** A message size, in bytes or with K or M behind it. */
    static final class Size implements ITypeConverter<Long> {
        private static final long MOST = 0xffff_ffffL / 2;

        @Override
        public Long convert(String text) {
            long unit = text.endsWith("K") ? 1 << 10 : text.endsWith("M") ? 1 << 20 : 1;
            String number = unit == 1 ? text : text.substring(0, text.length() - 1);
            return unit * CNumbers.parse(number, 1, MOST / unit);
        }
    }
}
