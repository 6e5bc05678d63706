package org.verbs4j.examples.kv;

import org.verbs4j.examples.kv.Bucket.Kind;

import java.lang.foreign.MemorySegment;

/**
 * The server's side of a table: open addressing over memory that clients read at any time. An entry
 * never moves, so that nobody can miss it while it does.
 *
 * <p>Belongs to one thread at a time; clients do not count.
 */
final class Table {
    private static final int NONE = -1;

    private final TableShape shape;
    private final MemorySegment memory;
    private final Bucket bucket;
    private int used;

    /**
     * @param memory zeros, of the shape's size, aligned to 8 bytes
     */
    Table(TableShape shape, MemorySegment memory) {
        this.shape = shape;
        this.memory = memory;
        this.bucket = new Bucket(shape);
    }

    TableShape shape() {
        return shape;
    }

    MemorySegment memory() {
        return memory;
    }

    /** Entries in it. */
    int used() {
        return used;
    }

    /**
     * Stores a value, a new one or in place of the one before.
     *
     * @return false when there is no room near the key's home
     */
    boolean put(byte[] key, byte[] value) {
        return store(Kind.VALUE, key, value);
    }

    /**
     * Makes a counter of 0, unless it is there.
     *
     * @return false when there is no room near the key's home
     */
    boolean count(byte[] key) {
        return find(key) != NONE || store(Kind.COUNTER, key, new byte[Long.BYTES]);
    }

    private boolean store(Kind kind, byte[] key, byte[] value) {
        int at = find(key);
        if (at == NONE) {
            at = free(key);
            if (at == NONE) {
                return false;
            }
            used++;
        }
        bucket.store(memory, shape.offset(at), kind, key, value);
        return true;
    }

    /**
     * Takes an entry out.
     *
     * @return false when it was not there
     */
    boolean delete(byte[] key) {
        int at = find(key);
        if (at == NONE) {
            return false;
        }
        used--;
        if (kind(shape.after(at, 1)) == Kind.EMPTY) {
            clear(at);
        } else { // somebody's way leads on from here
            bucket.clear(memory, shape.offset(at), Kind.DELETED);
        }
        return true;
    }

    /** Empties a bucket at the end of all ways, and those before it that nobody needs either. */
    private void clear(int last) {
        int at = last;
        do {
            bucket.clear(memory, shape.offset(at), Kind.EMPTY);
            at = shape.after(at, -1);
        } while (kind(at) == Kind.DELETED);
    }

    private int find(byte[] key) {
        int home = shape.home(key);
        for (int i = 0; i < TableShape.PROBES; i++) {
            int at = shape.after(home, i);
            switch (kind(at)) {
                case EMPTY -> {
                    return NONE;
                }
                case VALUE, COUNTER -> {
                    if (bucket.hasKey(key)) {
                        return at;
                    }
                }
                default -> {} // look further
            }
        }
        return NONE;
    }

    private int free(byte[] key) {
        int home = shape.home(key);
        for (int i = 0; i < TableShape.PROBES; i++) {
            int at = shape.after(home, i);
            Kind kind = kind(at);
            if (kind == Kind.EMPTY || kind == Kind.DELETED) {
                return at;
            }
        }
        return NONE;
    }

    private Kind kind(int at) {
        return bucket.load(memory, shape.offset(at)).kind();
    }
}
