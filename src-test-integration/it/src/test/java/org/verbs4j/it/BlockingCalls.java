package org.verbs4j.it;

import org.jspecify.annotations.Nullable;

import java.util.List;
import java.util.concurrent.Callable;

/** Every call of the API that waits, and how it is seen to end. */
final class BlockingCalls {
    private BlockingCalls() {}

    /** How a wait can end. */
    enum End {
        SUCCESS,
        FAILURE,
        TIME_OUT,
        INTERRUPT,
        CLOSE
    }

    /**
     * A call and what it comes to, as patterns of the text of what it returns or throws.
     *
     * @param name class and method
     * @param maker sets it up
     * @param success what it says when it succeeds
     * @param failure what it says when that goes wrong, null when nothing can
     * @param late what it says when time is over
     * @param removed what it says when the device is removed and rdma_cm tells so, null where it
     *     does not: then time must end it
     * @param whyNoFailure where failure is null
     */
    record Row(
            String name,
            Callable<BlockingCall> maker,
            String success,
            @Nullable String failure,
            String late,
            @Nullable String removed,
            String whyNoFailure) {
        /** A lookup is no object: who gives it up interrupts. */
        boolean has(End end) {
            return switch (end) {
                case FAILURE -> failure != null;
                case CLOSE -> !name.equals("AddressInfo.find");
                case SUCCESS, TIME_OUT, INTERRUPT -> true;
            };
        }

        @Override
        public String toString() {
            return name;
        }
    }

    private static final String LATE = ".*ConnectionException: .*has not answered within 200 ms.*";
    private static final String REMOVED =
            ".*ConnectionException: .*the RDMA device is being removed.*";

    /** The peer is on the same device: its end may be heard of first. */
    private static final String REMOVED_WITH_PEER =
            ".*ConnectionException: .*(the RDMA device is being removed|rejected).*";

    private static Row row(
            String name,
            Callable<BlockingCall> maker,
            String success,
            String failure,
            String late,
            @Nullable String removed) {
        return new Row(name, maker, success, failure, late, removed, "");
    }

    private static Row withoutFailure(
            String name,
            Callable<BlockingCall> maker,
            String success,
            String late,
            @Nullable String removed,
            String why) {
        return new Row(name, maker, success, null, late, removed, why);
    }

    static final List<Row> ALL =
            List.of(
                    row(
                            "EventChannel.await",
                            ConnectionCalls.AwaitEvent::new,
                            "AddressResolved.*",
                            "Failed.*reason=ADDRESS.*",
                            "null",
                            "DeviceRemoved.*"),
                    withoutFailure(
                            "Listener.accept",
                            ConnectionCalls.Accept::new,
                            "request",
                            "null",
                            REMOVED,
                            "the removal of the device, see removed"),
                    withoutFailure(
                            "DatagramListener.accept",
                            DatagramCalls.Accept::new,
                            "request",
                            "null",
                            REMOVED,
                            "the removal of the device, see removed"),
                    withoutFailure(
                            "Connector.resolve",
                            ConnectionCalls.Resolve::new,
                            "resolved",
                            ".*ConnectionException.*",
                            null,
                            "what does not fail at once is tried until time is over"),
                    withoutFailure(
                            "DatagramConnector.resolve",
                            DatagramCalls.Resolve::new,
                            "resolved",
                            ".*ConnectionException.*",
                            null,
                            "what does not fail at once is tried until time is over"),
                    row(
                            "Connector.connect",
                            ConnectionCalls.Connect::new,
                            "connected",
                            ".*ConnectionException: .*rejected.*",
                            LATE,
                            REMOVED_WITH_PEER),
                    row(
                            "DatagramConnector.connect",
                            DatagramCalls.Connect::new,
                            "connected",
                            ".*ConnectionException: .*rejected.*",
                            LATE,
                            REMOVED_WITH_PEER),
                    row(
                            "ConnectionRequest.accept",
                            ConnectionCalls.AcceptRequest::new,
                            "accepted",
                            ".*ConnectionException: .*rejected.*",
                            LATE,
                            REMOVED_WITH_PEER),
                    withoutFailure(
                            "Connection.awaitDisconnect",
                            ConnectionCalls.AwaitDisconnect::new,
                            "true",
                            "false",
                            "true",
                            "a lost peer is an end of the connection"),
                    withoutFailure(
                            "Reconnector.connection",
                            ConnectionCalls.Reconnect::new,
                            "connected",
                            ".*ConnectionException: .*nobody listens.*",
                            ".*ConnectionException.*",
                            "attempts are repeated; the last failure is that of the time-out"),
                    row(
                            "AddressInfo.find",
                            AddressCalls.Find::new,
                            ".*destination=/10\\.77\\.0\\.1.*",
                            ".*ConnectionException: .*Name or service not known.*",
                            ".*ConnectionException: .*no answer within 200 ms.*",
                            null),
                    row(
                            "CompletionQueue.await",
                            CompletionCalls.AwaitCompletion::new,
                            "1 SUCCESS",
                            "1 FLUSHED",
                            "0",
                            null),
                    row(
                            "ExtendedCompletionQueue.await",
                            CompletionCalls.AwaitExtendedCompletion::new,
                            "1 SUCCESS",
                            "1 FLUSHED",
                            "0",
                            null),
                    row(
                            "CompletionChannel.await",
                            CompletionCalls.AwaitNotification::new,
                            "the queue, SUCCESS",
                            "the queue, FLUSHED",
                            "null",
                            null),
                    row(
                            "DeviceContext.awaitAsyncEvent",
                            CompletionCalls.AwaitAsyncEvent::new,
                            "QueuePairEvent.*SEND_QUEUE_DRAINED.*",
                            "CompletionQueueError.*",
                            "null",
                            null));
}
