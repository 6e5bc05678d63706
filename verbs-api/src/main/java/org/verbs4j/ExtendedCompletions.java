package org.verbs4j;

import org.jspecify.annotations.Nullable;

import java.util.Objects;

/**
 * Completions that {@link ExtendedCompletionQueue#poll} has copied between {@code ibv_start_poll}
 * and {@code ibv_end_poll}, with one view that moves over them. Belongs to the thread that polls.
 * Allocates nothing after it was made.
 *
 * <pre>
 *   | wr_id | status | opcode | vendor_err | wc_flags | one per bit of wc_flags ... | tag | tag's private data |
 * </pre>
 */
public final class ExtendedCompletions {
    static final int WR_ID = 0;
    static final int STATUS = 1;
    static final int OPCODE = 2;
    static final int VENDOR_ERROR = 3;
    static final int FLAGS = 4;
    static final int FIELDS = 5;
    private static final int TAG_DATA = FIELDS + Integer.SIZE;
    private static final int ROW = TAG_DATA + 1;

    private final long[] values;
    private final int capacity;
    private final ExtendedCompletion view = new ExtendedCompletion(this);
    private int size;
    private @Nullable CompletionQueue source;

    /** The fields that the queue polled last has. */
    private int mask;

    private ExtendedCompletions(int capacity) {
        this.capacity = capacity;
        this.values = new long[capacity * ROW];
    }

    /**
     * Room for completions.
     *
     * @param capacity how many, 1 to 65536
     */
    public static ExtendedCompletions allocate(int capacity) {
        return new ExtendedCompletions(Arguments.range("capacity", capacity, 1, 1 << 16));
    }

    /** How many completions fit. */
    public int capacity() {
        return capacity;
    }

    /** How many the last poll took. */
    public int size() {
        return size;
    }

    /**
     * The view, moved to one completion; it is the same object each time.
     *
     * @param index from 0 to {@link #size()} - 1
     * @throws IndexOutOfBoundsException when there is none
     */
    public ExtendedCompletion get(int index) {
        view.moveTo(Objects.checkIndex(index, size));
        return view;
    }

    void begin(CompletionQueue queue, int fields) {
        size = 0;
        mask = fields;
        if (source != queue) { // storing a reference costs a barrier of the collector
            source = queue;
        }
    }

    /** The queue that was polled last. */
    @Nullable CompletionQueue source() {
        return source;
    }

    /** The index of a new row. */
    int add() {
        return size++;
    }

    boolean isFull() {
        return size == capacity;
    }

    void set(int row, int column, long value) {
        values[row * ROW + column] = value;
    }

    void set(int row, CompletionField field, long value) {
        set(row, FIELDS + field.column(), value);
    }

    void setTagData(int row, long value) {
        set(row, TAG_DATA, value);
    }

    long value(int row, int column) {
        return values[row * ROW + column];
    }

    long value(int row, CompletionField field) {
        if ((mask & field.bit()) == 0) {
            throw new IllegalStateException(
                    field
                            + " was not asked for when the queue was made: give it to"
                            + " ExtendedCompletionQueue.Builder.fields");
        }
        return value(row, FIELDS + field.column());
    }

    long tagData(int row) {
        return value(row, TAG_DATA);
    }
}
