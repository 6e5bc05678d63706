package org.verbs4j.examples;

import org.verbs4j.Access;
import org.verbs4j.CompletionChannel;
import org.verbs4j.CompletionQueue;
import org.verbs4j.DeviceContext;
import org.verbs4j.MemoryRegion;
import org.verbs4j.ProtectionDomain;
import org.verbs4j.RcQueuePair;
import org.verbs4j.WorkCompletions;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.time.Duration;

/**
 * What {@link RdmaServer} and {@link RdmaClient} have: one message of 16 bytes each way, inline
 * where the device can. Belongs to one thread.
 */
final class OneMessage implements AutoCloseable {
    static final int PORT = 7471;

    private static final int SIZE = 16;
    private static final Duration SILENCE_LIMIT = Duration.ofSeconds(30);

    private final ProtectionDomain domain;
    private final CompletionChannel channel;
    private final CompletionQueue sends;
    private final CompletionQueue receives;
    private final RcQueuePair pair;
    private final MemoryRegion memory;
    private final WorkCompletions completion = WorkCompletions.allocate(1);

    OneMessage(DeviceContext context) {
        domain = context.newProtectionDomain();
        channel = context.newCompletionChannel();
        sends = context.newCompletionQueue(1, channel, 0);
        receives = context.newCompletionQueue(1, channel, 0);
        pair =
                domain.newRcQueuePair(sends, receives)
                        .maxSendRequests(1)
                        .maxReceiveRequests(1)
                        .maxInlineData(SIZE)
                        .signalAll(true)
                        .build();
        memory = domain.allocate(2 * SIZE, Access.LOCAL_WRITE);
        pair.post(pair.newReceive().into(memory, SIZE, SIZE));
    }

    static InetSocketAddress address(String host, int port) {
        try {
            return new InetSocketAddress(InetAddress.getByName(host), port);
        } catch (UnknownHostException e) {
            throw new ToolFailure("rdma_getaddrinfo: Name or service not known: " + host, e);
        }
    }

    RcQueuePair pair() {
        return pair;
    }

    private boolean isInline() {
        return pair.maxInlineData() >= SIZE;
    }

    void sayIfNotInline(Tool tool, String name) {
        if (!isInline()) {
            tool.print(name + ": device doesn't support IBV_SEND_INLINE, using sge sends");
        }
    }

    void send() {
        pair.post(pair.newSend().from(memory, 0, SIZE).inline(isInline()));
    }

    void awaitSend() throws InterruptedException {
        await(sends);
    }

    void awaitReceive() throws InterruptedException {
        await(receives);
    }

    private void await(CompletionQueue queue) throws InterruptedException {
        Duration limit = TimeLimits.scaled(SILENCE_LIMIT);
        if (queue.await(completion, limit) == 0) {
            throw new ToolFailure("the peer has been silent for " + TimeLimits.text(limit));
        }
        completion.get(0).requireSuccess();
    }

    @Override
    public void close() {
        pair.close();
        memory.close();
        receives.close();
        sends.close();
        channel.close();
        domain.close();
    }
}
