package org.verbs4j.jmh;

import org.verbs4j.CompletionQueue;
import org.verbs4j.RcQueuePair;
import org.verbs4j.ReceiveRequest;
import org.verbs4j.Send;
import org.verbs4j.SendBatch;
import org.verbs4j.SendRequest;
import org.verbs4j.WorkCompletion;
import org.verbs4j.WorkCompletions;
import org.verbs4j.Write;

import java.util.stream.IntStream;

/** The operations of a real device as a program that uses {@code org.verbs4j} writes them. */
final class DeviceSlices {
    private final Loopback here;
    private final Loopback there;
    private final WorkCompletions one = WorkCompletions.allocate(1);
    private final WorkCompletions many = WorkCompletions.allocate(Loopback.DEPTH);

    /**
     * Requests are made on this end.
     *
     * @param there the other end of a ping-pong
     */
    DeviceSlices(Loopback here, Loopback there) {
        this.here = here;
        this.there = there;
    }

    Slice of(DeviceOperation operation) {
        return switch (operation) {
            case WRITE_8, WRITE_4K -> postToCompletion(write());
            case READ_8 ->
                    postToCompletion(
                            here.pair()
                                    .newRead()
                                    .from(here.remote(), 0)
                                    .into(here.region(), 0, here.length())
                                    .signaled(true));
            case FETCH_AND_ADD ->
                    postToCompletion(
                            here.pair()
                                    .newFetchAndAdd()
                                    .at(here.remote(), 0)
                                    .add(1)
                                    .into(here.region(), 0)
                                    .signaled(true));
            case PING_PONG -> pingPong();
            case RATE_1, RATE_16, RATE_128, BANDWIDTH_1, BANDWIDTH_16, BANDWIDTH_128 ->
                    stream(operation.depth(), operation.batch());
        };
    }

    private Write write() {
        return here.pair()
                .newWrite()
                .from(here.region(), 0, here.length())
                .to(here.remote(), 0)
                .signaled(true);
    }

    private WorkCompletion await(CompletionQueue queue) {
        while (queue.poll(one) == 0) {
            Thread.onSpinWait();
        }
        WorkCompletion completion = one.get(0);
        completion.requireSuccess();
        return completion;
    }

    private Slice postToCompletion(SendRequest request) {
        return operations -> {
            RcQueuePair pair = here.pair();
            CompletionQueue queue = here.queue();
            long sum = 0;
            for (int i = 0; i < operations; i++) {
                pair.post(request.id(i));
                sum += await(queue).wrId();
            }
            return sum;
        };
    }

    /** One end with what it needs to send and to receive. */
    private record End(RcQueuePair pair, CompletionQueue queue, Send send, ReceiveRequest receive) {
        static End of(Loopback loopback) {
            return new End(
                    loopback.pair(),
                    loopback.queue(),
                    loopback.pair()
                            .newSend()
                            .from(loopback.region(), 0, loopback.length())
                            .signaled(true),
                    loopback.pair()
                            .newReceive()
                            .into(loopback.region(), loopback.length(), loopback.length()));
        }
    }

    private Slice pingPong() {
        End first = End.of(here);
        End second = End.of(there);
        return operations -> {
            long sum = 0;
            for (int i = 0; i < operations; i += 2) {
                sum += half(first, second, i);
                sum += half(second, first, i + 1);
            }
            return sum;
        };
    }

    private long half(End from, End to, long id) {
        to.pair.post(to.receive.id(id));
        from.pair.post(from.send.id(id));
        await(from.queue);
        return await(to.queue).wrId();
    }

    private Slice stream(int depth, int size) {
        RcQueuePair pair = here.pair();
        CompletionQueue queue = here.queue();
        Write[] writes =
                IntStream.range(0, size)
                        .mapToObj(i -> write().signaled(i + 1 == size))
                        .toArray(Write[]::new);
        SendBatch batch = pair.newSendBatch(size);
        for (Write write : writes) {
            batch.add(write);
        }
        Write last = writes[size - 1];
        return operations -> {
            int posted = 0;
            int done = 0;
            long sum = 0;
            while (done < operations) {
                while (posted < operations && posted - done + size <= depth) {
                    last.id(posted);
                    pair.post(batch);
                    posted += size;
                }
                int count = queue.poll(many);
                for (int i = 0; i < count; i++) {
                    WorkCompletion completion = many.get(i);
                    completion.requireSuccess();
                    sum += completion.wrId();
                }
                done += count * size;
            }
            return sum;
        };
    }
}
