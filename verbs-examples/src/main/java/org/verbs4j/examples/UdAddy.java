package org.verbs4j.examples;

import org.jspecify.annotations.Nullable;
import org.verbs4j.cm.Connector;
import org.verbs4j.cm.ConnectorBuilder;
import org.verbs4j.cm.DatagramConnector;
import org.verbs4j.cm.DatagramListener;
import org.verbs4j.cm.DatagramPeer;
import org.verbs4j.cm.DatagramRequest;
import org.verbs4j.cm.Listener;
import org.verbs4j.cm.ListenerBuilder;
import org.verbs4j.cm.PortSpace;

import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** {@code udaddy} of rdma-core 44: finds a peer by address and exchanges datagrams with it. */
@Command(
        name = "udaddy",
        mixinStandardHelpOptions = true,
        versionProvider = Main.Version.class,
        sortOptions = false,
        description = "Exchanges datagrams with a peer found by IP address, as udaddy does.")
final class UdAddy extends Tool {
    private static final int PORT = 7174;
    private static final Duration RESOLVE_LIMIT = Duration.ofSeconds(2);

    @Option(
            names = "-s",
            paramLabel = "<server_address>",
            description = "makes this the client; without it this is the server")
    private @Nullable String server;

    @Option(names = "-b", paramLabel = "<bind_address>", description = "local address")
    private @Nullable String local;

    @Option(names = "-c", paramLabel = "<connections>", description = "default 1")
    private int connections = 1;

    @Option(names = "-C", paramLabel = "<message_count>", description = "default 10")
    private int count = 10;

    @Option(names = "-S", paramLabel = "<message_size>", description = "default 100")
    private int size = 100;

    @Option(names = "-t", paramLabel = "<type_of_service>", description = "of all packets")
    private @Nullable Integer typeOfService;

    @Option(
            names = "-f",
            paramLabel = "<address_format>",
            description = "name, ip or ipv6; gid is InfiniBand's own")
    private String format = "name";

    @Option(names = "-P", paramLabel = "<port_space>", description = "udp or ipoib")
    private String portSpace = "udp";

    @Option(
            names = "-p",
            paramLabel = "<port_space>",
            description = "as a number: 0x111 for UDP (default), 0x2 for IPOIB")
    private String portSpaceNumber = "0x111";

    private final List<DatagramNode> nodes = new ArrayList<>();
    private final List<DatagramPeer> peers = new ArrayList<>();

    @Override
    void run() throws InterruptedException {
        requireOffered();
        if (size == 0) {
            count = 0;
        }
        boolean done = false;
        try {
            if (server == null) {
                serve();
            } else {
                ask(server);
            }
            done = true;
        } finally {
            print("test complete");
            peers.forEach(DatagramPeer::close);
            nodes.forEach(DatagramNode::close);
            print("return status " + (done ? 0 : -1));
        }
    }

    private void requireOffered() {
        if (format.equalsIgnoreCase("gid")) {
            throw new ToolFailure("-f gid: addresses without IP are InfiniBand's own, not offered");
        }
        if (!List.of("name", "ip", "ipv6").contains(format.toLowerCase(Locale.ROOT))) {
            warn("unknown address format");
        }
        if (!List.of("udp", "ipoib").contains(portSpace.toLowerCase(Locale.ROOT))) {
            warn("unknown port space format");
        }
        if (connections < 1 || count < 0 || size < 0) {
            throw new ToolFailure("numbers must not be negative, and there must be a connection");
        }
    }

    /** As the C tool, which goes on. */
    private void warn(String what) {
        spec().commandLine().getErr().print("Warning: " + what + "\n");
        spec().commandLine().getErr().flush();
    }

    private boolean overIpoib() {
        return portSpace.equalsIgnoreCase("ipoib")
                || PortSpaces.forDatagrams(portSpaceNumber) == PortSpace.IPOIB;
    }

    private InetSocketAddress address(String host, int port) {
        try {
            InetAddress found =
                    format.toLowerCase(Locale.ROOT).startsWith("ip")
                            ? InetAddress.ofLiteral(host)
                            : InetAddress.getByName(host);
            return new InetSocketAddress(found, port);
        } catch (UnknownHostException | IllegalArgumentException e) {
            throw new ToolFailure("udaddy: getaddrinfo error: " + host, e);
        }
    }

    private void serve() throws InterruptedException {
        print("udaddy: starting server");
        ListenerBuilder builder = Listener.at(address(local == null ? "0.0.0.0" : local, PORT));
        if (typeOfService != null) {
            builder.typeOfService(typeOfService);
        }
        if (overIpoib()) {
            builder.overIpoib();
        }
        try (DatagramListener listener = builder.backlog(0).bindDatagrams()) {
            while (nodes.size() < connections) {
                accept(listener.accept());
            }
            if (count > 0) {
                print("receiving data transfers");
                awaitAll();
                print("sending replies");
                nodes.forEach(DatagramNode::reply);
                awaitAll();
                print("data transfers complete");
            }
        }
    }

    private void accept(DatagramRequest request) {
        try (request) {
            DatagramNode.requireFit(this, "udaddy", request.context(), size, count);
            DatagramNode node = new DatagramNode(request.context(), size, count);
            nodes.add(node);
            node.postReceives();
            request.accept(node.pair(), ByteBuffer.allocate(0));
        }
    }

    private void ask(String host) throws InterruptedException {
        print("udaddy: starting client");
        ConnectorBuilder builder = Connector.to(address(host, PORT));
        if (local != null) {
            builder.from(address(local, 0));
        }
        if (typeOfService != null) {
            builder.typeOfService(typeOfService);
        }
        if (overIpoib()) {
            builder.overIpoib();
        }
        print("udaddy: connecting");
        for (int i = 0; i < connections; i++) {
            connect(builder);
        }
        if (count > 0) {
            print("initiating data transfers");
            for (int i = 0; i < connections; i++) {
                DatagramPeer peer = peers.get(i);
                nodes.get(i)
                        .send(
                                peer.addressHandle(),
                                peer.destination().queuePairNumber(),
                                peer.destination().queueKey(),
                                false);
            }
            print("receiving data transfers");
            awaitAll();
            print("data transfers complete");
        }
    }

    private void connect(ConnectorBuilder builder) throws InterruptedException {
        try (DatagramConnector connector =
                builder.resolveDatagrams(TimeLimits.scaled(RESOLVE_LIMIT))) {
            DatagramNode.requireFit(this, "udaddy", connector.context(), size, count);
            DatagramNode node = new DatagramNode(connector.context(), size, count);
            nodes.add(node);
            node.postReceives();
            peers.add(connector.connect(node.pair(), ByteBuffer.allocate(0)));
        }
    }

    private void awaitAll() throws InterruptedException {
        for (DatagramNode node : nodes) {
            node.awaitAll(true);
        }
    }
}
