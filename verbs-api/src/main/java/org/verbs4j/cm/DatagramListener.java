package org.verbs4j.cm;

import org.jspecify.annotations.Nullable;

import java.net.InetSocketAddress;
import java.time.Duration;

/**
 * The passive side of datagrams: waits at a local address for peers that ask whom to send to,
 * {@code rdma_listen(3)} with {@code RDMA_PS_UDP}. Begin with {@link Listener#at}.
 *
 * <p>Any thread may use it, several may accept at a time.
 */
public final class DatagramListener implements AutoCloseable {
    private final Reception reception;

    DatagramListener(Reception reception) {
        this.reception = reception;
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
    public DatagramRequest accept() throws InterruptedException {
        return reception.accept(DatagramListener::request);
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
    public @Nullable DatagramRequest accept(Duration timeout) throws InterruptedException {
        return reception.accept(timeout, DatagramListener::request);
    }

    private static @Nullable DatagramRequest request(ConnectionEvent event) {
        return event instanceof ConnectionEvent.DatagramRequested requested
                ? Link.adopt(requested.id(), link -> new DatagramRequest(link, requested))
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
     * Stops listening: requests that nobody has taken are rejected, and threads that wait get an
     * {@link IllegalStateException}. Does nothing when it is closed.
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
