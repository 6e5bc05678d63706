package org.verbs4j.examples;

import java.nio.charset.StandardCharsets;
import java.time.Duration;

/** Over TCP. */
final class TcpPerfChannel implements PerfChannel {
    private static final byte[] DONE = "done\0".getBytes(StandardCharsets.US_ASCII);

    private final PeerConnection connection;
    private final boolean isClient;
    private final boolean withGid;
    private final Duration stepLimit;

    /**
     * @param withGid whether keys have a GID: both sides have to be of one mind
     * @param stepLimit how long the peer may take for one answer
     */
    TcpPerfChannel(
            PeerConnection connection, boolean isClient, boolean withGid, Duration stepLimit) {
        this.connection = connection;
        this.isClient = isClient;
        this.withGid = withGid;
        this.stepLimit = stepLimit;
        connection.keepAlive(stepLimit);
    }

    @Override
    public String method() {
        return "Ethernet";
    }

    @Override
    public String peer() {
        return connection.peer();
    }

    @Override
    public byte[] swap(byte[] mine) {
        return swap(mine, stepLimit);
    }

    private byte[] swap(byte[] mine, Duration limit) {
        if (isClient) {
            connection.write(mine);
        }
        byte[] theirs = connection.read(mine.length, limit);
        if (!isClient) {
            connection.write(mine);
        }
        return theirs;
    }

    @Override
    public PerfKeys swap(PerfKeys mine, Duration limit) {
        byte[] theirs = swap(mine.encode(withGid), limit);
        try {
            return PerfKeys.decode(theirs);
        } catch (IllegalArgumentException e) {
            throw new ToolFailure(peer() + " sent something else: " + e.getMessage(), e);
        }
    }

    /** Both say it at once, and the C tools do not listen: whoever is first may be gone. */
    @Override
    public void finish() {
        try {
            connection.write(DONE);
        } catch (ToolFailure _) {
            return; // everything else has been said
        }
        part();
    }

    @Override
    public void part() {
        connection.part();
    }

    @Override
    public void close() {
        connection.close();
    }
}
