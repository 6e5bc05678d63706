package org.verbs4j.examples;

import org.verbs4j.cm.Connection;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.charset.StandardCharsets;

/**
 * The server of {@link RPing}: reads what the client offers and writes it back where the client
 * offers room. Belongs to one thread.
 */
final class RPingServer {
    private final RPing tool;
    private final RPingEnd end;
    private final Connection connection;

    RPingServer(RPing tool, RPingEnd end, Connection connection) {
        this.tool = tool;
        this.end = end;
        this.connection = connection;
    }

    /** Serves until the client disconnects between two pings. */
    void run() throws InterruptedException {
        while (end.awaitMessage(connection)) {
            tool.debug("server received sink adv");
            end.read(requireFit(end.offeredSize()));
            requireStill(end.awaitTransfer(connection));
            if (tool.verbose()) {
                tool.print("server ping data: " + text());
            }
            end.goAhead();
            requireStill(end.awaitMessage(connection));
            end.write(text().length() + 1);
            requireStill(end.awaitTransfer(connection));
            end.goAhead();
        }
    }

    private static int requireFit(int size) {
        if (size < 1 || size > RPingEnd.LARGEST) {
            throw new ToolFailure("the client offers " + Integer.toUnsignedString(size) + " bytes");
        }
        return size;
    }

    private static void requireStill(boolean connected) {
        if (!connected) {
            throw new ToolFailure("the client has disconnected in the middle of a ping");
        }
    }

    /**
     * ASCII, so that its length is that of its bytes; ended by a zero here if not by the client.
     */
    private String text() {
        MemorySegment data = end.sink().segment();
        data.set(ValueLayout.JAVA_BYTE, RPingEnd.LARGEST, (byte) 0);
        return data.getString(0, StandardCharsets.ISO_8859_1);
    }
}
