package org.verbs4j.examples.file;

import org.verbs4j.RemoteBuffer;

import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/**
 * A message of one side to the other.
 *
 * <pre>
 *  0        4         12                32       36
 *  +--------+---------+-----------------+--------+------//------+
 *  | kind   | number  | RemoteBuffer    | length | text, UTF-8  |  big-endian
 *  +--------+---------+-----------------+--------+------//------+
 * </pre>
 *
 * @param number what the kind says
 * @param room where to write, of {@link Kind#ROOM}
 * @param text what the kind says
 */
record Note(Kind kind, long number, RemoteBuffer room, String text) {
    static final int MAX_LENGTH = 1024;

    private static final int MAX_TEXT = 512;
    private static final RemoteBuffer NOWHERE = new RemoteBuffer(0, 0, 0);

    /** What it says. */
    enum Kind {
        /** Of the sender: the file's size and name. */
        FILE(1),
        /** Of the receiver: the part of the file from the number on goes into the buffer. */
        ROOM(2),
        /** Of the sender: all is written; the number is the checksum. */
        END(3),
        /** Of the receiver: all is stored. */
        DONE(4),
        /** Of either: it cannot go on, and the text says why. */
        FAILED(5);

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
            throw new IllegalArgumentException("a note of kind " + code);
        }
    }

    Note(Kind kind, long number, String text) {
        this(kind, number, NOWHERE, text);
    }

    /** Writes it at the position. */
    void encode(ByteBuffer target) {
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        target.putInt(kind.code).putLong(number);
        room.encode(target);
        byte[] kept = Arrays.copyOf(bytes, Math.min(bytes.length, MAX_TEXT));
        target.putInt(kept.length).put(kept);
    }

    /**
     * Reads what {@link #encode} wrote.
     *
     * @throws IllegalArgumentException when that is something else
     */
    static Note decode(ByteBuffer source) {
        try {
            Kind kind = Kind.of(source.getInt());
            long number = source.getLong();
            RemoteBuffer room = RemoteBuffer.decode(source);
            int length = source.getInt();
            if (length < 0 || length > source.remaining()) {
                throw new IllegalArgumentException("a note of " + length + " letters");
            }
            byte[] text = new byte[length];
            source.get(text);
            return new Note(kind, number, room, new String(text, StandardCharsets.UTF_8));
        } catch (BufferUnderflowException e) {
            throw new IllegalArgumentException("half a note", e);
        }
    }
}
