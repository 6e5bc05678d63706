package org.verbs4j.it;

import org.jspecify.annotations.Nullable;
import org.verbs4j.CompletionQueue;
import org.verbs4j.DeviceContext;
import org.verbs4j.Ece;
import org.verbs4j.ProtectionDomain;
import org.verbs4j.QueuePairState;
import org.verbs4j.RcQueuePair;
import org.verbs4j.UdQueuePair;
import org.verbs4j.WorkCompletions;
import org.verbs4j.cm.Connection;
import org.verbs4j.cm.ConnectionEvent;
import org.verbs4j.cm.ConnectionId;
import org.verbs4j.cm.ConnectionParameters;
import org.verbs4j.cm.ConnectionRequest;
import org.verbs4j.cm.Connector;
import org.verbs4j.cm.DatagramConnector;
import org.verbs4j.cm.DatagramListener;
import org.verbs4j.cm.DatagramPeer;
import org.verbs4j.cm.DatagramRequest;
import org.verbs4j.cm.EventChannel;
import org.verbs4j.cm.Listener;
import org.verbs4j.cm.Multicast;
import org.verbs4j.cm.MulticastGroup;
import org.verbs4j.cm.PortSpace;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/**
 * Steps of connections in any order, right and wrong, on whatever objects there are; several of
 * these may share the objects, each with a thread of its own.
 */
final class RandomConnections extends RandomSteps {
    private static final int FEW = 4;
    private static final int MANY = 12;

    private static final Duration[] WAITS = {
        Duration.ofSeconds(-1), Duration.ZERO, Duration.ofMillis(1), Duration.ofMillis(5)
    };

    /** What several callers share. */
    static final class Things {
        final List<EventChannel> channels = new CopyOnWriteArrayList<>();
        final List<ConnectionId> ids = new CopyOnWriteArrayList<>();
        final List<Listener> listeners = new CopyOnWriteArrayList<>();
        final List<Connector> connectors = new CopyOnWriteArrayList<>();
        final List<ConnectionRequest> requests = new CopyOnWriteArrayList<>();
        final List<Connection> connections = new CopyOnWriteArrayList<>();
        final List<DatagramListener> datagramListeners = new CopyOnWriteArrayList<>();
        final List<DatagramConnector> datagramConnectors = new CopyOnWriteArrayList<>();
        final List<DatagramRequest> datagramRequests = new CopyOnWriteArrayList<>();
        final List<DatagramPeer> peers = new CopyOnWriteArrayList<>();
        final List<Multicast> multicasts = new CopyOnWriteArrayList<>();
        final List<MulticastGroup> groups = new CopyOnWriteArrayList<>();
        final List<RcQueuePair> pairs = new CopyOnWriteArrayList<>();
        final List<UdQueuePair> datagramPairs = new CopyOnWriteArrayList<>();
        final DeviceContext context = EventChannel.devices().getFirst();
        final ProtectionDomain domain = context.newProtectionDomain();
        final CompletionQueue queue = context.newCompletionQueue(512);
        final InetAddress[] addresses = {
            CmPlace.addresses().getFirst(),
            CmPlace.addresses().getFirst(),
            CmPlace.addresses().getLast(),
            CmPlace.unusedNeighbour(),
            InetAddress.ofLiteral("127.0.0.1"),
            InetAddress.ofLiteral("192.0.2.1"),
            InetAddress.ofLiteral("239.77.0.9"),
            InetAddress.ofLiteral("0.0.0.0"),
            InetAddress.ofLiteral("::1")
        };

        /** All of it, each before what it is made of. */
        void close() {
            groups.forEach(MulticastGroup::close);
            multicasts.forEach(Multicast::close);
            peers.forEach(DatagramPeer::close);
            datagramRequests.forEach(DatagramRequest::close);
            datagramConnectors.forEach(DatagramConnector::close);
            datagramListeners.forEach(DatagramListener::close);
            requests.forEach(ConnectionRequest::close);
            connectors.forEach(Connector::close);
            connections.forEach(Connection::close);
            listeners.forEach(Listener::close);
            ids.forEach(ConnectionId::close);
            channels.forEach(EventChannel::close);
            pairs.forEach(RcQueuePair::close);
            datagramPairs.forEach(UdQueuePair::close);
            queue.close();
            domain.close();
        }
    }

    private final Things all;

    RandomConnections(long seed, Things all) {
        super(seed);
        this.all = all;
        addChannels();
        addSteps();
        addServices();
        addDatagrams();
        addPairs();
    }

    /** Makes one more unless there are many; what came too late is closed by its owner's list. */
    private <T> void make(List<T> list, int most, Made<T> made) throws InterruptedException {
        room(list, most);
        T one = made.make();
        if (one != null) {
            list.add(one);
        }
    }

    private interface Made<T> {
        @Nullable T make() throws InterruptedException;
    }

    /** Closes one; one that refuses stays. */
    private <T extends AutoCloseable> void close(List<T> list, Closed<T> how) {
        T one = any(list);
        how.close(one);
        list.remove(one);
    }

    private interface Closed<T> {
        void close(T one);
    }

    private InetSocketAddress address() {
        List<Listener> listeners = all.listeners;
        if (!listeners.isEmpty() && random.nextInt(3) > 0) {
            return any(listeners).localAddress();
        }
        return new InetSocketAddress(
                any(all.addresses), random.nextBoolean() ? 0 : 20_000 + random.nextInt(6));
    }

    private InetSocketAddress datagramAddress() {
        return all.datagramListeners.isEmpty()
                ? address()
                : any(all.datagramListeners).localAddress();
    }

    private ByteBuffer data() {
        return ByteBuffer.allocate(random.nextInt(10) == 0 ? random.nextInt(70_000) : 16);
    }

    private ConnectionParameters parameters() {
        return ConnectionParameters.defaults()
                .withPrivateData(data())
                .withReads(random.nextInt(3), random.nextInt(3));
    }

    private void addChannels() {
        add(4, "open channel", () -> make(all.channels, FEW, EventChannel::open));
        add(1, "close channel", () -> close(all.channels, EventChannel::close));
        add(20, "take event", () -> take(any(all.channels).await(any(WAITS))));
        add(10, "look for event", () -> take(any(all.channels).poll()));
        add(1, "name channel", () -> remember(any(all.channels).toString()));
        add(
                8,
                "new id",
                () ->
                        make(
                                all.ids,
                                MANY,
                                () ->
                                        any(all.channels)
                                                .newId(
                                                        any(
                                                                PortSpace.TCP,
                                                                PortSpace.TCP,
                                                                PortSpace.UDP,
                                                                PortSpace.IPOIB,
                                                                PortSpace.IB,
                                                                PortSpace.UNKNOWN))));
        add(3, "close id", () -> close(all.ids, ConnectionId::close));
    }

    private void take(@Nullable ConnectionEvent event) {
        switch (event) {
            case null -> {}
            case ConnectionEvent.Requested requested -> all.ids.add(requested.id());
            case ConnectionEvent.DatagramRequested requested -> all.ids.add(requested.id());
            default -> remember("  " + event.getClass().getSimpleName());
        }
    }

    private void addSteps() {
        add(4, "bind", () -> any(all.ids).bind(address()));
        add(2, "listen", () -> any(all.ids).listen(any(-1, 0, 1, Integer.MAX_VALUE)));
        add(10, "resolve", () -> any(all.ids).resolveAddress(null, address(), any(WAITS)));
        add(2, "from", () -> any(all.ids).resolveAddress(address(), address(), any(WAITS)));
        add(10, "route", () -> any(all.ids).resolveRoute(any(WAITS)));
        add(6, "connect", () -> any(all.ids).connect(any(all.pairs), parameters()));
        add(2, "connect number", () -> any(all.ids).connect(random.nextInt(), parameters()));
        add(6, "accept", () -> any(all.ids).accept(any(all.pairs), parameters()));
        add(2, "accept number", () -> any(all.ids).accept(random.nextInt(), parameters()));
        add(2, "reject", () -> any(all.ids).reject(data()));
        add(1, "reject ECE", () -> any(all.ids).rejectEce());
        add(4, "establish", () -> any(all.ids).establish());
        add(2, "notify", () -> any(all.ids).notifyCommunication());
        add(4, "disconnect", () -> any(all.ids).disconnect());
        add(3, "join", () -> any(all.ids).joinMulticast(any(all.addresses)));
        add(2, "join to send", () -> any(all.ids).joinMulticastToSend(any(all.addresses)));
        add(2, "leave", () -> any(all.ids).leaveMulticast(any(all.addresses)));
        add(3, "migrate", () -> any(all.ids).migrate(any(all.channels)));
        add(1, "offer ECE", () -> any(all.ids).localEce(new Ece(random.nextInt(), 1)));
        add(1, "peer's ECE", () -> any(all.ids).remoteEce());
        add(1, "type of service", () -> any(all.ids).options().typeOfService(8));
        add(1, "reuse", () -> any(all.ids).options().reuseAddress(random.nextBoolean()));
        add(1, "one family", () -> any(all.ids).options().onlyOneFamily(random.nextBoolean()));
        add(1, "acknowledgement", () -> any(all.ids).options().ackTimeout(random.nextInt(40)));
        add(1, "port", () -> any(all.ids).port());
        add(1, "context", () -> any(all.ids).context().activePort());
        add(2, "name id", () -> remember(any(all.ids).toString()));
        add(
                8,
                "move pair",
                () ->
                        any(all.pairs)
                                .modify(any(all.ids).attributesFor(any(QueuePairState.values()))));
    }

    private void addServices() {
        add(
                5,
                "listener",
                () -> make(all.listeners, FEW, () -> Listener.bind(address(), random.nextInt(8))));
        add(1, "close listener", () -> close(all.listeners, Listener::close));
        add(
                15,
                "accept",
                () -> make(all.requests, FEW, () -> any(all.listeners).accept(any(WAITS))));
        add(
                8,
                "accept request",
                () ->
                        make(
                                all.connections,
                                FEW,
                                () ->
                                        any(all.requests)
                                                .accept(any(all.pairs), parameters(), any(WAITS))));
        add(2, "reject request", () -> any(all.requests).reject(data()));
        add(3, "close request", () -> close(all.requests, ConnectionRequest::close));
        add(8, "connector", () -> make(all.connectors, FEW, () -> Connector.to(address()).open()));
        add(10, "find way", () -> any(all.connectors).resolve(any(WAITS)));
        add(
                10,
                "connect",
                () ->
                        make(
                                all.connections,
                                FEW,
                                () ->
                                        any(all.connectors)
                                                .connect(
                                                        any(all.pairs), parameters(), any(WAITS))));
        add(3, "close connector", () -> close(all.connectors, Connector::close));
        add(1, "connector's address", () -> any(all.connectors).localAddress());
        add(3, "is connected", () -> any(all.connections).isConnected());
        add(3, "await end", () -> any(all.connections).awaitDisconnect(any(WAITS)));
        add(2, "disconnect", () -> any(all.connections).disconnect());
        add(
                2,
                "drain",
                () -> any(all.connections).drain(WorkCompletions.allocate(4), _ -> {}, any(WAITS)));
        add(1, "close connection", () -> close(all.connections, Connection::close));
        add(1, "descriptor", () -> any(all.connections).fileDescriptor());
    }

    private void addDatagrams() {
        add(
                3,
                "datagram listener",
                () ->
                        make(
                                all.datagramListeners,
                                FEW,
                                () -> Listener.at(address()).bindDatagrams()));
        add(1, "close it", () -> close(all.datagramListeners, DatagramListener::close));
        add(
                8,
                "accept datagrams",
                () ->
                        make(
                                all.datagramRequests,
                                FEW,
                                () -> any(all.datagramListeners).accept(any(WAITS))));
        add(4, "say where", () -> any(all.datagramRequests).accept(any(all.datagramPairs), data()));
        add(1, "say no", () -> any(all.datagramRequests).reject(data()));
        add(2, "close question", () -> close(all.datagramRequests, DatagramRequest::close));
        add(
                5,
                "datagram connector",
                () ->
                        make(
                                all.datagramConnectors,
                                FEW,
                                () -> Connector.to(datagramAddress()).openDatagrams()));
        add(6, "find datagram way", () -> any(all.datagramConnectors).resolve(any(WAITS)));
        add(
                6,
                "ask where",
                () ->
                        make(
                                all.peers,
                                FEW,
                                () ->
                                        any(all.datagramConnectors)
                                                .connect(
                                                        any(all.datagramPairs),
                                                        data(),
                                                        any(WAITS))));
        add(2, "close asking", () -> close(all.datagramConnectors, DatagramConnector::close));
        add(2, "close peer", () -> close(all.peers, DatagramPeer::close));
        add(2, "multicast", () -> make(all.multicasts, 2, () -> Multicast.at(any(all.addresses))));
        add(
                4,
                "join group",
                () ->
                        make(
                                all.groups,
                                FEW,
                                () ->
                                        any(all.multicasts)
                                                .join(
                                                        any(all.datagramPairs),
                                                        any(all.addresses),
                                                        any(WAITS))));
        add(2, "leave group", () -> close(all.groups, MulticastGroup::close));
        add(1, "close multicast", () -> close(all.multicasts, Multicast::close));
    }

    private void addPairs() {
        add(
                8,
                "pair",
                () ->
                        make(
                                all.pairs,
                                MANY,
                                () -> all.domain.newRcQueuePair(all.queue, all.queue).build()));
        add(2, "close pair", () -> close(all.pairs, RcQueuePair::close));
        add(2, "break pair", () -> any(all.pairs).moveToError());
        add(3, "reset pair", () -> any(all.pairs).reset());
        add(
                3,
                "datagram pair",
                () ->
                        make(
                                all.datagramPairs,
                                FEW,
                                () -> all.domain.newUdQueuePair(all.queue, all.queue).build()));
        add(1, "close datagram pair", () -> close(all.datagramPairs, UdQueuePair::close));
        add(4, "poll", () -> all.queue.poll(WorkCompletions.allocate(8)));
    }
}
