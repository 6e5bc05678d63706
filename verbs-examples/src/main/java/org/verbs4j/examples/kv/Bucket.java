package org.verbs4j.examples.kv;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.zip.CRC32C;

/**
 * A bucket of a table, copied out of memory that somebody may be writing meanwhile.
 *
 * <pre>
 *  0               4      5      6           8             8 + maxKey
 *  +---------------+------+------+-----------+-------------+---------------+
 *  | CRC-32C       | kind | key  | value     | key         | value         |
 *  |               |      | bytes| bytes     |             |               |  big-endian
 *  +---------------+------+------+-----------+-------------+---------------+
 * </pre>
 *
 * A READ of the peer's device may copy half of the old contents and half of the new ones, in any
 * order. So the checksum covers everything that follows it, and a bucket that does not fit its
 * checksum is read again. The writer changes the header last, by one store. An empty bucket is all
 * zeros in its header. A counter's number is not covered: devices add to it behind everybody's
 * back, and eight aligned bytes do not tear.
 *
 * <p>Belongs to one thread: it is loaded again for each bucket.
 */
final class Bucket {
    /** Bytes in front of the key. */
    static final int HEADER = 8;

    private static final int KIND = 4;
    private static final VarHandle HEADER_WORD =
            ValueLayout.JAVA_LONG.withOrder(ByteOrder.BIG_ENDIAN).varHandle();

    /** What a bucket holds. */
    enum Kind {
        /** Nothing, and no key was ever put any further because of it. */
        EMPTY(0),
        /** A key and its value. */
        VALUE(1),
        /** A key and its counter. */
        COUNTER(2),
        /** Nothing any more; look further. */
        DELETED(3),
        /** What was copied is half of something: look again. */
        TORN(-1);

        private final int code;

        Kind(int code) {
            this.code = code;
        }

        private static Kind of(int code) {
            for (Kind kind : values()) {
                if (kind.code == code) {
                    return kind;
                }
            }
            return TORN;
        }
    }

    private final int keyRoom;
    private final byte[] bytes;
    private final ByteBuffer view;
    private final CRC32C sum = new CRC32C();

    Bucket(TableShape shape) {
        keyRoom = shape.maxKey();
        bytes = new byte[shape.bucketSize()];
        view = ByteBuffer.wrap(bytes);
    }

    /** Copies a bucket. */
    Bucket load(MemorySegment table, long offset) {
        MemorySegment.copy(table, ValueLayout.JAVA_BYTE, offset, bytes, 0, bytes.length);
        return this;
    }

    Kind kind() {
        if (view.getLong(0) == 0) {
            return Kind.EMPTY;
        }
        Kind kind = Kind.of(bytes[KIND]);
        boolean possible =
                kind != Kind.EMPTY
                        && keyLength() <= keyRoom
                        && valueLength() <= bytes.length - HEADER - keyRoom;
        return possible && checksum(kind) == view.getInt(0) ? kind : Kind.TORN;
    }

    private int keyLength() {
        return bytes[KIND + 1] & 0xff;
    }

    private int valueLength() {
        return view.getShort(KIND + 2) & 0xffff;
    }

    private int checksum(Kind kind) {
        sum.reset();
        sum.update(bytes, KIND, HEADER - KIND);
        sum.update(bytes, HEADER, keyLength());
        if (kind != Kind.COUNTER) {
            sum.update(bytes, HEADER + keyRoom, valueLength());
        }
        return (int) sum.getValue();
    }

    boolean hasKey(byte[] key) {
        return Arrays.equals(bytes, HEADER, HEADER + keyLength(), key, 0, key.length);
    }

    byte[] value() {
        int start = HEADER + keyRoom;
        return Arrays.copyOfRange(bytes, start, start + valueLength());
    }

    /**
     * Writes a bucket that others may be reading: until the header is there, and it is the last,
     * what they copy does not fit its checksum.
     */
    void store(MemorySegment table, long offset, Kind kind, byte[] key, byte[] value) {
        bytes[KIND] = (byte) kind.code;
        bytes[KIND + 1] = (byte) key.length;
        view.putShort(KIND + 2, (short) value.length);
        view.put(HEADER, key).put(HEADER + keyRoom, value);
        view.putInt(0, checksum(kind));
        MemorySegment.copy(
                bytes,
                HEADER,
                table,
                ValueLayout.JAVA_BYTE,
                offset + HEADER,
                bytes.length - HEADER);
        HEADER_WORD.setRelease(table, offset, view.getLong(0));
    }

    /** Writes a header only: what follows it does not count any more. */
    void clear(MemorySegment table, long offset, Kind kind) {
        view.putLong(0, 0);
        if (kind == Kind.DELETED) {
            bytes[KIND] = (byte) kind.code;
            view.putInt(0, checksum(kind));
        }
        HEADER_WORD.setRelease(table, offset, view.getLong(0));
    }
}
