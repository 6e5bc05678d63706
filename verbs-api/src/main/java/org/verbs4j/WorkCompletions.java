package org.verbs4j;
/** A reusable array of {@code ibv_wc} and one flyweight over it. Not thread-safe. */
public final class WorkCompletions {
    WorkCompletions() { }
    public static native WorkCompletions allocate(int capacity);
    public native int capacity();
    public native int size();
    /** Moves the one flyweight to {@code index}; valid until the next call or poll. */
    public native WorkCompletion get(int index);
}
