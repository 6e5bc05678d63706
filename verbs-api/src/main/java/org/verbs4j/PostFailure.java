package org.verbs4j;

import org.verbs4j.bindings.Posix;

/** Why a request was not accepted: found out only after the provider has refused it. */
final class PostFailure {
    private static final String SEND = "ibv_post_send";
    private static final int UNKNOWN = -1;

    private PostFailure() {}

    /** Providers say ENOMEM, a few EAGAIN. */
    static boolean isFull(int errno) {
        return errno == Posix.ENOMEM() || errno == Posix.EAGAIN();
    }

    static PostException of(QueuePair pair, SendRequest request, int errno, long bad) {
        return of(pair, request, errno, bad == 0 ? UNKNOWN : 0);
    }

    static PostException of(ReceiveQueue queue, ReceiveRequest request, int errno, long bad) {
        return of(queue, request, errno, bad == 0 ? UNKNOWN : 0);
    }

    static PostException of(QueuePair pair, SendRequest request, int errno, int accepted) {
        String why;
        if (isFull(errno)) {
            why = fullSend(pair, request);
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

    static PostException of(ReceiveQueue queue, ReceiveRequest request, int errno, int accepted) {
        String why = isFull(errno) ? fullReceive(queue) : queue + " refuses " + request;
        return new PostException(queue.receiveVerb(), errno, accepted, why + unknown(accepted));
    }

    static PostException full(QueuePair pair, SendBatch batch, int accepted) {
        return new PostException(
                SEND,
                Posix.ENOMEM(),
                accepted,
                some(accepted, batch.size()) + fullSend(pair, batch.get(accepted)));
    }

    static PostException full(ReceiveQueue queue, int size, int accepted) {
        return new PostException(
                queue.receiveVerb(),
                Posix.ENOMEM(),
                accepted,
                some(accepted, size) + fullReceive(queue));
    }

    private static String some(int accepted, int size) {
        return accepted + " of " + size + " requests were accepted, then ";
    }

    static String fullSend(QueuePair pair) {
        return "the send queue of "
                + pair
                + " is full with "
                + pair.maxSendRequests()
                + " requests: poll completions; requests that are not signaled keep their place"
                + " until a later signaled one has completed";
    }

    private static String fullSend(QueuePair pair, SendRequest refused) {
        String full = fullSend(pair);
        return refused.isSignaled() || pair.setup().signalAll()
                ? full
                : full
                        + ". This one is not signaled either: if none of those in the queue is, it"
                        + " stays full for ever, so signal one request in every "
                        + Math.max(1, pair.maxSendRequests() / 2)
                        + ", and reset this queue pair";
    }

    private static String fullReceive(ReceiveQueue queue) {
        return "the "
                + queue.receiveName()
                + " is full with "
                + queue.maxReceiveRequests()
                + " requests: poll completions, or make it with a larger maxReceiveRequests";
    }

    private static String unknown(int accepted) {
        return accepted == UNKNOWN
                ? "; the provider does not say which request it was, so reset the queue pair"
                : "";
    }
}
