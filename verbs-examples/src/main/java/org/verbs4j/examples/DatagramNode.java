package org.verbs4j.examples;

import org.jspecify.annotations.Nullable;
import org.verbs4j.Access;
import org.verbs4j.AddressHandle;
import org.verbs4j.CompletionChannel;
import org.verbs4j.CompletionQueue;
import org.verbs4j.DeviceContext;
import org.verbs4j.MemoryRegion;
import org.verbs4j.ProtectionDomain;
import org.verbs4j.QueuePairOption;
import org.verbs4j.Send;
import org.verbs4j.UdQueuePair;
import org.verbs4j.WorkCompletion;
import org.verbs4j.WorkCompletions;

import java.time.Duration;

/**
 * What {@link UdAddy} and {@link McKey} have for each connection: a queue pair for datagrams, and
 * one buffer that all of them are sent from and received into. Each carries the number of the
 * sender's queue pair. Belongs to one thread.
 */
final class DatagramNode implements AutoCloseable {
    private static final int HEADER = UdQueuePair.GLOBAL_ROUTING_HEADER_LENGTH;
    private static final Duration SILENCE_LIMIT = Duration.ofSeconds(60);

    private final int size;
    private final int count;
    private final ProtectionDomain domain;
    private final CompletionChannel channel;
    private final CompletionQueue queue;
    private final UdQueuePair pair;
    private final MemoryRegion memory;
    private final WorkCompletions completions = WorkCompletions.allocate(8);
    private @Nullable AddressHandle sender;
    private int senderNumber;

    DatagramNode(DeviceContext context, int size, int count, QueuePairOption... options) {
        this.size = size;
        this.count = count;
        domain = context.newProtectionDomain();
        channel = context.newCompletionChannel();
        queue = context.newCompletionQueue(Math.max(2, 2 * count), channel, 0);
        UdQueuePair.Builder builder =
                domain.newUdQueuePair(queue, queue)
                        .maxSendRequests(Math.max(1, count))
                        .maxReceiveRequests(Math.max(1, count));
        pair = (options.length == 0 ? builder : builder.options(options)).build();
        memory = domain.allocate(size + HEADER, Access.LOCAL_WRITE);
    }

    /** Refuses what would not arrive, as the C tools do. */
    static void requireFit(Tool tool, String name, DeviceContext context, int size, int count) {
        int mtu = context.activePort().attributes().activeMtu().bytes();
        if (count > 0 && size > mtu) {
            tool.print(
                    "%s: message_size %d is larger than active mtu %d".formatted(name, size, mtu));
            throw new ToolFailure("a datagram is one packet: choose a smaller size");
        }
    }

    UdQueuePair pair() {
        return pair;
    }

    ProtectionDomain domain() {
        return domain;
    }

    void postReceives() {
        for (int i = 0; i < count; i++) {
            pair.post(pair.newReceive().into(memory, 0, size + (long) HEADER));
        }
    }

    void send(AddressHandle way, int number, int key, boolean signaled) {
        Send send =
                pair.newSend()
                        .from(memory, 0, size)
                        .immediate(pair.number())
                        .signaled(signaled)
                        .to(way, number, key);
        for (int i = 0; i < count; i++) {
            pair.post(send);
        }
    }

    /** Answers to the one that the first datagram has come from. */
    void reply() {
        if (sender == null) {
            throw new ToolFailure("nothing has been received that could be replied to");
        }
        send(sender, senderNumber, pair.queueKey(), true);
    }

    /**
     * Waits for as many completions as there are messages.
     *
     * @param noteSender whether to be able to {@link #reply}; there is no way back from a group
     */
    void awaitAll(boolean noteSender) throws InterruptedException {
        Duration limit = TimeLimits.scaled(SILENCE_LIMIT);
        for (int done = 0; done < count; done += completions.size()) {
            if (queue.await(completions, limit) == 0) {
                throw new ToolFailure(
                        "%d of %d messages, then nothing for %s"
                                .formatted(done, count, TimeLimits.text(limit)));
            }
            for (int i = 0; i < completions.size(); i++) {
                take(completions.get(i), noteSender);
            }
        }
    }

    private void take(WorkCompletion completion, boolean noteSender) {
        completion.requireSuccess();
        if (noteSender && sender == null && completion.hasImmediate()) {
            sender =
                    domain.newAddressHandle(
                            domain.context().activePort(), completion, memory.segment());
            senderNumber = completion.immediate();
        }
    }

    @Override
    public void close() {
        if (sender != null) {
            sender.close();
        }
        pair.close();
        memory.close();
        queue.close();
        channel.close();
        domain.close();
    }
}
