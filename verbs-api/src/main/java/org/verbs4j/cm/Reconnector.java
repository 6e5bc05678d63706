package org.verbs4j.cm;

import static java.util.concurrent.TimeUnit.NANOSECONDS;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.verbs4j.CompletionHandler;
import org.verbs4j.DeviceContext;
import org.verbs4j.RcQueuePair;
import org.verbs4j.WorkCompletions;
import org.verbs4j.bindings.Posix;

import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Function;

/**
 * Keeps a connection to a server: one that is lost is replaced, with a new queue pair, and the
 * program is told which requests of the old one were flushed.
 *
 * <p>One thread uses it, the one that posts and polls; any other may {@link #close()} it, which
 * ends its wait. Nothing happens behind the program's back: the replacement is made by {@link
 * #connection}, when the program asks for it.
 */
public final class Reconnector implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(Reconnector.class);
    private static final Duration FIRST_PAUSE = Duration.ofMillis(50);
    private static final Duration LONGEST_PAUSE = Duration.ofSeconds(2);
    private static final Duration ATTEMPT = Duration.ofSeconds(5);
    private static final Duration DRAIN = Duration.ofSeconds(5);
    private static final int DRAINED_TOGETHER = 16;
    private static final long WAKE_AGAIN_NANOS = 1_000_000;

    private final ConnectorBuilder way;
    private final Function<DeviceContext, RcQueuePair> maker;
    private final CompletionHandler flushed;
    private final ConnectionParameters parameters;

    /** Held by the thread that uses it. */
    private final ReentrantLock turn = new ReentrantLock();

    /** Open until this is closed. */
    private final CountDownLatch closing = new CountDownLatch(1);

    private @Nullable Connection current;

    /** What a close has to close to end the wait of the thread that has the turn. */
    private volatile @Nullable AutoCloseable waited;

    /**
     * Keeps what connections are made with; the first is made by {@link #connection}.
     *
     * @param way from {@link Connector#to}
     * @param maker makes a queue pair and posts its first receives; called for each connection. The
     *     context is the same as long as the device is, so that domains, regions and completion
     *     queues can stay. The queue pair is closed by this object
     * @param parameters for each connection
     * @param flushed called for each completion that a lost connection still owed, and for all else
     *     that its completion queues hold meanwhile, other queue pairs' included, as in {@link
     *     Connection#drain}
     */
    public Reconnector(
            ConnectorBuilder way,
            Function<DeviceContext, RcQueuePair> maker,
            ConnectionParameters parameters,
            CompletionHandler flushed) {
        this.way = way;
        this.maker = maker;
        this.parameters = parameters;
        this.flushed = flushed;
    }

    /**
     * The connection: the one that there is, or a new one in place of one that is lost. After a
     * failed completion call {@link #lost()} first, then this.
     *
     * @param timeout the longest that this may take; attempts are repeated with growing pauses,
     *     from 50 ms to 2 s, whatever they have failed by: a server that rejects is asked again,
     *     too
     * @throws ConnectionException when time is over: of the last attempt, or of the one before
     *     where the end cut the last one short
     * @throws InterruptedException when the thread is interrupted
     * @throws IllegalStateException when this is closed, before or meanwhile, or when its own maker
     *     or handler asks
     */
    public Connection connection(Duration timeout) throws InterruptedException {
        if (turn.isHeldByCurrentThread()) {
            throw new IllegalStateException(
                    "a reconnector's maker or handler asked for its connection, which is given up"
                            + " or made just then: ask when connection() or lost() has returned");
        }
        Deadline deadline = Deadline.in(timeout);
        if (!turn.tryLock(deadline.left().toNanos(), NANOSECONDS)) {
            throw Diagnosis.late(
                    "rdma_connect", timeout, way.remote, "another thread uses the reconnector");
        }
        try {
            return connectionInTurn(deadline);
        } finally {
            turn.unlock();
        }
    }

    private Connection connectionInTurn(Deadline deadline) throws InterruptedException {
        requireOpen();
        Connection here = current;
        if (here != null && here.isConnected()) {
            return here;
        }
        giveUp();
        Duration pause = FIRST_PAUSE;
        ConnectionException before = null;
        while (true) {
            try {
                Connection made = connect(deadline);
                current = made;
                return made;
            } catch (ConnectionException e) {
                long nanos = ThreadLocalRandom.current().nextLong(pause.toNanos()) + 1;
                LOG.debug("again in {} us: {}", nanos / 1_000, e.getMessage());
                if (closing.await(Math.min(nanos, deadline.left().toNanos()), NANOSECONDS)) {
                    requireOpen();
                }
                if (deadline.left().isZero()) {
                    throw telling(before, e);
                }
                before = e;
                Duration longer = pause.multipliedBy(2);
                pause = longer.compareTo(LONGEST_PAUSE) > 0 ? LONGEST_PAUSE : longer;
            }
        }
    }

    /** An attempt that the end of all time has cut short says nothing of the peer. */
    static ConnectionException telling(
            @Nullable ConnectionException before, ConnectionException last) {
        boolean cutShort = last.event() == null && last.errno() == Posix.ETIMEDOUT();
        if (before == null || !cutShort) {
            return last;
        }
        before.addSuppressed(last);
        return before;
    }

    private Connection connect(Deadline deadline) throws InterruptedException {
        try (Connector connector = way.open()) {
            endOnClose(connector);
            connector.resolve(shorter(deadline.left()));
            RcQueuePair pair = maker.apply(connector.context());
            try {
                requireOpen(); // the maker may have closed this, with nothing to close yet
                return connector.connect(pair, parameters, shorter(deadline.left()));
            } catch (RuntimeException | InterruptedException e) {
                pair.close();
                throw e;
            }
        }
    }

    /** A close that has come before this sees nothing to end, so this looks at it afterwards. */
    private void endOnClose(AutoCloseable wait) {
        waited = wait;
        requireOpen();
    }

    /** An attempt must not use up the time of the next ones. */
    private static Duration shorter(Duration left) {
        return left.compareTo(ATTEMPT) > 0 ? ATTEMPT : left;
    }

    /**
     * Gives up the present connection, such as after a failed request: hands out what it owed, and
     * closes it with its queue pair.
     *
     * @throws InterruptedException when the thread is interrupted
     */
    public void lost() throws InterruptedException {
        turn.lockInterruptibly();
        try {
            giveUp();
        } finally {
            turn.unlock();
        }
    }

    private void giveUp() throws InterruptedException {
        Connection here = current;
        if (here == null) {
            return;
        }
        current = null;
        try {
            endOnClose(here);
            if (!here.drain(WorkCompletions.allocate(DRAINED_TOGETHER), flushed, DRAIN)) {
                LOG.debug("{}: not everything was flushed", here);
            }
        } finally {
            here.close();
            here.queuePair().close();
        }
    }

    private void requireOpen() {
        if (closing.getCount() == 0) {
            throw new IllegalStateException("the reconnector is closed");
        }
    }

    /**
     * Disconnects, without handing out what is flushed; a thread that waits in this object gets an
     * {@link IllegalStateException}. Does nothing when it is closed.
     */
    @Override
    public void close() {
        closing.countDown();
        while (!turn.tryLock()) {
            endWait();
            LockSupport.parkNanos(WAKE_AGAIN_NANOS);
        }
        try {
            Connection here = current;
            if (here != null) {
                current = null;
                here.close();
                here.queuePair().close();
            }
        } finally {
            turn.unlock();
        }
    }

    private void endWait() {
        switch (waited) {
            case Connector connector -> connector.close();
            case Connection connection -> connection.close();
            case null, default -> {}
        }
    }
}
