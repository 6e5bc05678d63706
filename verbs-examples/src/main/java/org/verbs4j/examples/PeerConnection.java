package org.verbs4j.examples;

import jdk.net.ExtendedSocketOptions;

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
    private static final int KEEP_ALIVE_PROBES = 3;

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
            throw broken(e, stepLimit);
        }
    }

    /** Reads exactly so many bytes. */
    byte[] read(int length) {
        return read(length, stepLimit);
    }

    /** As above, for a peer that is given more time than for an answer. */
    byte[] read(int length, Duration limit) {
        return read(1, length, bytes -> bytes, limit).getFirst();
    }

    /**
     * Lets the kernel look whether the machine of a peer from whom nothing is expected for long is
     * still there.
     *
     * @param limit within which it should find out; whole seconds
     */
    void keepAlive(Duration limit) {
        try {
            socket.setKeepAlive(true);
            socket.setOption(
                    ExtendedSocketOptions.TCP_KEEPIDLE,
                    (int) Math.max(1, limit.toSeconds() - KEEP_ALIVE_PROBES));
            socket.setOption(ExtendedSocketOptions.TCP_KEEPINTERVAL, 1);
            socket.setOption(ExtendedSocketOptions.TCP_KEEPCOUNT, KEEP_ALIVE_PROBES);
        } catch (IOException e) {
            throw broken(e, stepLimit);
        }
    }

    /**
     * Reads records of one length. Each is decoded as soon as it is there, so that a stranger who
     * says something short is found out at once. A peer that dribbles does not get more time than
     * one that is silent.
     *
     * @param decode throws {@link IllegalArgumentException} for what is no such record
     */
    <T> List<T> read(int count, int length, Function<byte[], T> decode) {
        return read(count, length, decode, stepLimit);
    }

    private <T> List<T> read(int count, int length, Function<byte[], T> decode, Duration limit) {
        long deadline = System.nanoTime() + limit.toNanos();
        List<T> records = new ArrayList<>(count);
        try {
            while (records.size() < count) {
                records.add(
                        decode.apply(
                                next(length, records.size() * length, count * length, deadline)));
            }
            return records;
        } catch (IOException e) {
            throw broken(e, limit);
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

    /** Says that nothing more comes, and waits until the peer has nothing more to say either. */
    void part() {
        long deadline = System.nanoTime() + stepLimit.toNanos();
        try {
            socket.shutdownOutput();
            do {
                socket.setSoTimeout(
                        PeerPort.millis(Duration.ofNanos(deadline - System.nanoTime())));
            } while (socket.getInputStream().read() >= 0);
        } catch (IOException _) {
            return; // gone, or in no hurry
        }
    }

    private ToolFailure broken(IOException e, Duration limit) {
        String what =
                switch (e) {
                    case SocketTimeoutException _ -> "said nothing for " + TimeLimits.text(limit);
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
