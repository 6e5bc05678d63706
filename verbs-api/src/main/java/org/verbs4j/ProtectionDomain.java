package org.verbs4j;
import java.lang.foreign.MemorySegment;
public final class ProtectionDomain implements AutoCloseable {
    ProtectionDomain() { }
    public native DeviceContext context();
    /** Allocates page-aligned zeroed memory owned by the region: deregistered first, freed second. */
    public native MemoryRegion allocate(long byteSize, Access... access);
    /** Registers memory the caller owns; the segment's arena must outlive the region. */
    public native MemoryRegion register(MemorySegment segment, Access... access);
    public native RcQueuePair.Builder newRcQueuePair(CompletionQueue sendQueue, CompletionQueue receiveQueue);
    public native MemorySegment handle();
    @Override public native void close();
}
