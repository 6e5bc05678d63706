package org.verbs4j;
import java.lang.foreign.MemorySegment;
public final class CompletionQueue implements AutoCloseable {
    CompletionQueue() { }
    public native int capacity();
    /** Fills {@code into} from index 0; returns how many, 0 when empty. One downcall, no allocation. */
    public native int poll(WorkCompletions into);
    public native int poll(WorkCompletions into, CompletionHandler handler);
    public native void requestNotification(boolean solicitedOnly);
    /** Poll, arm, poll again, wait: how many completions, 0 on time-out. */
    public native int await(WorkCompletions into, java.time.Duration timeout) throws InterruptedException;
    public native MemorySegment handle();
    @Override public native void close();
}
