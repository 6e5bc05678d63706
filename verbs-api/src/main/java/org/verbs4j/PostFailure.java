package org.verbs4j;

import org.verbs4j.bindings.Posix;

/** Why a request was not accepted: found out only after the provider has refused it. */
final class PostFailure {
    private static final String SEND = "ibv_post_send";
    private static final String RECEIVE = "ibv_post_recv";
    private static final int UNKNOWN = -1;

    private PostFailure() {}

    /** Providers say ENOMEM, a few EAGAIN. */
    static boolean isFull(int errno) {
        return errno == Posix.ENOMEM() || errno == Posix.EAGAIN();
    }

    static PostException of(QueuePair pair, SendRequest request, int errno, long bad) {
        return of(pair, request, errno, bad == 0 ? UNKNOWN : 0);
    }

    static PostException of(QueuePair pair, ReceiveRequest request, int errno, long bad) {
        return of(pair, request, errno, bad == 0 ? UNKNOWN : 0);
    }

    static PostException of(QueuePair pair, SendRequest request, int errno, int accepted) {
        String why;
        if (isFull(errno)) {
            why = fullSend(pair);
        } else if (request.isInline() && request.length() > pair.maxInlineData()) {
            why =
                    request
                            + " is inline, which "
                            + pair
                            + " can up to "
                            + pair.maxInlineData()
                            + " bytes: build it with a larger maxInlineData, or send it from a"
                            + " region";
        } else {
            why = pair + " refuses " + request;
        }
        return new PostException(SEND, errno, accepted, why + unknown(accepted));
    }

    static PostException of(QueuePair pair, ReceiveRequest request, int errno, int accepted) {
        String why = isFull(errno) ? fullReceive(pair) : pair + " refuses " + request;
        return new PostException(RECEIVE, errno, accepted, why + unknown(accepted));
    }

    static PostException full(QueuePair pair, int size, int accepted, boolean send) {
        return new PostException(
                send ? SEND : RECEIVE,
                Posix.ENOMEM(),
                accepted,
                accepted
                        + " of "
                        + size
                        + " requests were accepted, then "
                        + (send ? fullSend(pair) : fullReceive(pair)));
    }

    static String fullSend(QueuePair pair) {
        return "the send queue of "
                + pair
                + " is full with "
                + pair.maxSendRequests()
                + " requests: poll completions; requests that are not signaled keep their place"
                + " until a later signaled one has completed";
    }

    private static String fullReceive(QueuePair pair) {
        return "the receive queue of "
                + pair
                + " is full with "
                + pair.maxReceiveRequests()
                + " requests: poll completions, or build it with a larger maxReceiveRequests";
    }

    private static String unknown(int accepted) {
        return accepted == UNKNOWN
                ? "; the provider does not say which request it was, so reset the queue pair"
                : "";
    }
}
