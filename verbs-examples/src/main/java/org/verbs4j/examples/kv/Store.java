package org.verbs4j.examples.kv;

import com.sun.management.OperatingSystemMXBean;

import org.verbs4j.examples.kv.Answer.Status;
import org.verbs4j.examples.kv.Message.Operation;

import java.lang.foreign.Arena;
import java.lang.management.ManagementFactory;
import java.nio.ByteBuffer;

/**
 * The tables, and what becomes of a message. Nothing in here knows about RDMA.
 *
 * <p>Any thread may use it; one at a time has its turn.
 */
final class Store implements AutoCloseable {
    private static final OperatingSystemMXBean PROCESS =
            ManagementFactory.getPlatformMXBean(OperatingSystemMXBean.class);
    private static final long ALIGNMENT = 4096; // whole pages, which nothing else is on

    private final Arena arena = Arena.ofShared();
    private final Table values;
    private final Table counters;
    private long messages;

    /**
     * @param shape of the values
     * @param counters how many counters there is room for, a power of two
     */
    Store(TableShape shape, int counters) {
        this.values = table(shape);
        this.counters = table(new TableShape(counters, shape.maxKey(), Long.BYTES));
    }

    private Table table(TableShape shape) {
        return new Table(shape, arena.allocate(shape.byteSize(), ALIGNMENT));
    }

    Table values() {
        return values;
    }

    Table counters() {
        return counters;
    }

    /**
     * Does what a message asks for. Whatever a client has sent, the tables stay whole.
     *
     * @param received all of the message
     */
    synchronized Answer apply(ByteBuffer received) {
        messages++;
        int sequence = Message.sequence(received);
        Message message = Message.decode(received);
        if (message == null) {
            return answer(sequence, Status.REFUSED);
        }
        if (message.operation() == Operation.STATUS) {
            return new Answer(sequence, Status.DONE, messages, PROCESS.getProcessCpuTime());
        }
        return answer(sequence, apply(message));
    }

    private Answer answer(int sequence, Status status) {
        return new Answer(sequence, status, messages, 0);
    }

    private Status apply(Message message) {
        byte[] key = message.key();
        TableShape shape = values.shape();
        if (key.length == 0
                || key.length > shape.maxKey()
                || message.value().length > shape.maxValue()) {
            return Status.REFUSED;
        }
        return switch (message.operation()) {
            case PUT -> values.put(key, message.value()) ? Status.DONE : Status.FULL;
            case DELETE -> values.delete(key) ? Status.DONE : Status.ABSENT;
            case COUNT -> counters.count(key) ? Status.DONE : Status.FULL;
            case STATUS -> Status.REFUSED; // has been answered
        };
    }

    /** Frees the tables, which no device may know any more. */
    @Override
    public void close() {
        arena.close();
    }
}
