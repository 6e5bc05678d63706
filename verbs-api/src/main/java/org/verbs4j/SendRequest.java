package org.verbs4j;
import java.lang.foreign.MemorySegment;
/** One {@code ibv_send_wr} and its gather list off-heap: written once, changed in place, posted any number of times. */
public abstract sealed class SendRequest permits Send, Write, Read, CompareAndSwap, FetchAndAdd {
    SendRequest() { }
    public abstract SendRequest id(long id);
    public final native long id();
    public abstract SendRequest signaled(boolean signaled);
    public abstract SendRequest fenced(boolean fenced);
    public final native MemorySegment handle();
}
