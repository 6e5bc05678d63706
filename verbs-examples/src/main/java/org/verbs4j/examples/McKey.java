package org.verbs4j.examples;

import org.jspecify.annotations.Nullable;
import org.verbs4j.AddressVector;
import org.verbs4j.QueuePairOption;
import org.verbs4j.QueuePairState;
import org.verbs4j.cm.ConnectionEvent;
import org.verbs4j.cm.ConnectionId;
import org.verbs4j.cm.DatagramDestination;
import org.verbs4j.cm.EventChannel;

import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;

/**
 * {@code mckey} of rdma-core 44: joins a multicast group, and sends to it or listens. Written with
 * the steps of the connection manager one by one; {@link org.verbs4j.cm.Multicast} is shorter.
 */
@Command(
        name = "mckey",
        mixinStandardHelpOptions = true,
        versionProvider = Main.Version.class,
        sortOptions = false,
        description = "Joins a multicast group and sends to it or listens, as mckey does.")
final class McKey extends Tool {
    private static final Duration RESOLVE_LIMIT = Duration.ofSeconds(2);
    private static final Duration JOIN_LIMIT = Duration.ofSeconds(30);

    /** For a subnet manager to set up the switches, as the C tool does. */
    private static final Duration PAUSE = Duration.ofSeconds(3);

    @Option(names = "-m", paramLabel = "<multicast_address>", description = "the group")
    private @Nullable String group;

    @Option(
            names = "-M",
            paramLabel = "<unmapped_multicast_address>",
            description = "a group without IP address, which is InfiniBand's own")
    private @Nullable String unmapped;

    @Option(names = "-s", description = "sender; without it this listens")
    private boolean sender;

    @Option(names = "-b", paramLabel = "<bind_address>", description = "local address")
    private @Nullable String local;

    @Option(names = "-c", paramLabel = "<connections>", description = "default 1")
    private int connections = 1;

    @Option(names = "-C", paramLabel = "<message_count>", description = "default 10")
    private int count = 10;

    @Option(names = "-S", paramLabel = "<message_size>", description = "default 100")
    private int size = 100;

    @Option(
            names = "-p",
            paramLabel = "<port_space>",
            description = "0x111 for UDP (default), 0x2 for IPOIB")
    private String portSpace = "0x111";

    @Option(names = "-o", description = "join as a send-only full-member")
    private boolean sendOnly;

    @Option(names = "-l", description = "join without multicast loopback")
    private boolean withoutLoopback;

    /** A member of the group. */
    private record Member(ConnectionId id, DatagramNode node) {}

    private final List<Member> members = new ArrayList<>();
    private final List<DatagramDestination> destinations = new ArrayList<>();

    @Override
    void run() throws InterruptedException {
        if (connections < 1 || count < 0 || size < 0) {
            throw new ToolFailure("numbers must not be negative, and there must be a connection");
        }
        if (size == 0) {
            count = 0;
        }
        boolean done = false;
        try (EventChannel channel = EventChannel.open()) {
            try {
                join(channel);
                transfer();
                done = true;
            } finally {
                leave();
                print("test complete");
                closeAll();
            }
        } finally {
            print("return status " + (done ? 0 : -1));
        }
    }

    private void closeAll() {
        for (Member member : members) {
            member.node.close();
            member.id.close();
        }
    }

    private InetAddress group() {
        if (unmapped != null) {
            throw new ToolFailure(
                    "-M " + unmapped + ": groups without IP address are InfiniBand's own, use -m");
        }
        if (group == null) {
            throw new ToolFailure("no group: -m");
        }
        return address(group);
    }

    private static InetAddress address(String host) {
        try {
            return InetAddress.getByName(host);
        } catch (UnknownHostException e) {
            throw new ToolFailure(
                    "getaddrinfo failed (" + host + ") - invalid hostname or IP address", e);
        }
    }

    private void join(EventChannel channel) throws InterruptedException {
        print("mckey: starting " + (sender ? "client" : "server"));
        InetAddress wanted = group();
        print("mckey: joining");
        for (int i = 0; i < connections; i++) {
            Member member = member(channel, wanted);
            members.add(member);
            if (sendOnly) {
                member.id.joinMulticastToSend(wanted);
            } else {
                member.id.joinMulticast(wanted);
            }
            destinations.add(joined(member, await(channel, JOIN_LIMIT)));
        }
    }

    private Member member(EventChannel channel, InetAddress wanted) throws InterruptedException {
        ConnectionId id = channel.newId(PortSpaces.forDatagrams(portSpace));
        try {
            InetSocketAddress source =
                    local == null ? null : new InetSocketAddress(address(local), 0);
            if (source != null) {
                id.bind(source);
            }
            Duration limit = TimeLimits.scaled(RESOLVE_LIMIT);
            id.resolveAddress(source, new InetSocketAddress(wanted, 0), limit);
            if (!(await(channel, limit) instanceof ConnectionEvent.AddressResolved)) {
                throw new ToolFailure("no device leads to " + group);
            }
            DatagramNode.requireFit(this, "mckey", id.context(), size, count);
            DatagramNode node = new DatagramNode(id.context(), size, count, options());
            if (!sender) {
                node.postReceives();
            }
            node.pair()
                    .modify(id.attributesFor(QueuePairState.INIT).queueKey(node.pair().queueKey()));
            node.pair().activate();
            return new Member(id, node);
        } catch (RuntimeException | InterruptedException e) {
            id.close();
            throw e;
        }
    }

    private QueuePairOption[] options() {
        return withoutLoopback
                ? new QueuePairOption[] {QueuePairOption.BLOCK_SELF_MULTICAST_LOOPBACK}
                : new QueuePairOption[0];
    }

    private ConnectionEvent await(EventChannel channel, Duration limit)
            throws InterruptedException {
        ConnectionEvent event = channel.await(TimeLimits.scaled(limit));
        if (event == null) {
            throw new ToolFailure("no answer within " + TimeLimits.text(limit));
        }
        return event;
    }

    private DatagramDestination joined(Member member, ConnectionEvent event) {
        if (!(event instanceof ConnectionEvent.MulticastJoined joined)) {
            throw new ToolFailure("cannot join " + group + ": " + event);
        }
        AddressVector way = joined.destination().way();
        var route = Objects.requireNonNull(way.route(), "a group has a GID");
        print(
                "mckey: joined dgid: %s mlid 0x%x sl %d"
                        .formatted(route.destination(), way.lid(), way.serviceLevel()));
        if (!sendOnly) {
            member.node.pair().joinMulticast(route.destination(), way.lid());
        }
        return joined.destination();
    }

    private void transfer() throws InterruptedException {
        Thread.sleep(PAUSE);
        if (count == 0) {
            return;
        }
        if (sender) {
            print("initiating data transfers");
            for (int i = 0; i < connections; i++) {
                DatagramDestination to = destinations.get(i);
                DatagramNode node = members.get(i).node;
                try (var way = to.newAddressHandle(node.domain())) {
                    node.send(way, to.queuePairNumber(), to.queueKey(), false);
                }
            }
        } else {
            print("receiving data transfers");
            for (Member member : members) {
                member.node.awaitAll(false);
            }
        }
        print("data transfers complete");
    }

    private void leave() {
        for (int i = 0; i < destinations.size(); i++) {
            Member member = members.get(i);
            AddressVector way = destinations.get(i).way();
            if (!sendOnly) {
                var route = Objects.requireNonNull(way.route(), "a group has a GID");
                member.node.pair().leaveMulticast(route.destination(), way.lid());
            }
            member.id.leaveMulticast(group());
        }
    }
}
