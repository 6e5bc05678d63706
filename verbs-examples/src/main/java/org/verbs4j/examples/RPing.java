package org.verbs4j.examples;

import org.jspecify.annotations.Nullable;
import org.verbs4j.cm.Connection;
import org.verbs4j.cm.ConnectionParameters;
import org.verbs4j.cm.ConnectionRequest;
import org.verbs4j.cm.Connector;
import org.verbs4j.cm.ConnectorBuilder;
import org.verbs4j.cm.Listener;

import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.time.Duration;

/** {@code rping} of rdma-core 44: its flags, its output, and either side of its protocol. */
@Command(
        name = "rping",
        versionProvider = Main.Version.class,
        sortOptions = false,
        description = "Pings over RDMA READ and WRITE, connected by IP address, as rping does.")
final class RPing extends Tool {
    private static final int BACKLOG = 3;
    private static final Duration RESOLVE_LIMIT = Duration.ofSeconds(2);

    /** Room for the largest number in front of the data. */
    private static final int LEAST_SIZE = 26;

    @ArgGroup(multiplicity = "1")
    private Side side = new Side();

    /** Which of the two. */
    static final class Side {
        @Option(names = "-s", description = "server side; -a ::0 for any address, IPv4 and IPv6")
        boolean server;

        @Option(names = "-c", description = "client side")
        boolean client;
    }

    @Option(names = "-I", paramLabel = "<addr>", description = "source address of the client")
    private @Nullable String source;

    @Option(names = "-v", description = "display ping data to stdout")
    private boolean verbose;

    @Option(names = "-V", description = "validate ping data")
    private boolean validate;

    @Option(names = "-d", description = "debug printfs")
    private boolean debug;

    @Option(
            names = "-S",
            paramLabel = "<size>",
            description = "ping data size, the same on both sides (default 64)")
    private int size = 64;

    @Option(names = "-C", paramLabel = "<count>", description = "ping count times")
    private int count;

    @Option(names = "-a", paramLabel = "<addr>", description = "address")
    private @Nullable String address;

    @Option(names = "-p", paramLabel = "<port>", description = "port (default 7174)")
    private int port = 7174;

    @Option(names = "-P", description = "persistent server mode allowing multiple connections")
    private boolean persistent;

    @Option(
            names = "-q",
            description = "use self-created, self-modified QP (which verbs4j always does)")
    private boolean selfCreated;

    @Option(
            names = "--timeout",
            paramLabel = "<seconds>",
            converter = CNumbers.Count.class,
            description = "how long a connected peer may keep silent (default 60)")
    private int silenceSeconds = 60;

    /** Not by the mix-in, which leaves out all of its options where a tool has one of them: -V. */
    @Option(
            names = {"-h", "--help"},
            usageHelp = true,
            description = "Show this help message and exit.")
    @SuppressWarnings("UnusedVariable") // picocli sees to it
    private boolean help;

    @Option(
            names = "--version",
            versionHelp = true,
            description = "Print version information and exit.")
    @SuppressWarnings("UnusedVariable") // picocli sees to it
    private boolean version;

    @Override
    void run() throws InterruptedException {
        requireRanges();
        if (selfCreated) {
            debug("use self-created, self-modified QP");
        }
        if (side.server) {
            serve();
        } else {
            ping();
        }
    }

    private void requireRanges() {
        if (size < LEAST_SIZE || size > RPingEnd.LARGEST) {
            throw new ToolFailure(
                    "Invalid size %d (valid range is %d to %d)"
                            .formatted(size, LEAST_SIZE, RPingEnd.LARGEST + 1));
        }
        if (count < 0) {
            throw new ToolFailure("Invalid count " + count);
        }
    }

    private Duration silenceLimit() {
        return TimeLimits.scaled(Duration.ofSeconds(silenceSeconds));
    }

    private static InetAddress resolve(String host) {
        try {
            return InetAddress.getByName(host);
        } catch (UnknownHostException e) {
            throw new ToolFailure(
                    "getaddrinfo failed (" + host + ") - invalid hostname or IP address", e);
        }
    }

    /** One read in each direction, repetitions for ever. */
    private static ConnectionParameters parameters() {
        return ConnectionParameters.defaults().withReads(1, 1).withRetries(7, 7);
    }

    private void ping() throws InterruptedException {
        if (address == null) {
            throw new ToolFailure("the client needs the server's address, -a");
        }
        ConnectorBuilder builder = Connector.to(new InetSocketAddress(resolve(address), port));
        if (source != null) {
            builder.from(new InetSocketAddress(resolve(source), 0));
        }
        try (Connector connector = builder.resolve(TimeLimits.scaled(RESOLVE_LIMIT))) {
            debug("rdma_resolve_addr - rdma_resolve_route successful");
            try (RPingEnd end = new RPingEnd(connector.context(), silenceLimit());
                    Connection connection = connector.connect(end.pair(), parameters())) {
                debug("rdma_connect successful");
                boolean done = new RPingClient(this, end, connection).run(size, count);
                connection.disconnect();
                connection.awaitDisconnect(TimeLimits.scaled(Duration.ofSeconds(10)));
                error("client DISCONNECT EVENT...");
                if (!done) {
                    error("wait for RDMA_WRITE_ADV state 10");
                }
            }
        }
    }

    private void serve() throws InterruptedException {
        InetAddress local = address == null ? resolve("0.0.0.0") : resolve(address);
        try (Listener listener = Listener.bind(new InetSocketAddress(local, port), BACKLOG)) {
            debug("rdma_listen");
            do {
                ConnectionRequest request = listener.accept();
                if (persistent) {
                    Thread.ofPlatform().daemon().start(() -> servePersistently(request));
                } else {
                    serve(request);
                }
            } while (persistent);
        }
    }

    private void servePersistently(ConnectionRequest request) {
        try {
            serve(request);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (RuntimeException e) {
            error("rping server failed: " + e.getMessage());
        }
    }

    private void serve(ConnectionRequest request) throws InterruptedException {
        debug("accepting client connection request");
        try (request;
                RPingEnd end = new RPingEnd(request.context(), silenceLimit());
                Connection connection = request.accept(end.pair(), parameters())) {
            new RPingServer(this, end, connection).run();
            error("server DISCONNECT EVENT...");
            error("wait for RDMA_READ_ADV state 10");
        }
    }

    boolean verbose() {
        return verbose;
    }

    boolean validates() {
        return validate;
    }

    void debug(String line) {
        if (debug) {
            print(line);
        }
    }
}
