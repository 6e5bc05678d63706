package org.verbs4j.cm;

import org.jspecify.annotations.Nullable;

import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.Objects;

/**
 * The passive side: waits for connection requests at a local address.
 *
 * <p>Any thread may use it, several may accept at a time.
 */
public final class Listener implements AutoCloseable {
    private static final Duration FOR_EVER = Duration.ofDays(36_500);

    private final Link link;
    private final InetSocketAddress address;

    private Listener(Link link, InetSocketAddress address) {
        this.link = link;
        this.address = address;
    }

    /**
     * Listens.
     *
     * @param address port 0 chooses a free one, see {@link #localAddress()}. A wildcard address
     *     serves IPv4 and IPv6, as Java's sockets do
     * @param backlog requests that may wait to be accepted
     * @throws ConnectionException when the address is in use, not of this machine, or not of an
     *     RDMA device, with those that are
     */
    public static Listener bind(InetSocketAddress address, int backlog) {
        return at(address).backlog(backlog).bind();
    }

    /** Begins a listener with settings of its own. */
    public static ListenerBuilder at(InetSocketAddress address) {
        return new ListenerBuilder(address);
    }

    static Listener bind(ListenerBuilder asked) {
        Link link = Link.create();
        try {
            asked.bind(link.id());
            InetSocketAddress local = link.id().localAddress();
            return new Listener(link, Objects.requireNonNull(local, "a bound id has an address"));
        } catch (RuntimeException e) {
            link.closeAfter(e);
            throw e;
        }
    }

    /** The address with the port that it really has. */
    public InetSocketAddress localAddress() {
        return address;
    }

    /**
     * Waits for a request, however long it takes.
     *
     * @throws InterruptedException when the thread is interrupted
     * @throws IllegalStateException when the listener is closed, before or meanwhile
     * @throws ConnectionException when the device is removed
     */
    public ConnectionRequest accept() throws InterruptedException {
        while (true) {
            ConnectionRequest request = accept(FOR_EVER);
            if (request != null) {
                return request;
            }
        }
    }

    /**
     * Waits for a request.
     *
     * @param timeout the longest wait; zero only looks
     * @return null on time-out
     * @throws InterruptedException when the thread is interrupted; no request is lost
     * @throws IllegalStateException when the listener is closed, before or meanwhile
     * @throws ConnectionException when the device is removed
     */
    public @Nullable ConnectionRequest accept(Duration timeout) throws InterruptedException {
        Deadline deadline = Deadline.in(timeout);
        while (true) {
            ConnectionEvent event = link.channel().await(deadline.left());
            switch (event) {
                case null -> {
                    return null;
                }
                case ConnectionEvent.Requested requested -> {
                    return new ConnectionRequest(Link.adopt(requested.id()), requested);
                }
                case ConnectionEvent.DeviceRemoved removed ->
                        throw Diagnosis.unexpected("rdma_get_cm_event", removed, address);
                default -> {} // of an id that is on its way to its request's channel
            }
        }
    }

    /**
     * The descriptor, for an event loop of one's own: readable when {@link #accept(Duration)} with
     * zero time-out may find something. Do not close it and do not read from it.
     */
    public int fileDescriptor() {
        return link.channel().fileDescriptor();
    }

    /**
     * Stops listening: requests that nobody has accepted are rejected, those that were handed out
     * go on, and threads that wait get an {@link IllegalStateException}. Does nothing when it is
     * closed.
     */
    @Override
    public void close() {
        synchronized (link) {
            link.id().close();
            refuseWaiting();
            link.channel().close();
        }
    }

    /** What has arrived but was not taken has ids of its own. */
    private void refuseWaiting() {
        link.channel().closeIds();
    }

    @Override
    public String toString() {
        return "listener at " + SocketAddresses.text(address);
    }
}
