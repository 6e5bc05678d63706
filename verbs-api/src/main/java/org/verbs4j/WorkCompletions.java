package org.verbs4j;

import org.jspecify.annotations.Nullable;
import org.verbs4j.bindings.ibv_wc;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.Objects;

/**
 * Room for completions, an array of {@code struct ibv_wc}, and one view that is moved over it.
 *
 * <p>Belongs to one thread at a time: the view and the array are overwritten by the next poll. Make
 * it once and poll into it for ever; its memory lives as long as the object, so there is nothing to
 * close and nothing to close too early.
 */
public final class WorkCompletions {
    private static final int MOST = 1 << 20;
    private static final long CACHE_LINE = 64;

    private final long address;
    private final int capacity;
    private final WorkCompletion view;

    /** Keeps the memory from being freed. */
    @SuppressWarnings("unused") // by the collector only
    private final MemorySegment memory;

    private int size;

    /** What was polled last; only for completions that failed. */
    private @Nullable CompletionQueue source;

    private WorkCompletions(int capacity) {
        this.memory = Arena.ofAuto().allocate(ibv_wc.sizeof() * capacity, CACHE_LINE);
        this.address = memory.address();
        this.capacity = capacity;
        this.view = new WorkCompletion(this, memory);
    }

    /**
     * Makes room for completions.
     *
     * @param capacity the most that one poll takes, from 1
     */
    public static WorkCompletions allocate(int capacity) {
        return new WorkCompletions(Arguments.range("capacity", capacity, 1, MOST));
    }

    /** The most that one poll takes. */
    public int capacity() {
        return capacity;
    }

    /** How many the last poll took. */
    public int size() {
        return size;
    }

    /**
     * Moves the view.
     *
     * @param index from 0 to {@link #size()} - 1
     * @return always the same object, valid until the next call and the next poll
     * @throws IndexOutOfBoundsException when the last poll took fewer
     */
    public WorkCompletion get(int index) {
        view.moveTo(address + Objects.checkIndex(index, size) * ibv_wc.sizeof());
        return view;
    }

    long address() {
        return address;
    }

    void size(int taken) {
        this.size = taken;
    }

    /** Takes note of a poll. */
    void taken(CompletionQueue queue, int count) {
        if (source != queue) { // storing a reference costs a barrier of the collector
            source = queue;
        }
        size = count;
    }

    /** What was polled last, null before the first poll. */
    @Nullable CompletionQueue source() {
        return source;
    }
}
