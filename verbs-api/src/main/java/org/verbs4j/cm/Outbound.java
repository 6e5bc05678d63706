package org.verbs4j.cm;

import org.jspecify.annotations.Nullable;
import org.verbs4j.DeviceContext;
import org.verbs4j.cm.ConnectionEvent.AddressResolved;
import org.verbs4j.cm.ConnectionEvent.RouteResolved;

import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.function.Consumer;

/**
 * The way to a peer, of either kind of connector: found once, used once.
 *
 * <p>One thread resolves and connects; any other may {@link #close()}, which ends its wait.
 */
final class Outbound {
    private final Link link;
    private final InetSocketAddress remote;
    private final @Nullable InetSocketAddress source;

    /** Outlives the link; null before the way is found. */
    private volatile @Nullable DeviceContext context;

    /** Under the lock of this object. */
    private State state = State.NEW;

    private enum State {
        NEW,
        RESOLVING,
        RESOLVED,
        CONNECTING,
        CONNECTED,
        CLOSED
    }

    private Outbound(Link link, ConnectorBuilder asked) {
        this.link = link;
        this.remote = asked.remote;
        this.source = asked.source;
        link.channel().belongsTo(this);
    }

    static Outbound create(ConnectorBuilder asked, PortSpace portSpace) {
        Link link = Link.create(portSpace);
        try {
            asked.apply(link.id().options());
            return new Outbound(link, asked);
        } catch (RuntimeException e) {
            link.closeAfter(e);
            throw e;
        }
    }

    void resolve(Duration timeout) throws InterruptedException {
        Deadline deadline = Deadline.in(timeout);
        move(State.NEW, State.RESOLVING);
        try {
            link.id().resolveAddress(source, remote, deadline.left());
            await("rdma_resolve_addr", AddressResolved.class, deadline, "is the host up?");
            link.id().resolveRoute(deadline.left());
            await("rdma_resolve_route", RouteResolved.class, deadline, "is there a path?");
            context = link.id().context();
            move(State.RESOLVING, State.RESOLVED);
        } catch (RuntimeException | InterruptedException e) {
            fail(e);
            throw e;
        }
    }

    private void await(
            String call,
            Class<? extends ConnectionEvent> expected,
            Deadline deadline,
            String ifLate)
            throws InterruptedException {
        ConnectionEvent event = link.await(call, deadline, remote, ifLate);
        if (!expected.isInstance(event)) {
            throw Diagnosis.unexpected(call, event, remote);
        }
    }

    private synchronized void move(State from, State to) {
        require(from);
        state = to;
    }

    private void require(State expected) {
        if (state != expected) {
            throw new IllegalStateException(
                    this
                            + switch (state) {
                                case NEW -> " has not found the way yet: resolve";
                                case CLOSED -> " is closed or has failed: resolve again";
                                default -> " has been used already: resolve again";
                            });
        }
    }

    /**
     * Begins the one connection.
     *
     * @param arguments looks at them and throws when they are wrong, whereupon it has not begun
     */
    synchronized Link begin(Consumer<Link> arguments) {
        require(State.RESOLVED);
        arguments.accept(link);
        state = State.CONNECTING;
        return link;
    }

    /** The link belongs to somebody else from now on; false when it has been closed meanwhile. */
    synchronized boolean handOver() {
        if (state == State.CLOSED) {
            return false;
        }
        state = State.CONNECTED;
        return true;
    }

    InetSocketAddress remote() {
        return remote;
    }

    DeviceContext context() {
        DeviceContext found = context;
        if (found == null) {
            throw new IllegalStateException(this + " has not found the way yet: resolve");
        }
        return found;
    }

    synchronized @Nullable InetSocketAddress localAddress() {
        return state == State.CONNECTED || state == State.CLOSED ? null : link.id().localAddress();
    }

    synchronized void fail(Throwable cause) {
        if (state != State.CLOSED) {
            state = State.CLOSED;
            link.closeAfter(cause);
        }
    }

    synchronized void close() {
        if (state != State.CONNECTED && state != State.CLOSED) {
            state = State.CLOSED;
            link.close();
        }
    }

    @Override
    public String toString() {
        return "connector to " + SocketAddresses.text(remote);
    }
}
