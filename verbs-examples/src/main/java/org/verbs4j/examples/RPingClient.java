package org.verbs4j.examples;

import org.verbs4j.cm.Connection;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.charset.StandardCharsets;

/**
 * The client of {@link RPing}: offers its data to be read, then its sink to be written to, and
 * compares. Belongs to one thread.
 */
final class RPingClient {
    private static final int FIRST = 'A';
    private static final int LAST = 'z';

    private final RPing tool;
    private final RPingEnd end;
    private final Connection connection;

    RPingClient(RPing tool, RPingEnd end, Connection connection) {
        this.tool = tool;
        this.end = end;
        this.connection = connection;
    }

    /**
     * Pings.
     *
     * @param count 0 is for ever
     * @return false when the server has ended the connection before
     */
    boolean run(int size, int count) throws InterruptedException {
        int first = FIRST;
        for (int ping = 0; count == 0 || ping < count; ping++) {
            fill(ping, size, first);
            first = next(first);
            end.offer(end.start(), size);
            if (!end.awaitMessage(connection)) {
                return false;
            }
            end.offer(end.sink(), size);
            if (!end.awaitMessage(connection)) {
                return false;
            }
            check(size);
        }
        return true;
    }

    private void fill(int ping, int size, int first) {
        MemorySegment data = end.start().segment();
        byte[] head = ("rdma-ping-" + ping + ": ").getBytes(StandardCharsets.US_ASCII);
        MemorySegment.copy(head, 0, data, ValueLayout.JAVA_BYTE, 0, head.length);
        int letter = first;
        for (int i = head.length; i < size; i++) {
            data.set(ValueLayout.JAVA_BYTE, i, (byte) letter);
            letter = next(letter);
        }
        data.set(ValueLayout.JAVA_BYTE, size - 1L, (byte) 0);
    }

    private static int next(int letter) {
        return letter == LAST ? FIRST : letter + 1;
    }

    private void check(int size) {
        MemorySegment sent = end.start().segment().asSlice(0, size);
        MemorySegment returned = end.sink().segment().asSlice(0, size);
        if (tool.validates() && sent.mismatch(returned) >= 0) {
            throw new ToolFailure("data mismatch!");
        }
        if (tool.verbose()) {
            tool.print("ping data: " + returned.getString(0, StandardCharsets.US_ASCII));
        }
    }
}
