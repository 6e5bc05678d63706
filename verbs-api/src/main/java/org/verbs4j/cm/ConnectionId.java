package org.verbs4j.cm;

import org.jspecify.annotations.Nullable;
import org.verbs4j.DeviceContext;
import org.verbs4j.Ece;
import org.verbs4j.QueuePair;
import org.verbs4j.QueuePairAttributes;
import org.verbs4j.QueuePairState;
import org.verbs4j.UnsupportedVerbException;
import org.verbs4j.bindings.NativeLibraries;
import org.verbs4j.bindings.Verbs;
import org.verbs4j.bindings.ibv_ece;
import org.verbs4j.internal.VerbsInternals;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.time.Duration;

/**
 * One connection, or one listener, of the connection manager: {@code struct rdma_cm_id}.
 *
 * <p>Any thread may use it. Steps return at once; their outcome is an event of the {@link
 * EventChannel}, except where a method says that it is done. Queue pairs are made from {@link
 * #context()} and moved by {@link #attributesFor}, as external ones in C: this takes the place of
 * {@code rdma_create_qp} and {@code rdma_destroy_qp}.
 *
 * <p>Connecting takes: {@link #resolveAddress}, {@link #resolveRoute}, {@link #connect}, and after
 * {@link ConnectionEvent.Responded} the queue pair's moves and {@link #establish}. Serving takes:
 * {@link #bind}, {@link #listen}, and with the id of a {@link ConnectionEvent.Requested} the queue
 * pair's moves and {@link #accept}. A call out of turn that would crash the C library throws {@link
 * IllegalStateException}.
 */
public final class ConnectionId implements AutoCloseable {
    private final NativeId c;
    private final Origin origin;
    private final JoinedGroups groups = new JoinedGroups();
    private EventChannel channel;
    private boolean listening;
    private boolean answered;
    private volatile boolean closed;

    /** Where an id comes from. */
    enum Origin {
        CREATED,
        REQUESTED
    }

    ConnectionId(EventChannel channel, MemorySegment pointer, Origin origin) {
        this.channel = channel;
        this.c = new NativeId(pointer);
        this.origin = origin;
    }

    /** What kind of service the id is for. */
    public PortSpace portSpace() {
        return c.portSpace;
    }

    JoinedGroups groups() {
        return groups;
    }

    /**
     * Takes a local address, {@code rdma_bind_addr(3)}; done on return.
     *
     * @param local port 0 chooses one. The id has a device afterwards when the address belongs to
     *     one, and not for a wildcard or loopback address
     * @throws ConnectionException when the address is in use or not of this machine
     */
    public synchronized void bind(InetSocketAddress local) {
        requireOpen();
        c.bind(local);
    }

    /**
     * Listens, {@code rdma_listen(3)}; done on return. Requests arrive as {@link
     * ConnectionEvent.Requested}.
     *
     * @param backlog requests that may wait, as {@link Listener#bind(InetSocketAddress, int)}
     * @throws ConnectionException when another listener has the address
     */
    public synchronized void listen(int backlog) {
        requireOpen();
        c.listen(backlog);
        listening = true;
    }

    /**
     * Finds the device and the way to a peer, {@code rdma_resolve_addr(3)}; the outcome is {@link
     * ConnectionEvent.AddressResolved} or {@link ConnectionEvent.Failed}.
     *
     * @param source the local address to come from, null to let the routing table choose
     * @param remote the peer
     * @param timeout how long the kernel tries, to the millisecond, at least one
     * @throws ConnectionException when it is known at once that there is no way
     */
    public synchronized void resolveAddress(
            @Nullable InetSocketAddress source, InetSocketAddress remote, Duration timeout) {
        requireOpen();
        c.resolveAddress(source, remote, millis(timeout));
    }

    /**
     * Finds the path, {@code rdma_resolve_route(3)}; the outcome is {@link
     * ConnectionEvent.RouteResolved} or {@link ConnectionEvent.Failed}.
     *
     * @param timeout how long the kernel tries, to the millisecond, at least one
     * @throws IllegalStateException before the address is resolved, where C would crash
     * @throws ConnectionException when it is known at once that there is no path
     */
    public synchronized void resolveRoute(Duration timeout) {
        requireDevice("resolve a route");
        c.step("rdma_resolve_route", Verbs.rdma_resolve_route(c.handle, millis(timeout)));
    }

    private static int millis(Duration timeout) {
        return Math.clamp(EventChannel.nanos(timeout) / 1_000_000, 1, Integer.MAX_VALUE);
    }

    /**
     * Asks the peer for a connection, {@code rdma_connect(3)}; the outcome is {@link
     * ConnectionEvent.Responded} or {@link ConnectionEvent.Failed}, or nothing at all when the peer
     * keeps silent: set a time limit of your own. An id for datagrams asks whom to send to, and the
     * outcome is {@link ConnectionEvent.DatagramEstablished}.
     *
     * @param queuePairNumber of a queue pair made from {@link #context()}
     * @param parameters with at most {@value ConnectionParameters#MAX_CONNECT_PRIVATE_DATA} bytes
     *     of private data, for datagrams {@value
     *     ConnectionParameters#MAX_DATAGRAM_CONNECT_PRIVATE_DATA}
     * @throws IllegalStateException before the address is resolved
     * @throws ConnectionException when the route has not been resolved, or it is connected
     */
    public void connect(int queuePairNumber, ConnectionParameters parameters) {
        connect(queuePairNumber, false, parameters);
    }

    /**
     * As {@link #connect(int, ConnectionParameters)}, and tells the peer whether the queue pair
     * takes from a shared receive queue, which {@code rdma_create_srq} and {@code rdma_create_qp}
     * are for in C.
     */
    public void connect(QueuePair pair, ConnectionParameters parameters) {
        connect(pair.number(), VerbsInternals.get().sharesReceives(pair), parameters);
    }

    private synchronized void connect(
            int queuePairNumber, boolean sharesReceives, ConnectionParameters parameters) {
        requireDevice("connect");
        c.connect(queuePairNumber, sharesReceives, parameters);
    }

    /**
     * Accepts the request that this id came with, {@code rdma_accept(3)}; the outcome is {@link
     * ConnectionEvent.Established} or {@link ConnectionEvent.Failed}, or nothing at all when the
     * peer has gone. A request for datagrams has no outcome: it is done on return.
     *
     * @param queuePairNumber of a queue pair that is ready to send
     * @param parameters with at most {@value ConnectionParameters#MAX_ACCEPT_PRIVATE_DATA} bytes of
     *     private data, for datagrams {@value
     *     ConnectionParameters#MAX_DATAGRAM_ACCEPT_PRIVATE_DATA}
     * @throws IllegalStateException when the id did not come with a request, where C would crash,
     *     or the request has been answered
     */
    public void accept(int queuePairNumber, ConnectionParameters parameters) {
        accept(queuePairNumber, false, parameters);
    }

    /**
     * As {@link #accept(int, ConnectionParameters)}, and tells the peer whether the queue pair
     * takes from a shared receive queue.
     */
    public void accept(QueuePair pair, ConnectionParameters parameters) {
        accept(pair.number(), VerbsInternals.get().sharesReceives(pair), parameters);
    }

    private synchronized void accept(
            int queuePairNumber, boolean sharesReceives, ConnectionParameters parameters) {
        requireRequest("accept");
        c.accept(queuePairNumber, sharesReceives, parameters);
        answered = true;
    }

    /**
     * Rejects the request that this id came with, {@code rdma_reject(3)}; done on return.
     *
     * @param privateData at most {@value ConnectionParameters#MAX_REJECT_PRIVATE_DATA} bytes for
     *     the peer to read, for datagrams {@value
     *     ConnectionParameters#MAX_DATAGRAM_ACCEPT_PRIVATE_DATA}
     * @throws IllegalStateException when the id did not come with a request, or it has been
     *     answered
     */
    public synchronized void reject(ByteBuffer privateData) {
        requireRequest("reject");
        c.reject(privateData);
        answered = true;
    }

    /**
     * Rejects because the peer's {@link #remoteEce} options are not acceptable, {@code
     * rdma_reject_ece}, see {@code rdma_reject(3)}.
     *
     * @throws UnsupportedVerbException when rdma-core is older than 31
     * @throws IllegalStateException as {@link #reject}
     */
    public synchronized void rejectEce() {
        requireRequest("reject");
        c.step("rdma_reject_ece", EceExchange.reject(c.handle));
        answered = true;
    }

    /**
     * Completes the connecting side's handshake, {@code rdma_establish(3)}, once its queue pair is
     * ready to send; done on return.
     */
    public synchronized void establish() {
        requireDevice("establish a connection");
        c.step("rdma_establish", Verbs.rdma_establish(c.handle));
    }

    /**
     * Tells the connection manager that a message has arrived although the connection is not
     * established yet, {@code rdma_notify(3)} with {@code IBV_EVENT_COMM_EST}.
     */
    public synchronized void notifyCommunication() {
        requireDevice("notify");
        c.step("rdma_notify", Verbs.rdma_notify(c.handle, Verbs.IBV_EVENT_COMM_EST()));
    }

    /**
     * Ends the connection, {@code rdma_disconnect(3)}. The outcome is {@link
     * ConnectionEvent.Disconnected} on both sides; move the queue pair to error so that what is
     * outstanding is flushed.
     */
    public synchronized void disconnect() {
        requireDevice("disconnect");
        c.step("rdma_disconnect", Verbs.rdma_disconnect(c.handle));
    }

    /**
     * Asks the network for a multicast group's datagrams, {@code rdma_join_multicast(3)}; the
     * outcome is {@link ConnectionEvent.MulticastJoined} or {@link
     * ConnectionEvent.MulticastFailed}. Takes an id for datagrams that is bound to a device's
     * address, or has resolved one.
     *
     * @param group a multicast address
     * @throws IllegalStateException when the id has no device
     * @throws ConnectionException when the id is not for datagrams, or the kernel refuses
     */
    public void joinMulticast(InetAddress group) {
        join(group, Verbs.RDMA_MC_JOIN_FLAG_FULLMEMBER());
    }

    /**
     * As {@link #joinMulticast}, to send to the group and not to hear of it, {@code
     * rdma_join_multicast_ex(3)} with {@code RDMA_MC_JOIN_FLAG_SENDONLY_FULLMEMBER}.
     */
    public void joinMulticastToSend(InetAddress group) {
        join(group, Verbs.RDMA_MC_JOIN_FLAG_SENDONLY_FULLMEMBER());
    }

    private synchronized void join(InetAddress group, int flags) {
        requireDevice("join a multicast group");
        groups.join(c.handle, group, flags);
    }

    /**
     * Leaves a multicast group, or gives up joining it, {@code rdma_leave_multicast(3)}. Done on
     * return; detach the queue pair before. {@link #close()} leaves all.
     *
     * @throws ConnectionException when it has not been joined, or has been left (EADDRNOTAVAIL)
     */
    public synchronized void leaveMulticast(InetAddress group) {
        requireDevice("leave a multicast group");
        groups.leave(c.handle, group);
    }

    /**
     * What a queue pair's move to this state takes on this connection, {@code
     * rdma_init_qp_attr(3)}. Remote access is as the connection manager proposes it: set your own
     * before use where that is too wide.
     *
     * @param state INIT, READY_TO_RECEIVE or READY_TO_SEND
     * @throws IllegalStateException when the id has no device
     * @throws ConnectionException when the connection is not that far
     */
    public synchronized QueuePairAttributes attributesFor(QueuePairState state) {
        requireDevice("give attributes");
        return c.attributesFor(state);
    }

    /**
     * Lets the events of this id arrive at another channel, {@code rdma_migrate_id(3)}: to hand an
     * accepted connection to another event loop. Done on return.
     *
     * @param target an open channel
     */
    public synchronized void migrate(EventChannel target) {
        requireOpen();
        EventChannel source = channel;
        if (source == target) {
            return;
        }
        target.adopt(this);
        if (Verbs.rdma_migrate_id(c.handle, target.handle()) != 0) {
            int errno = NativeLibraries.errno();
            target.forget(this);
            throw new ConnectionException("rdma_migrate_id", errno, "moving " + this, null);
        }
        channel = target;
        source.forget(this);
    }

    /** Settings, to be made before binding or resolving: {@code rdma_set_option(3)}. */
    public ConnectionOptions options() {
        return new ConnectionOptions(this);
    }

    /** Sets an option while the id is open. */
    synchronized void set(int level, int option, MemorySegment value, String what) {
        requireOpen();
        int result = Verbs.rdma_set_option(c.handle, level, option, value, value.byteSize());
        if (result != 0) {
            throw new ConnectionException("rdma_set_option", NativeLibraries.errno(), what, null);
        }
    }

    /**
     * Offers the device's options to the peer, {@code rdma_set_local_ece(3)}.
     *
     * @throws UnsupportedVerbException when rdma-core is older than 31
     */
    public synchronized void localEce(Ece ece) {
        requireDevice("offer ECE options");
        c.step("rdma_set_local_ece", EceExchange.offer(c.handle, ece));
    }

    /**
     * What the peer's device offers, {@code rdma_get_remote_ece(3)}.
     *
     * @return vendor 0 when it offers nothing
     * @throws UnsupportedVerbException when rdma-core is older than 31
     */
    public synchronized Ece remoteEce() {
        requireDevice("tell ECE options");
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment out = arena.allocate(ibv_ece.layout());
            c.step("rdma_get_remote_ece", EceExchange.ask(c.handle, out));
            return new Ece(ibv_ece.vendor_id(out), ibv_ece.options(out));
        }
    }

    /** The local address, null before there is one; {@code rdma_get_local_addr(3)}. */
    public synchronized @Nullable InetSocketAddress localAddress() {
        requireOpen();
        return c.localAddress();
    }

    /** The peer's address, null before there is one; {@code rdma_get_peer_addr(3)}. */
    public synchronized @Nullable InetSocketAddress remoteAddress() {
        requireOpen();
        return c.remoteAddress();
    }

    /** Whether the id has found its device. */
    public synchronized boolean hasDevice() {
        requireOpen();
        return c.hasDevice();
    }

    /**
     * The device, to make queue pairs and their surroundings from. It is opened once, for all ids,
     * and kept: closing it does nothing.
     *
     * @throws IllegalStateException when the id has no device yet
     * @throws ConnectionException when the device cannot be opened, such as one that is being
     *     removed
     */
    public synchronized DeviceContext context() {
        requireDevice("tell its device");
        return c.context();
    }

    /**
     * The port of the device, from 1.
     *
     * @throws IllegalStateException when the id has no device yet
     */
    public synchronized int port() {
        requireDevice("tell its port");
        return c.port();
    }

    /** Where the events arrive. */
    public synchronized EventChannel channel() {
        return channel;
    }

    /** Escape hatch: {@code struct rdma_cm_id *}, valid while the id is open. */
    public synchronized MemorySegment handle() {
        requireOpen();
        return c.handle;
    }

    long address() {
        return c.handle.address();
    }

    private void requireOpen() {
        if (closed) {
            throw new IllegalStateException("the connection id is closed");
        }
    }

    private void requireDevice(String what) {
        requireOpen();
        if (!c.hasDevice()) {
            throw new IllegalStateException(
                    this + " has no device and cannot " + what + ": resolve the address first");
        }
    }

    private void requireRequest(String what) {
        requireDevice(what);
        if (origin != Origin.REQUESTED || answered) {
            throw new IllegalStateException(
                    this
                            + " cannot "
                            + what
                            + ": "
                            + (answered
                                    ? "it has been answered"
                                    : "it did not come with a request"));
        }
    }

    /**
     * Destroys the id, {@code rdma_destroy_id(3)}; a connection ends, without waiting for the
     * peer's answer. Does nothing when it is closed.
     */
    @Override
    public synchronized void close() {
        if (closed) {
            return;
        }
        closed = true;
        groups.leaveAll(c.handle); // C would leak them
        channel.forget(this);
        c.destroy();
    }

    /**
     * Closes it unless it has moved away from a channel, as a request does when it is handed out.
     */
    synchronized void closeOn(EventChannel here) {
        if (channel == here) {
            close();
        }
    }

    @Override
    public synchronized String toString() {
        if (closed) {
            return "connection id (closed)";
        }
        String kind = listening ? "listener at " : "connection id from ";
        return kind
                + SocketAddresses.text(localAddress())
                + (listening ? "" : " to " + SocketAddresses.text(remoteAddress()));
    }
}
