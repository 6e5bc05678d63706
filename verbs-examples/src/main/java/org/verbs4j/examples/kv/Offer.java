package org.verbs4j.examples.kv;

import org.verbs4j.RemoteBuffer;
import org.verbs4j.examples.ToolFailure;

import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;

/**
 * What a server tells each client when it accepts the connection: where its tables are, and how
 * they are laid out. The client greets by the {@link #MAGIC} alone.
 *
 * <pre>
 *  0        4         8        12         16                 36                68
 *  +--------+---------+--------+----------+------------------+------//---------+
 *  | "VKV1" | buckets | maxKey | maxValue | RemoteBuffer     | the same of the |
 *  |        |         of the values         of the values    | counters        |  big-endian
 *  +--------+---------+--------+----------+------------------+------//---------+
 * </pre>
 *
 * @param values the key permits reading only
 * @param counters the key permits reading and atomics
 */
record Offer(Place values, Place counters) {
    static final int ENCODED_LENGTH = Integer.BYTES + 2 * Place.ENCODED_LENGTH;

    /** Another format of tables or messages has another one. */
    private static final int MAGIC = 0x564b5631;

    /** A table and where it is. */
    record Place(TableShape shape, RemoteBuffer memory) {
        static final int ENCODED_LENGTH = 3 * Integer.BYTES + RemoteBuffer.ENCODED_LENGTH;

        /** Refuses a table that is not all there: a client would read beyond it. */
        Place {
            if (memory.length() != shape.byteSize()) {
                throw new ToolFailure(
                        "the server offers %d bytes for a table of %d"
                                .formatted(memory.length(), shape.byteSize()));
            }
        }

        private void encode(ByteBuffer target) {
            target.putInt(shape.buckets()).putInt(shape.maxKey()).putInt(shape.maxValue());
            memory.encode(target);
        }

        private static Place decode(ByteBuffer source) {
            TableShape shape = new TableShape(source.getInt(), source.getInt(), source.getInt());
            return new Place(shape, RemoteBuffer.decode(source));
        }
    }

    ByteBuffer encode() {
        ByteBuffer target = ByteBuffer.allocate(ENCODED_LENGTH).putInt(MAGIC);
        values.encode(target);
        counters.encode(target);
        return target.flip();
    }

    /**
     * @param source private data of the acceptance
     * @param peer for a sentence about one that is no server of this kind
     */
    static Offer decode(ByteBuffer source, String peer) {
        if (!isGreeting(source)) {
            throw new ToolFailure(peer + " is not a kv-server of this version");
        }
        try {
            source.getInt();
            return new Offer(Place.decode(source), Place.decode(source));
        } catch (BufferUnderflowException | IllegalArgumentException e) {
            throw new ToolFailure(peer + " is not a kv-server of this version", e);
        }
    }

    /** What a client sends with its request. */
    static ByteBuffer greeting() {
        return ByteBuffer.allocate(Integer.BYTES).putInt(MAGIC).flip();
    }

    /** Whether a client of this kind is asking, or a server answering. */
    static boolean isGreeting(ByteBuffer privateData) {
        return privateData.remaining() >= Integer.BYTES
                && privateData.getInt(privateData.position()) == MAGIC;
    }
}
