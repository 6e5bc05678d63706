package org.verbs4j.cm;

import org.jspecify.annotations.Nullable;

import java.net.InetSocketAddress;
import java.time.Duration;

/**
 * The passive side: waits for connection requests at a local address, {@code rdma_listen(3)}.
 *
 * <p>Any thread may use it, several may accept at a time.
 */
public final class Listener implements AutoCloseable {
    private final Reception reception;

    Listener(Reception reception) {
        this.reception = reception;
    }

    /**
     * Listens, {@code rdma_bind_addr(3)} and {@code rdma_listen(3)}.
     *
     * @param address port 0 chooses a free one, see {@link #localAddress()}. A wildcard address
     *     serves IPv4 and IPv6, as Java's sockets do
     * @param backlog requests that may wait to be accepted; more get no answer. 0 and less stand
     *     for the system's own limit, {@code /proc/sys/net/rdma_ucm/max_backlog}, as does what
     *     exceeds it
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

    /** The address with the port that it really has. */
    public InetSocketAddress localAddress() {
        return reception.localAddress();
    }

    /**
     * Waits for a request, however long it takes.
     *
     * @throws InterruptedException when the thread is interrupted
     * @throws IllegalStateException when the listener is closed, before or meanwhile
     * @throws ConnectionException when the device is removed, or when this process has too many
     *     open files for the request, which is rejected
     */
    public ConnectionRequest accept() throws InterruptedException {
        return reception.accept(Listener::request);
    }

    /**
     * Waits for a request.
     *
     * @param timeout the longest wait; zero only looks
     * @return null on time-out
     * @throws InterruptedException when the thread is interrupted; no request is lost
     * @throws IllegalStateException when the listener is closed, before or meanwhile
     * @throws ConnectionException when the device is removed, or when this process has too many
     *     open files for the request, which is rejected
     */
    public @Nullable ConnectionRequest accept(Duration timeout) throws InterruptedException {
        return reception.accept(timeout, Listener::request);
    }

    private static @Nullable ConnectionRequest request(ConnectionEvent event) {
        return event instanceof ConnectionEvent.Requested requested
                ? Link.adopt(requested.id(), link -> new ConnectionRequest(link, requested))
                : null;
    }

    /**
     * The descriptor, for an event loop of one's own: readable when {@link #accept(Duration)} with
     * zero time-out may find something. Do not close it and do not read from it.
     */
    public int fileDescriptor() {
        return reception.fileDescriptor();
    }

    /**
     * Stops listening: requests that nobody has accepted are rejected, those that were handed out
     * go on, and threads that wait get an {@link IllegalStateException}. Does nothing when it is
     * closed.
     */
    @Override
    public void close() {
        reception.close();
    }

    @Override
    public String toString() {
        return reception.toString();
    }
}
