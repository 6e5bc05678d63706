package org.verbs4j.cm;

import org.jspecify.annotations.Nullable;

import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.Objects;
import java.util.function.Function;

/**
 * Where requests come in, of either kind of listener.
 *
 * <p>Any thread may use it, several may accept at a time.
 */
final class Reception {
    private static final Duration FOR_EVER = Duration.ofDays(36_500);

    private final Link link;
    private final InetSocketAddress address;

    /** With the turn of the channel. */
    private ConnectionEvent.@Nullable DeviceRemoved removed;

    private Reception(Link link, InetSocketAddress address) {
        this.link = link;
        this.address = address;
        link.channel().belongsTo(this);
    }

    static Reception open(ListenerBuilder asked, PortSpace portSpace) {
        Link link = Link.create(portSpace);
        try {
            asked.bind(link.id());
            InetSocketAddress local = link.id().localAddress();
            return new Reception(link, Objects.requireNonNull(local, "a bound id has an address"));
        } catch (RuntimeException e) {
            link.closeAfter(e);
            throw e;
        }
    }

    /** The address with the port that it really has. */
    InetSocketAddress localAddress() {
        return address;
    }

    /** Waits for a request, however long it takes. */
    <T> T accept(Function<ConnectionEvent, @Nullable T> take) throws InterruptedException {
        while (true) {
            T request = accept(FOR_EVER, take);
            if (request != null) {
                return request;
            }
        }
    }

    /**
     * Waits for a request.
     *
     * @param take makes a request of its event; null of another one, which is of an id on its way
     *     to its request's channel
     * @return null on time-out
     */
    <T> @Nullable T accept(Duration timeout, Function<ConnectionEvent, @Nullable T> take)
            throws InterruptedException {
        Deadline deadline = Deadline.in(timeout);
        while (true) {
            ConnectionEvent event = link.channel().await(deadline.left(), this::next);
            if (event == null) {
                return null;
            }
            T request = take.apply(event);
            if (request != null) {
                return request;
            }
        }
    }

    /** The removal of the listener's own device is told to all, as nothing can come after it. */
    private @Nullable ConnectionEvent next() {
        ConnectionEvent event = removed == null ? link.channel().poll() : removed;
        if (event instanceof ConnectionEvent.DeviceRemoved gone && gone.id() == link.id()) {
            removed = gone;
            throw Diagnosis.removed("rdma_get_cm_event", gone);
        }
        return event;
    }

    int fileDescriptor() {
        return link.channel().fileDescriptor();
    }

    /** Rejects what has arrived and was not taken. */
    void close() {
        synchronized (link) {
            link.id().close();
            link.channel().closeIds();
            link.channel().close();
        }
    }

    @Override
    public String toString() {
        return "listener at " + SocketAddresses.text(address);
    }
}
