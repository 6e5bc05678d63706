package org.verbs4j.examples;

import java.io.EOFException;
import java.io.IOException;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;

/**
 * The TCP connection by which two tools meet, of either side. Every step ends within a limit; what
 * goes wrong is a {@link ToolFailure} that names the peer. Belongs to one thread.
 */
final class PeerConnection implements AutoCloseable {
    private final Socket socket;
    private final String peer;
    private final Duration stepLimit;

    /**
     * @param peer the other side, for sentences about it
     * @param stepLimit how long it may take for one answer
     */
    PeerConnection(Socket socket, String peer, Duration stepLimit) {
        this.socket = socket;
        this.peer = peer;
        this.stepLimit = stepLimit;
    }

    /** The other side, for sentences about it. */
    String peer() {
        return peer;
    }

    void write(byte[] bytes) {
        try {
            socket.getOutputStream().write(bytes);
        } catch (IOException e) {
            throw broken(e);
        }
    }

    /** Reads exactly so many bytes. */
    byte[] read(int length) {
        return read(1, length, bytes -> bytes).getFirst();
    }

    /**
     * Reads records of one length. Each is decoded as soon as it is there, so that a stranger who
     * says something short is found out at once. A peer that dribbles does not get more time than
     * one that is silent.
     *
     * @param decode throws {@link IllegalArgumentException} for what is no such record
     */
    <T> List<T> read(int count, int length, Function<byte[], T> decode) {
        long deadline = System.nanoTime() + stepLimit.toNanos();
        List<T> records = new ArrayList<>(count);
        try {
            while (records.size() < count) {
                records.add(
                        decode.apply(
                                next(length, records.size() * length, count * length, deadline)));
            }
            return records;
        } catch (IOException e) {
            throw broken(e);
        } catch (IllegalArgumentException e) {
            throw new ToolFailure(peer + " sent something else: " + e.getMessage(), e);
        }
    }

    private byte[] next(int length, int before, int all, long deadline) throws IOException {
        byte[] bytes = new byte[length];
        for (int count = 0; count < length; ) {
            Duration left = Duration.ofNanos(deadline - System.nanoTime());
            if (left.isNegative()) {
                throw new SocketTimeoutException();
            }
            socket.setSoTimeout(PeerPort.millis(left));
            int n = socket.getInputStream().read(bytes, count, length - count);
            if (n < 0) {
                throw new EOFException("after " + (before + count) + " of " + all + " bytes");
            }
            count += n;
        }
        return bytes;
    }

    private ToolFailure broken(IOException e) {
        String what =
                switch (e) {
                    case SocketTimeoutException _ ->
                            "said nothing for " + TimeLimits.text(stepLimit);
                    case EOFException _ -> "closed the connection " + e.getMessage();
                    default -> "broke the connection: " + e.getMessage();
                };
        return new ToolFailure(peer + " " + what + ", in the middle of the exchange", e);
    }

    @Override
    public void close() {
        try {
            socket.close();
        } catch (IOException e) {
            throw new ToolFailure("closing the connection failed: " + e.getMessage(), e);
        }
    }
}
