package org.verbs4j;
import java.lang.foreign.MemorySegment;
public final class DeviceContext implements AutoCloseable {
    DeviceContext() { }
    public native Device device();
    public native DeviceAttributes attributes();
    public native Port port(int number);
    public native java.util.List<Port> ports();
    /** The first port that is ACTIVE. */
    public native Port activePort();
    public native int completionVectors();
    public native ProtectionDomain newProtectionDomain();
    public native CompletionChannel newCompletionChannel();
    public native CompletionQueue newCompletionQueue(int minCapacity);
    public native CompletionQueue newCompletionQueue(int minCapacity, CompletionChannel channel, int vector);
    /** Escape hatch: {@code struct ibv_context *}. */
    public native MemorySegment handle();
    @Override public native void close();
}
