package org.verbs4j.it;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintWriter;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Objects;

/**
 * The suite on the other of two hosts, as {@code ./verbs on-rxe --two-hosts} starts them: both run
 * the same tests in the same order, and tell each other by TCP how far they are. Belongs to one
 * thread.
 */
final class OtherHost implements AutoCloseable {
    private static final int PORT = 7100;
    private static final Duration LIMIT = TestPlace.limit(Duration.ofSeconds(60));

    private final Socket socket;
    private final BufferedReader in;
    private final PrintWriter out;

    private OtherHost(Socket socket) throws IOException {
        this.socket = socket;
        socket.setSoTimeout((int) LIMIT.toMillis());
        in =
                new BufferedReader(
                        new InputStreamReader(socket.getInputStream(), StandardCharsets.UTF_8));
        out = new PrintWriter(socket.getOutputStream(), true, StandardCharsets.UTF_8);
    }

    /** Whether there are two hosts. */
    static boolean isThere() {
        return System.getenv("VERBS4J_HOST") != null;
    }

    /** 1 or 2. */
    static int own() {
        return Integer.parseInt(System.getenv("VERBS4J_HOST"));
    }

    /** The address of the other one. */
    static InetAddress address() {
        return InetAddress.ofLiteral(System.getenv("VERBS4J_PEER"));
    }

    static OtherHost meet() throws IOException, InterruptedException {
        if (own() == 1) {
            try (ServerSocket listener = new ServerSocket(PORT)) {
                listener.setSoTimeout((int) LIMIT.toMillis());
                return new OtherHost(listener.accept());
            }
        }
        long end = System.nanoTime() + LIMIT.toNanos();
        while (true) {
            Socket socket = new Socket();
            try {
                socket.connect(new InetSocketAddress(address(), PORT), 1_000);
                return new OtherHost(socket);
            } catch (IOException e) { // it does not listen yet
                socket.close();
                assertThat(System.nanoTime() - end).as(e.toString()).isNegative();
                Thread.sleep(100);
            }
        }
    }

    void say(String line) {
        out.println(line);
    }

    String hear() throws IOException {
        return Objects.requireNonNull(in.readLine(), "the other host has gone");
    }

    void hear(String expected) throws IOException {
        assertThat(hear()).isEqualTo(expected);
    }

    /** Both begin a test; what is left of one that one of them has given up is not listened to. */
    void begin(String test) throws IOException {
        say("begin " + test);
        String heard = hear();
        while (!heard.equals("begin " + test)) {
            heard = hear();
        }
    }

    @Override
    public void close() throws IOException {
        socket.close();
    }
}
