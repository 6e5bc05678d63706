package org.verbs4j.cm;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.verbs4j.CompletionHandler;
import org.verbs4j.RcQueuePair;
import org.verbs4j.VerbsException;
import org.verbs4j.WorkCompletions;
import org.verbs4j.internal.VerbsInternals;

import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.concurrent.locks.ReentrantLock;

/**
 * A connected queue pair and its peer: a {@code struct rdma_cm_id} after {@code
 * RDMA_CM_EVENT_ESTABLISHED}.
 *
 * <p>Any thread may use it, several at a time; posting to the queue pair has its own rule. A peer's
 * disconnect is noticed, and answered, when {@link #isConnected()}, {@link #awaitDisconnect} or
 * {@link #close()} looks; the queue pair moves to error then, so that everything outstanding
 * completes. A server that waits for completions learns of it by a second thread, a virtual one
 * will do, that waits in {@link #awaitDisconnect}: the receives that are posted complete as
 * flushed, which ends the first one's wait.
 */
public final class Connection implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(Connection.class);

    /** Long enough for a lost message to be repeated; a peer that has died does not answer. */
    private static final Duration GRACE = Duration.ofSeconds(1);

    private final Link link;
    private final RcQueuePair pair;
    private final ByteBuffer privateData;
    private final @Nullable InetSocketAddress remote;
    private final @Nullable InetSocketAddress local;
    private final Runnable endUse;

    private volatile boolean connected = true;
    private volatile boolean disconnecting;
    private boolean closed;

    /** Held by the thread that closes. */
    private final ReentrantLock closing = new ReentrantLock();

    Connection(Link link, RcQueuePair pair, ByteBuffer privateData) {
        this.link = link;
        this.pair = pair;
        this.privateData = privateData;
        this.remote = link.id().remoteAddress();
        this.local = link.id().localAddress();
        link.channel().belongsTo(this);
        this.endUse = VerbsInternals.get().use(pair, toString());
    }

    /** The queue pair; close it after this. */
    public RcQueuePair queuePair() {
        return pair;
    }

    /**
     * What the peer sent along when it connected or accepted, read-only, as long as the transport
     * makes it, with zeros at the end: how much of it counts, the data itself must tell.
     */
    public ByteBuffer privateData() {
        return privateData.duplicate();
    }

    /** The peer's address, {@code rdma_get_peer_addr(3)}. */
    public @Nullable InetSocketAddress remoteAddress() {
        return remote;
    }

    /** The local address, {@code rdma_get_local_addr(3)}. */
    public @Nullable InetSocketAddress localAddress() {
        return local;
    }

    /**
     * Whether neither side has disconnected, as far as has been heard. A process that ends, or is
     * killed, disconnects: its kernel says so. A host or a network that dies is noticed by failed
     * requests only, and never by an end that only receives.
     */
    public boolean isConnected() {
        if (connected && !isClosed()) {
            link.channel().pollAll(this::apply);
        }
        return connected;
    }

    /**
     * Waits for the end of the connection: either side's disconnect, or the removal of the device.
     *
     * @param timeout the longest wait; zero only looks
     * @return whether it has ended; false on time-out
     * @throws InterruptedException when the thread is interrupted
     * @throws IllegalStateException when this is closed meanwhile
     */
    public boolean awaitDisconnect(Duration timeout) throws InterruptedException {
        if (!connected) {
            return true;
        }
        return link.channel().await(timeout, this::lookForEnd) != null;
    }

    private @Nullable Boolean lookForEnd() {
        link.channel().readAll(this::apply);
        return connected ? null : true;
    }

    private void apply(ConnectionEvent event) {
        switch (event) {
            case ConnectionEvent.Disconnected e -> ended();
            case ConnectionEvent.DeviceRemoved e -> ended();
            case ConnectionEvent.Failed e -> ended();
            default -> LOG.debug("{}: {}", this, event);
        }
    }

    private void ended() {
        if (!disconnecting) { // a peer that disconnects repeats it until it is answered
            sendDisconnect();
        }
        connected = false;
    }

    /**
     * Disconnects, {@code rdma_disconnect(3)}: everything outstanding completes as flushed, and the
     * peer is told. Poll before what must still succeed. The end is complete when {@link
     * #awaitDisconnect} says so. Does nothing when it has ended.
     */
    public synchronized void disconnect() {
        if (connected && !disconnecting && !closed) {
            sendDisconnect();
        }
    }

    /**
     * As {@code rdma_disconnect}, which does not know external queue pairs, would do it. Who reads
     * the event of the peer's disconnect does this beside a close, which ends both objects.
     */
    private void sendDisconnect() {
        disconnecting = true;
        try {
            pair.moveToError();
        } catch (VerbsException | IllegalStateException e) {
            LOG.debug("{}: {}", pair, e.getMessage());
        }
        try {
            link.id().disconnect();
        } catch (VerbsException | IllegalStateException e) {
            LOG.debug("{} has ended already: {}", this, e.getMessage());
        }
    }

    /**
     * Disconnects, and hands out every completion that the queue pair still owes, the flushed ones
     * included, so that buffers can be taken back. Stop posting first, and let no other thread poll
     * the queues meanwhile.
     *
     * @param into to poll with
     * @param handler called for each completion, those of other queue pairs on the same queues
     *     included
     * @param timeout the longest that this may take
     * @return whether everything has been handed out; false on time-out
     * @throws InterruptedException when the thread is interrupted
     * @throws IllegalStateException when this is closed, before or meanwhile
     */
    public boolean drain(WorkCompletions into, CompletionHandler handler, Duration timeout)
            throws InterruptedException {
        requireOpen();
        disconnect();
        return new Drain(pair, into, handler, this::requireOpen).run(Deadline.in(timeout));
    }

    private void requireOpen() {
        if (isClosed()) {
            throw new IllegalStateException(this + " is closed");
        }
    }

    /**
     * The descriptor, for an event loop of one's own: when it is readable, look at {@link
     * #isConnected()}. Do not close it and do not read from it.
     */
    public int fileDescriptor() {
        return link.channel().fileDescriptor();
    }

    private synchronized boolean isClosed() {
        return closed;
    }

    /**
     * Disconnects if that has not happened, waits up to a second for the peer to acknowledge it,
     * and frees the connection. The queue pair stays, in error: what it still owes can be polled
     * afterwards. Does nothing when it is closed; when another thread is closing it, waits for
     * that.
     */
    @Override
    public void close() {
        closing.lock(); // who comes second finds everything freed
        try {
            synchronized (this) {
                if (closed) {
                    return;
                }
                disconnect();
                closed = true;
            }
            awaitAnswer();
            release();
        } finally {
            closing.unlock();
        }
    }

    private void awaitAnswer() {
        try {
            if (!awaitDisconnect(GRACE)) {
                LOG.debug("{}: the peer has not acknowledged the end", this);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** Frees the connection without a word to the peer, which the destruction of the id gives. */
    void abandon() {
        synchronized (this) {
            closed = true;
        }
        release();
    }

    private void release() {
        connected = false;
        link.close();
        endUse.run();
    }

    @Override
    public String toString() {
        return "connection from "
                + SocketAddresses.text(local)
                + " to "
                + SocketAddresses.text(remote);
    }
}
