package org.verbs4j.it;

import java.io.IOException;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Locale;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** The TCP ports at which two tools meet. */
final class TcpPorts {
    private static final Duration LIMIT = Duration.ofSeconds(30);

    private TcpPorts() {}

    /** Looked up in /proc, not tried: a connection would be taken for the client's. */
    static void awaitListening(int port, ToolRun server) throws InterruptedException {
        server.until("listen", LIMIT, () -> isListening(port));
    }

    private static boolean isListening(int port) {
        Pattern listening =
                Pattern.compile(
                        String.format(
                                Locale.ROOT,
                                " *\\d+: \\p{XDigit}+:%04X \\p{XDigit}+:0000 0A .*",
                                port));
        return Stream.of("/proc/net/tcp", "/proc/net/tcp6")
                .map(Path::of)
                .filter(Files::exists)
                .flatMap(TcpPorts::lines)
                .anyMatch(line -> listening.matcher(line).matches());
    }

    private static Stream<String> lines(Path file) {
        try {
            return Files.readAllLines(file).stream();
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    static int free() {
        try (ServerSocket socket = new ServerSocket(0)) {
            return socket.getLocalPort();
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }
}
