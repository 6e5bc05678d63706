package org.verbs4j.examples;

import org.jspecify.annotations.Nullable;
import org.verbs4j.Access;
import org.verbs4j.CompletionChannel;
import org.verbs4j.CompletionQueue;
import org.verbs4j.DeviceContext;
import org.verbs4j.MemoryRegion;
import org.verbs4j.ProtectionDomain;
import org.verbs4j.RcQueuePair;
import org.verbs4j.ReceiveRequest;
import org.verbs4j.Send;
import org.verbs4j.UdQueuePair;
import org.verbs4j.WorkCompletions;
import org.verbs4j.cm.Connection;
import org.verbs4j.cm.ConnectionException;
import org.verbs4j.cm.ConnectionParameters;
import org.verbs4j.cm.ConnectionRequest;
import org.verbs4j.cm.Connector;
import org.verbs4j.cm.DatagramListener;
import org.verbs4j.cm.Listener;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * Over messages of a queue pair that rdma_cm has connected, as {@code -R} has it; the queue pairs
 * that are measured are connected by rdma_cm, too, one after the other, or introduced to each other
 * when they are for datagrams. Belongs to one thread.
 */
final class RdmaPerfChannel implements PerfChannel {
    /** Bytes of the longest message, and of its place. */
    private static final int PLACE = 64;

    private static final int RECEIVED = PLACE;
    private static final int TRIES = 20;
    private static final Duration BETWEEN_TRIES = Duration.ofMillis(100);

    private final boolean isClient;
    private final InetSocketAddress server;
    private final String peer;
    private final Duration stepLimit;
    private final String deviceName;
    private final ProtectionDomain domain;
    private final CompletionChannel events;
    private final CompletionQueue sends;
    private final CompletionQueue receives;
    private final RcQueuePair pair;
    private final MemoryRegion memory;
    private final ReceiveRequest receive;
    private final Send send;
    private final WorkCompletions completions = WorkCompletions.allocate(1);
    private final List<Connection> connections = new ArrayList<>();
    private @Nullable Listener listener;

    private RdmaPerfChannel(
            DeviceContext context,
            boolean isClient,
            InetSocketAddress server,
            String peer,
            Duration stepLimit) {
        this.isClient = isClient;
        this.server = server;
        this.peer = peer;
        this.stepLimit = stepLimit;
        this.deviceName = context.device().name();
        domain = context.newProtectionDomain();
        events = context.newCompletionChannel();
        sends = context.newCompletionQueue(1, events, 0);
        receives = context.newCompletionQueue(1, events, 0);
        pair = domain.newRcQueuePair(sends, receives).build();
        memory = domain.allocate(2 * PLACE, Access.LOCAL_WRITE);
        receive = pair.newReceive().into(memory, RECEIVED, PLACE);
        send = pair.newSend();
    }

    /** Calls the server. */
    static RdmaPerfChannel connect(PerfOptions options, String host) throws InterruptedException {
        InetSocketAddress server = new InetSocketAddress(host, options.tcpPort);
        if (server.isUnresolved()) {
            throw new ToolFailure("no such host: " + host);
        }
        return untilItListens(
                () -> connect(server, host + ":" + options.tcpPort, options.silenceLimit()));
    }

    private interface Attempt<T> {
        T make() throws InterruptedException;
    }

    /** The C server begins to listen at about the time that its client begins to call. */
    private static <T> T untilItListens(Attempt<T> attempt) throws InterruptedException {
        for (int tries = 1; ; tries++) {
            try {
                return attempt.make();
            } catch (ConnectionException e) {
                if (e.rejection() == null || tries == TRIES) {
                    throw e;
                }
            }
            Thread.sleep(BETWEEN_TRIES);
        }
    }

    private static RdmaPerfChannel connect(InetSocketAddress server, String name, Duration limit)
            throws InterruptedException {
        try (Connector connector = Connector.resolve(server, limit)) {
            RdmaPerfChannel channel =
                    new RdmaPerfChannel(
                            connector.context(), true, server, "the server " + name, limit);
            channel.begin(
                    made -> connector.connect(made.pair, ConnectionParameters.defaults(), limit));
            return channel;
        }
    }

    /**
     * Waits for the client.
     *
     * @param listening told when a client may come
     */
    static RdmaPerfChannel accept(PerfOptions options, Runnable listening)
            throws InterruptedException {
        Listener listener =
                Listener.bind(new InetSocketAddress(options.tcpPort), options.pairs + 1);
        try {
            listening.run();
            ConnectionRequest request = listener.accept(options.acceptLimit());
            if (request == null) {
                throw new ToolFailure(
                        "no client came to port %d within %s (--accept-timeout)"
                                .formatted(
                                        options.tcpPort, TimeLimits.text(options.acceptLimit())));
            }
            try (request) {
                Duration limit = options.silenceLimit();
                InetSocketAddress client = request.remoteAddress();
                RdmaPerfChannel channel =
                        new RdmaPerfChannel(
                                request.context(),
                                false,
                                new InetSocketAddress(options.tcpPort),
                                "the client "
                                        + (client == null
                                                ? ""
                                                : client.getAddress().getHostAddress()),
                                limit);
                channel.begin(
                        made -> request.accept(made.pair, ConnectionParameters.defaults(), limit));
                channel.listener = listener;
                return channel;
            }
        } catch (RuntimeException | InterruptedException e) {
            listener.close();
            throw e;
        }
    }

    /** One of the two ways to make a connection. */
    private interface Way {
        Connection take(RdmaPerfChannel channel) throws InterruptedException;
    }

    private void begin(Way way) throws InterruptedException {
        try {
            pair.post(receive);
            connections.add(way.take(this));
        } catch (RuntimeException | InterruptedException e) {
            close();
            throw e;
        }
    }

    /** Where the connection is. */
    String deviceName() {
        return deviceName;
    }

    @Override
    public void connect(PerfEnds ends) throws InterruptedException {
        if (ends.pair(0) instanceof UdQueuePair) {
            introduce(
                    new DatagramIntroduction(ends, ends.isMutual(), peer, stepLimit), ends.count());
            return;
        }
        ConnectionParameters parameters =
                ConnectionParameters.defaults().withReads(ends.outstanding(), ends.outstanding());
        swap(PerfKeys.NONE, stepLimit);
        for (int i = 0; i < ends.count(); i++) {
            RcQueuePair one = (RcQueuePair) ends.pair(i);
            connections.add(
                    isClient ? untilItListens(() -> call(one, parameters)) : take(one, parameters));
        }
        swap(PerfKeys.NONE, stepLimit);
    }

    /** Ours listens before its client can call. */
    private void introduce(DatagramIntroduction introduction, int count)
            throws InterruptedException {
        if (isClient) {
            swap(PerfKeys.NONE, stepLimit);
            introduction.call(server);
        } else {
            try (DatagramListener datagrams = Listener.at(server).backlog(count).bindDatagrams()) {
                swap(PerfKeys.NONE, stepLimit);
                introduction.answer(datagrams);
            }
        }
        swap(PerfKeys.NONE, stepLimit);
    }

    private Connection call(RcQueuePair one, ConnectionParameters parameters)
            throws InterruptedException {
        try (Connector connector = Connector.resolve(server, stepLimit)) {
            return connector.connect(one, parameters, stepLimit);
        }
    }

    private Connection take(RcQueuePair one, ConnectionParameters parameters)
            throws InterruptedException {
        Listener from = listener;
        ConnectionRequest request = from == null ? null : from.accept(stepLimit);
        if (request == null) {
            throw fewerPairs(peer);
        }
        try (request) {
            return request.accept(one, parameters, stepLimit);
        }
    }

    static ToolFailure fewerPairs(String peer) {
        return new ToolFailure(
                peer + " connected fewer queue pairs than there are here: give both the same -q");
    }

    @Override
    public String method() {
        return "rdma_cm";
    }

    @Override
    public String peer() {
        return peer;
    }

    @Override
    public byte[] swap(byte[] mine) throws InterruptedException {
        return swap(mine, stepLimit);
    }

    private byte[] swap(byte[] mine, Duration limit) throws InterruptedException {
        if (isClient) {
            say(mine);
        }
        byte[] theirs = hear(mine.length, limit);
        if (!isClient) {
            say(mine);
        }
        return theirs;
    }

    @Override
    public PerfKeys swap(PerfKeys mine, Duration limit) throws InterruptedException {
        return PerfKeys.decodeBinary(swap(mine.encodeBinary(), limit));
    }

    private void say(byte[] bytes) throws InterruptedException {
        MemorySegment.copy(bytes, 0, memory.segment(), ValueLayout.JAVA_BYTE, 0, bytes.length);
        pair.post(send.from(memory, 0, bytes.length));
        await(sends, stepLimit);
    }

    private byte[] hear(int length, Duration limit) throws InterruptedException {
        await(receives, limit);
        long came = completions.get(0).byteLength();
        if (came != length) {
            throw new ToolFailure(
                    "%s sent something else: a message of %d bytes in place of %d"
                            .formatted(peer, came, length));
        }
        byte[] bytes = new byte[length];
        MemorySegment.copy(memory.segment(), ValueLayout.JAVA_BYTE, RECEIVED, bytes, 0, length);
        pair.post(receive);
        return bytes;
    }

    /** A peer that ends its connection, or dies, is noticed meanwhile. */
    private void await(CompletionQueue queue, Duration limit) throws InterruptedException {
        long deadline = System.nanoTime() + limit.toNanos();
        while (queue.await(completions, BETWEEN_TRIES) == 0) {
            if (!connections.getFirst().isConnected()) {
                throw new ToolFailure(
                        peer + " closed the connection, in the middle of the exchange");
            }
            if (System.nanoTime() - deadline > 0) {
                throw new ToolFailure(
                        peer
                                + " said nothing for "
                                + TimeLimits.text(limit)
                                + ", in the middle of the exchange");
            }
        }
        completions.get(0).requireSuccess();
    }

    @Override
    public void finish() throws InterruptedException {
        part();
    }

    /** The client ends the connections, the server waits for that: each is to be acknowledged. */
    @Override
    public void part() throws InterruptedException {
        for (Connection connection : connections.subList(1, connections.size())) {
            if (isClient) {
                connection.disconnect();
            }
        }
        for (Connection connection : connections.subList(1, connections.size())) {
            connection.awaitDisconnect(stepLimit);
        }
    }

    @Override
    public void release() {
        while (connections.size() > 1) {
            connections.removeLast().close();
        }
    }

    @Override
    public void close() {
        release();
        if (listener != null) {
            listener.close();
        }
        connections.forEach(Connection::close);
        pair.close();
        memory.close();
        sends.close();
        receives.close();
        events.close();
        domain.close();
    }
}
