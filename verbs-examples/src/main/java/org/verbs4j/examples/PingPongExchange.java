package org.verbs4j.examples;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.function.Consumer;

/**
 * The TCP side of the C ping-pongs: the endpoints of both sides cross, and the server's queue pairs
 * can receive before the client learns their numbers.
 *
 * <pre>
 *   client                                     server
 *     |-- 52 bytes for each endpoint ----------->|
 *     |                                          | moves its queue pairs to RTR and RTS
 *     |<---------- 52 bytes for each endpoint ---|
 *     |-- "done\0" ----------------------------->|
 *   close                                      close
 *     | moves its queue pairs to RTR and RTS
 *     |== first SEND ===========================>|
 * </pre>
 *
 * Receives are posted before any of this. Both sides always send the same number of records: 1, or
 * {@value #SHARED} when a receive queue is shared, of which those that no queue pair is behind are
 * zero.
 */
final class PingPongExchange {
    /** Records of {@code ibv_srq_pingpong}, however many queue pairs it has. */
    static final int SHARED = 256;

    private static final byte[] DONE = "done\0".getBytes(StandardCharsets.US_ASCII);

    private final PeerPort port;
    private final int records;

    /**
     * @param records endpoints that cross in each direction
     */
    PingPongExchange(PeerPort port, int records) {
        this.port = port;
        this.records = records;
    }

    /**
     * Meets the server.
     *
     * @param local at most as many as there are records
     * @return what the server has, as many
     * @throws ToolFailure when that does not come about
     */
    List<PingPongEndpoint> asClient(String host, List<PingPongEndpoint> local) {
        try (PeerConnection server = port.connect(host)) {
            server.write(encode(local));
            List<PingPongEndpoint> remote = readEndpoints(server, local.size());
            server.write(DONE);
            return remote;
        }
    }

    /**
     * Waits for the one client.
     *
     * @param local at most as many as there are records
     * @param connect brings the queue pairs to RTS with what the client has; runs before the client
     *     gets an answer
     * @return what the client has, as many
     * @throws ToolFailure when that does not come about
     */
    List<PingPongEndpoint> asServer(
            List<PingPongEndpoint> local,
            Duration acceptLimit,
            Consumer<List<PingPongEndpoint>> connect) {
        try (PeerConnection client = accept(acceptLimit)) {
            List<PingPongEndpoint> remote = readEndpoints(client, local.size());
            connect.accept(remote);
            client.write(encode(local));
            if (!Arrays.equals(client.read(DONE.length), DONE)) {
                throw new ToolFailure(client.peer() + " did not end the exchange with \"done\"");
            }
            return remote;
        }
    }

    /** One client, then the port is free again. */
    private PeerConnection accept(Duration limit) {
        try (PeerPort.Listener listener = port.listen()) {
            return listener.accept(limit);
        }
    }

    private byte[] encode(List<PingPongEndpoint> local) {
        byte[] bytes = new byte[records * PingPongEndpoint.ENCODED_LENGTH];
        for (int i = 0; i < records; i++) {
            byte[] record = (i < local.size() ? local.get(i) : PingPongEndpoint.NONE).encode();
            System.arraycopy(record, 0, bytes, i * record.length, record.length);
        }
        return bytes;
    }

    private List<PingPongEndpoint> readEndpoints(PeerConnection peer, int wanted) {
        List<PingPongEndpoint> all =
                peer.read(records, PingPongEndpoint.ENCODED_LENGTH, PingPongEndpoint::decode);
        long used = all.stream().takeWhile(end -> end.queuePairNumber() != 0).count();
        if (used != wanted) { // in C the queue pairs left over would wait for ever
            throw new ToolFailure(
                    "%s has %d queue pairs and this side %d: give both the same -q"
                            .formatted(peer.peer(), used, wanted));
        }
        return all.subList(0, wanted);
    }
}
