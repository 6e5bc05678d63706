package org.verbs4j.examples.kv;

import java.nio.ByteBuffer;

/**
 * What the server says to a {@link Message}, by SEND.
 *
 * <pre>
 *  0          4          8                    16                   24
 *  +----------+----------+--------------------+--------------------+
 *  | sequence | status   | messages           | CPU time in ns     |  big-endian
 *  +----------+----------+--------------------+--------------------+
 * </pre>
 *
 * @param sequence of the message
 * @param messages that the server has had, of all clients
 * @param cpuNanos processor time of the server's process; 0 unless it was asked for
 */
record Answer(int sequence, Status status, long messages, long cpuNanos) {
    static final int ENCODED_LENGTH = 24;

    /** How it went. */
    enum Status {
        /** As asked. */
        DONE(0),
        /** There is no such key. */
        ABSENT(1),
        /** There is no room near the key's home. */
        FULL(2),
        /** That was no message, or the key or the value is too long. */
        REFUSED(3);

        private final int code;

        Status(int code) {
            this.code = code;
        }

        private static Status of(int code) {
            for (Status status : values()) {
                if (status.code == code) {
                    return status;
                }
            }
            return REFUSED;
        }
    }

    void encode(ByteBuffer target) {
        target.putInt(sequence).putInt(status.code).putLong(messages).putLong(cpuNanos);
    }

    static Answer decode(ByteBuffer source) {
        int sequence = source.getInt();
        return new Answer(sequence, Status.of(source.getInt()), source.getLong(), source.getLong());
    }
}
