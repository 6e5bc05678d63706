package org.verbs4j.examples;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;

/**
 * The other end of an exchange, which does step by step what a test tells it, over real sockets.
 */
final class ScriptedPeer implements AutoCloseable {
    private static final Duration LIMIT = Duration.ofSeconds(30);

    private final ExecutorService threads = Executors.newCachedThreadPool();

    /** What the peer does with its end of the connection, which is closed afterwards. */
    interface Step {
        void take(Socket socket) throws IOException;

        default Step then(Step next) {
            return socket -> {
                take(socket);
                next.take(socket);
            };
        }
    }

    /** Our side of the exchange. */
    interface Call<T> {
        T make(int port) throws IOException;
    }

    static Step sends(byte[] bytes) {
        return socket -> socket.getOutputStream().write(bytes);
    }

    static Step sends(String text) {
        return sends(text.getBytes(StandardCharsets.US_ASCII));
    }

    static Step receives(byte[] expected) {
        return socket ->
                assertThat(socket.getInputStream().readNBytes(expected.length)).isEqualTo(expected);
    }

    /** Waits until our side closes, and requires that nothing more comes. */
    static Step waitsForTheEnd() {
        return socket -> assertThat(socket.getInputStream().readAllBytes()).isEmpty();
    }

    static Step pauses() {
        return _ -> pause();
    }

    static Step resets() {
        return socket -> socket.setSoLinger(true, 0);
    }

    /** Our side is the server, the peer connects to it. */
    <T> T asClient(Step script, Call<T> server) throws Exception {
        int port = freePort();
        Future<T> ours = threads.submit(() -> server.make(port));
        Future<?> peer =
                threads.submit(
                        () -> {
                            try (Socket socket = onceListening(port, ScriptedPeer::connect)) {
                                script.take(socket);
                            }
                            return null;
                        });
        T result = awaited(ours);
        awaited(peer);
        return result;
    }

    /** Our side is the client, the peer accepts it. */
    <T> T asServer(Step script, Call<T> client) throws Exception {
        try (ServerSocket listener = new ServerSocket()) {
            listener.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
            Future<?> peer =
                    threads.submit(
                            () -> {
                                try (Socket socket = listener.accept()) {
                                    script.take(socket);
                                }
                                return null;
                            });
            T result = client.make(listener.getLocalPort());
            awaited(peer);
            return result;
        }
    }

    /** Both sides are ours. */
    <T> T asOurselves(Call<T> server, Call<T> client) throws Exception {
        int port = freePort();
        Future<T> serving = threads.submit(() -> server.make(port));
        T result = onceListening(port, client);
        awaited(serving);
        return result;
    }

    @Override
    public void close() {
        threads.shutdownNow();
    }

    /** What the other thread threw is thrown here. */
    private static <T> T awaited(Future<T> future) throws Exception {
        try {
            return future.get(LIMIT.toSeconds(), TimeUnit.SECONDS);
        } catch (ExecutionException e) {
            switch (e.getCause()) {
                case RuntimeException cause -> throw cause;
                case AssertionError cause -> throw cause;
                case null, default -> throw e;
            }
        }
    }

    private static Socket connect(int port) throws IOException {
        return new Socket(InetAddress.getLoopbackAddress(), port);
    }

    /** The server of the other thread may not listen yet. */
    private static <T> T onceListening(int port, Call<T> call) throws IOException {
        long deadline = System.nanoTime() + LIMIT.toNanos();
        while (true) {
            try {
                return call.make(port);
            } catch (IOException | ToolFailure e) {
                boolean refused = String.valueOf(e.getMessage()).contains("refused");
                if (!refused || System.nanoTime() > deadline) {
                    throw e;
                }
                pause();
            }
        }
    }

    static int freePort() throws IOException {
        try (ServerSocket socket = new ServerSocket(0)) {
            return socket.getLocalPort();
        }
    }

    private static void pause() {
        try {
            Thread.sleep(20);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
