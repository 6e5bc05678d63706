package org.verbs4j;
public final class RcQueuePair extends QueuePair {
    RcQueuePair() { }
    public native void connect(QueuePairEndpoint remote);
    public native void connect(QueuePairEndpoint remote, ConnectOptions options);
    public native void moveToInit(Access... remoteAccess);
    public native void moveToReadyToReceive(QueuePairEndpoint remote, ConnectOptions options);
    public native void moveToReadyToSend(ConnectOptions options);
    public native Write newWrite();
    public native Read newRead();
    public native CompareAndSwap newCompareAndSwap();
    public native FetchAndAdd newFetchAndAdd();
    public static final class Builder extends QueuePair.Builder<Builder> {
        Builder() { }
        public native Builder remoteAccess(Access... access);
        public native RcQueuePair build();
    }
}
