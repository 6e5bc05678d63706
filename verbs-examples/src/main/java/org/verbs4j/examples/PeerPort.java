package org.verbs4j.examples;

import java.io.IOException;
import java.net.BindException;
import java.net.ConnectException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.net.UnknownHostException;
import java.time.Duration;

/**
 * The TCP port at which two tools meet.
 *
 * @param number 1 to 65535
 * @param stepLimit how long a peer may take for one answer
 */
record PeerPort(int number, Duration stepLimit) {
    /**
     * Calls a server. Tries every address of the host in turn, as the C tools do: localhost may be
     * ::1 first.
     */
    PeerConnection connect(String host) {
        InetAddress[] addresses;
        try {
            addresses = InetAddress.getAllByName(host);
        } catch (UnknownHostException e) {
            throw new ToolFailure("no such host: " + host, e);
        }
        IOException last = new ConnectException("no address");
        for (InetAddress address : addresses) {
            try {
                return new PeerConnection(
                        connect(address), "the server " + host + ":" + number, stepLimit);
            } catch (IOException e) {
                last = e;
            }
        }
        throw new ToolFailure(
                "couldn't connect to %s:%d (%s): is the server running?"
                        .formatted(host, number, last.getMessage()),
                last);
    }

    private Socket connect(InetAddress address) throws IOException {
        Socket socket = new Socket();
        try {
            socket.connect(new InetSocketAddress(address, number), millis(stepLimit));
            return socket;
        } catch (IOException e) {
            socket.close();
            throw e;
        }
    }

    /** Takes the port until the listener is closed. */
    Listener listen() {
        try {
            ServerSocket socket = new ServerSocket();
            try {
                socket.setReuseAddress(true);
                socket.bind(new InetSocketAddress(number));
                return new Listener(socket);
            } catch (IOException e) {
                socket.close();
                throw e;
            }
        } catch (BindException e) {
            throw new ToolFailure(
                    "couldn't listen to port %d (%s): take another with -p"
                            .formatted(number, e.getMessage()),
                    e);
        } catch (IOException e) {
            throw cannotAccept(e);
        }
    }

    private ToolFailure cannotAccept(IOException e) {
        return new ToolFailure(
                "couldn't accept a client on port " + number + ": " + e.getMessage(), e);
    }

    /** Zero would be for ever. */
    static int millis(Duration limit) {
        return Math.clamp(limit.toMillis(), 1, Integer.MAX_VALUE);
    }

    /** A server's end of the port. */
    final class Listener implements AutoCloseable {
        private final ServerSocket socket;

        private Listener(ServerSocket socket) {
            this.socket = socket;
        }

        /** Waits for the next client. */
        PeerConnection accept(Duration limit) {
            try {
                socket.setSoTimeout(millis(limit));
                Socket client = socket.accept();
                return new PeerConnection(
                        client,
                        "the client " + client.getInetAddress().getHostAddress(),
                        stepLimit);
            } catch (SocketTimeoutException e) {
                throw new ToolFailure(
                        "no client came to port %d within %s (--accept-timeout)"
                                .formatted(number, TimeLimits.text(limit)),
                        e);
            } catch (IOException e) {
                throw cannotAccept(e);
            }
        }

        @Override
        public void close() {
            try {
                socket.close();
            } catch (IOException e) {
                throw cannotAccept(e);
            }
        }
    }
}
