package org.verbs4j;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
public final class CompletionChannel implements AutoCloseable {
    CompletionChannel() { }
    /** The queue whose notification fired, or null on time-out; acknowledgement is the library's. */
    public native @Nullable CompletionQueue await(Duration timeout) throws InterruptedException;
    public native int fileDescriptor();
    public native MemorySegment handle();
    @Override public native void close();
}
