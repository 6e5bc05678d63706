package org.verbs4j.examples;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/**
 * The TCP side of {@code ibv_xsrq_pingpong}, of one client. The connection stays open while
 * messages go to and fro, so that nobody closes a queue that another still sends to.
 *
 * <pre>
 *   client                                     server
 *     |-- 66 bytes: its endpoint --------------->|
 *     |<-------------- 66 bytes: its endpoint ---|
 *     |            both connect, play            |
 *     |-- "END\0" ------------------------------>|
 *     |              once all clients have ended |
 *     |<----------------------------- "END\0" ---|
 * </pre>
 */
final class XrcExchange implements AutoCloseable {
    private static final byte[] END = "END\0".getBytes(StandardCharsets.US_ASCII);

    private final PeerConnection peer;

    XrcExchange(PeerConnection peer) {
        this.peer = peer;
    }

    void send(XrcEndpoint local) {
        peer.write(local.encode());
    }

    XrcEndpoint receive() {
        return peer.read(1, XrcEndpoint.ENCODED_LENGTH, XrcEndpoint::decode).getFirst();
    }

    void sendEnd() {
        peer.write(END);
    }

    void receiveEnd() {
        if (!Arrays.equals(peer.read(END.length), END)) {
            throw new ToolFailure(peer.peer() + " did not end the game with \"END\"");
        }
    }

    @Override
    public void close() {
        peer.close();
    }
}
