package org.verbs4j.examples.kv;

import org.jspecify.annotations.Nullable;

import java.nio.ByteBuffer;

/**
 * What a client asks the server for, by SEND: the changes of the tables, which it alone makes.
 *
 * <pre>
 *  0           4           5           6           8        8 + key bytes
 *  +-----------+-----------+-----------+-----------+---//---+---//---+
 *  | sequence  | operation | key bytes | value     | key    | value  |
 *  |           |           |           | bytes     |        |        |  big-endian
 *  +-----------+-----------+-----------+-----------+---//---+---//---+
 * </pre>
 */
final class Message {
    static final int HEADER = 8;

    /** What is asked for. */
    enum Operation {
        /** To store a value. */
        PUT(1),
        /** To take a value out. */
        DELETE(2),
        /** To make a counter, unless it is there. */
        COUNT(3),
        /** To tell how much the server has had to do. */
        STATUS(4);

        private final int code;

        Operation(int code) {
            this.code = code;
        }

        private static @Nullable Operation of(int code) {
            for (Operation operation : values()) {
                if (operation.code == code) {
                    return operation;
                }
            }
            return null;
        }
    }

    private final int sequence;
    private final Operation operation;
    private final byte[] key;
    private final byte[] value;

    /**
     * @param sequence comes back with the answer
     */
    Message(int sequence, Operation operation, byte[] key, byte[] value) {
        this.sequence = sequence;
        this.operation = operation;
        this.key = key;
        this.value = value;
    }

    int sequence() {
        return sequence;
    }

    Operation operation() {
        return operation;
    }

    byte[] key() {
        return key;
    }

    byte[] value() {
        return value;
    }

    /** Bytes of the longest message about tables of this shape. */
    static int maxLength(TableShape shape) {
        return HEADER + shape.maxKey() + shape.maxValue();
    }

    /** Writes it at the position. */
    void encode(ByteBuffer target) {
        target.putInt(sequence)
                .put((byte) operation.code)
                .put((byte) key.length)
                .putShort((short) value.length)
                .put(key)
                .put(value);
    }

    /** The sequence number of a message, whatever else is wrong with it. */
    static int sequence(ByteBuffer source) {
        return source.remaining() < Integer.BYTES ? 0 : source.getInt(source.position());
    }

    /** Reads all that remains; null when that is no message. */
    static @Nullable Message decode(ByteBuffer source) {
        if (source.remaining() < HEADER) {
            return null;
        }
        int sequence = source.getInt();
        Operation operation = Operation.of(source.get());
        byte[] key = new byte[source.get() & 0xff];
        byte[] value = new byte[source.getShort() & 0xffff];
        if (operation == null || source.remaining() != key.length + value.length) {
            return null;
        }
        source.get(key).get(value);
        return new Message(sequence, operation, key, value);
    }
}
