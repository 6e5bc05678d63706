package org.verbs4j;
import java.lang.foreign.MemorySegment;
/** Hot methods are final here: a call site never dispatches on the queue pair's type. */
public abstract sealed class QueuePair implements AutoCloseable permits RcQueuePair {
    QueuePair() { }
    public final native int number();
    public final native QueuePairState state();
    public final native QueuePairState queryState();
    public final native QueuePairEndpoint endpoint();
    public final native int maxInlineData();
    public final native int maxSendRequests();
    public final native int maxReceiveRequests();
    public final native int maxSendSge();
    public final native int maxReceiveSge();

    public final native void post(SendRequest request);
    public final native boolean offer(SendRequest request);
    public final native void post(SendBatch batch);
    public final native int offer(SendBatch batch);
    public final native void post(ReceiveRequest request);
    public final native boolean offer(ReceiveRequest request);
    public final native void post(ReceiveBatch batch);
    public final native int offer(ReceiveBatch batch);

    public final native Send newSend();
    public final native ReceiveRequest newReceive();
    public final native SendBatch newSendBatch(int capacity);
    public final native ReceiveBatch newReceiveBatch(int capacity);

    public final native void modify(QueuePairAttributes attributes);
    public final native QueuePairAttributes query();
    public final native void moveToError();
    public final native void reset();
    public final native MemorySegment handle();
    @Override public final native void close();

    /** Options every type has; what a type cannot do without is a parameter of the method that made the builder. */
    public abstract static sealed class Builder<B extends Builder<B>>
            permits RcQueuePair.Builder {
        Builder() { }
        public final native B port(int number);
        public final native B gid(GidEntry entry);
        public final native B gidIndex(int index);
        public final native B partitionKeyIndex(int index);
        public final native B packetSequence(int psn);
        public final native B maxSendRequests(int count);
        public final native B maxReceiveRequests(int count);
        public final native B maxSendSge(int count);
        public final native B maxReceiveSge(int count);
        public final native B maxInlineData(int bytes);
        public final native B signalAll(boolean all);
    }
}
