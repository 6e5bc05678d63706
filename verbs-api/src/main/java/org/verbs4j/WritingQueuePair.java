package org.verbs4j;

/** The sending side of a connection: it can write, bind and invalidate beside sending. */
abstract sealed class WritingQueuePair extends ConnectedQueuePair
        permits ReliableQueuePair, UcQueuePair {
    WritingQueuePair(QueuePairSetup setup) {
        super(setup);
    }

    /** A write request, to be filled in. */
    public final Write newWrite() {
        requireSends();
        return new Write(this);
    }

    /** A request that binds a memory window of type 2, to be filled in. */
    public final BindWindow newBindWindow() {
        requireSends();
        return new BindWindow(this);
    }

    /** A request that takes a key of this side back, to be filled in. */
    public final LocalInvalidate newLocalInvalidate() {
        requireSends();
        return new LocalInvalidate(this);
    }
}
