package org.verbs4j.examples;

import java.io.EOFException;
import java.io.IOException;
import java.net.BindException;
import java.net.ConnectException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.net.UnknownHostException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Arrays;
import java.util.function.Consumer;

/**
 * The TCP side of the C ping-pongs: both endpoints cross, and the server's queue pair can receive
 * before the client learns its number.
 *
 * <pre>
 *   client                                     server
 *     |-- 52 bytes: its endpoint --------------->|
 *     |                                          | moves its queue pair to RTR and RTS
 *     |<-------------- 52 bytes: its endpoint ---|
 *     |-- "done\0" ----------------------------->|
 *   close                                      close
 *     | moves its queue pair to RTR and RTS
 *     |== first SEND ===========================>|
 * </pre>
 *
 * Receives are posted before any of this. Every step ends within {@code stepLimit}.
 */
final class PingPongExchange {
    private static final byte[] DONE = "done\0".getBytes(StandardCharsets.US_ASCII);

    private final int port;
    private final Duration stepLimit;

    PingPongExchange(int port, Duration stepLimit) {
        this.port = port;
        this.stepLimit = stepLimit;
    }

    /**
     * Meets the server.
     *
     * @return what the server is
     * @throws ToolFailure when that does not come about
     */
    PingPongEndpoint asClient(String host, PingPongEndpoint local) {
        String peer = "the server " + host + ":" + port;
        try (Socket socket = connect(host)) {
            socket.getOutputStream().write(local.encode());
            PingPongEndpoint remote = readEndpoint(socket, peer);
            socket.getOutputStream().write(DONE);
            return remote;
        } catch (IOException e) {
            throw broken(peer, e);
        }
    }

    /**
     * Waits for the one client.
     *
     * @param connect brings the queue pair to RTS with what the client is; runs before the client
     *     gets an answer
     * @return what the client is
     * @throws ToolFailure when that does not come about
     */
    PingPongEndpoint asServer(
            PingPongEndpoint local, Duration acceptLimit, Consumer<PingPongEndpoint> connect) {
        try (Socket socket = accept(acceptLimit)) {
            String peer = "the client " + socket.getInetAddress().getHostAddress();
            try {
                PingPongEndpoint remote = readEndpoint(socket, peer);
                connect.accept(remote);
                socket.getOutputStream().write(local.encode());
                if (!Arrays.equals(read(socket, DONE.length), DONE)) {
                    throw new ToolFailure(peer + " did not end the exchange with \"done\"");
                }
                return remote;
            } catch (IOException e) {
                throw broken(peer, e);
            }
        } catch (IOException e) {
            throw new ToolFailure("closing the connection failed: " + e.getMessage(), e);
        }
    }

    /** Tries every address of the host in turn, as the C tools do: localhost may be ::1 first. */
    private Socket connect(String host) throws IOException {
        InetAddress[] addresses;
        try {
            addresses = InetAddress.getAllByName(host);
        } catch (UnknownHostException e) {
            throw new ToolFailure("no such host: " + host, e);
        }
        IOException last = new ConnectException("no address");
        for (InetAddress address : addresses) {
            Socket socket = new Socket();
            try {
                socket.connect(new InetSocketAddress(address, port), millis(stepLimit));
                return socket;
            } catch (IOException e) {
                socket.close();
                last = e;
            }
        }
        throw new ToolFailure(
                "couldn't connect to %s:%d (%s): is the server running?"
                        .formatted(host, port, last.getMessage()),
                last);
    }

    /** One client, then the port is free again. */
    private Socket accept(Duration limit) {
        try (ServerSocket listener = new ServerSocket()) {
            listener.setReuseAddress(true);
            listener.bind(new InetSocketAddress(port), 1);
            listener.setSoTimeout(millis(limit));
            return listener.accept();
        } catch (SocketTimeoutException e) {
            throw new ToolFailure(
                    "no client came to port %d within %s (--accept-timeout)"
                            .formatted(port, TimeLimits.text(limit)),
                    e);
        } catch (BindException e) {
            throw new ToolFailure(
                    "couldn't listen to port %d (%s): take another with -p"
                            .formatted(port, e.getMessage()),
                    e);
        } catch (IOException e) {
            throw new ToolFailure(
                    "couldn't accept a client on port " + port + ": " + e.getMessage(), e);
        }
    }

    private PingPongEndpoint readEndpoint(Socket socket, String peer) throws IOException {
        byte[] bytes = read(socket, PingPongEndpoint.ENCODED_LENGTH);
        try {
            return PingPongEndpoint.decode(bytes);
        } catch (IllegalArgumentException e) {
            throw new ToolFailure(peer + " sent something else: " + e.getMessage(), e);
        }
    }

    /**
     * Reads exactly {@code length} bytes; a peer that dribbles does not get more time than one that
     * is silent.
     */
    private byte[] read(Socket socket, int length) throws IOException {
        byte[] bytes = new byte[length];
        long deadline = System.nanoTime() + stepLimit.toNanos();
        for (int count = 0; count < length; ) {
            Duration left = Duration.ofNanos(deadline - System.nanoTime());
            if (left.isNegative()) {
                throw new SocketTimeoutException();
            }
            socket.setSoTimeout(millis(left));
            int n = socket.getInputStream().read(bytes, count, length - count);
            if (n < 0) {
                throw new EOFException("after " + count + " of " + length + " bytes");
            }
            count += n;
        }
        return bytes;
    }

    private ToolFailure broken(String peer, IOException e) {
        String what =
                switch (e) {
                    case SocketTimeoutException _ ->
                            "said nothing for " + TimeLimits.text(stepLimit);
                    case EOFException _ -> "closed the connection " + e.getMessage();
                    default -> "broke the connection: " + e.getMessage();
                };
        return new ToolFailure(peer + " " + what + ", in the middle of the exchange", e);
    }

    /** Zero would be for ever. */
    private static int millis(Duration limit) {
        return Math.clamp(limit.toMillis(), 1, Integer.MAX_VALUE);
    }
}
