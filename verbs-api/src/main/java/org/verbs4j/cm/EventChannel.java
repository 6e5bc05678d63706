package org.verbs4j.cm;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.verbs4j.DeviceContext;
import org.verbs4j.VerbsException;
import org.verbs4j.bindings.NativeLibraries;
import org.verbs4j.bindings.Posix;
import org.verbs4j.bindings.Verbs;
import org.verbs4j.bindings.rdma_cm_event;
import org.verbs4j.bindings.rdma_event_channel;
import org.verbs4j.internal.ConnectionManagerEvent;
import org.verbs4j.internal.DescriptorWait;
import org.verbs4j.internal.NonBlocking;
import org.verbs4j.internal.VerbsInternals;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import java.util.function.Supplier;
import java.util.stream.Collectors;

/**
 * Where the events of {@link ConnectionId}s arrive, {@code struct rdma_event_channel}.
 *
 * <p>Any thread may use it, several at a time; each event goes to one of those that wait, in the
 * order of arrival. A wait ends by an event, by time-out, by {@link Thread#interrupt()}, or because
 * another thread closes the channel. A virtual thread that waits is parked.
 *
 * <p>An event is copied and acknowledged, {@code rdma_ack_cm_event}, before it is handed out, so
 * that closing an id cannot hang as in C.
 */
public final class EventChannel implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(EventChannel.class);
    private static final Duration LONGEST = Duration.ofDays(36_500);
    private static final int WAKE_AGAIN_MILLIS = 10;

    private final MemorySegment handle;
    private final int fileDescriptor;
    private final DescriptorWait descriptor;

    /** Held by the thread that waits and reads. */
    private final ReentrantLock turn = new ReentrantLock();

    /** Also the lock for closing and adding. */
    private final Map<Long, ConnectionId> ids = new LinkedHashMap<>();

    private volatile boolean closed;

    /** Whose it is, where a program does not see it. */
    private volatile @Nullable Object owner;

    private EventChannel(MemorySegment handle) {
        this.handle = handle;
        this.fileDescriptor = rdma_event_channel.fd(handle);
        NonBlocking.set(fileDescriptor);
        this.descriptor = new DescriptorWait(fileDescriptor);
    }

    /**
     * Opens a channel, {@code rdma_create_event_channel(3)}.
     *
     * @throws ConnectionException when {@code librdmacm} is not installed, with the package to
     *     install, or when the kernel's connection manager cannot be reached, with what to check
     */
    public static EventChannel open() {
        requireLibrary();
        MemorySegment channel = Verbs.rdma_create_event_channel();
        if (channel.address() == 0) {
            throw Diagnosis.channel(NativeLibraries.errno());
        }
        try {
            return new EventChannel(channel.reinterpret(rdma_event_channel.sizeof()));
        } catch (VerbsException e) {
            Verbs.rdma_destroy_event_channel(channel);
            throw Diagnosis.channel(e.errno());
        } catch (RuntimeException e) {
            Verbs.rdma_destroy_event_channel(channel);
            throw e;
        }
    }

    /** Lets messages name what the program has made, in the place of the channel. */
    void belongsTo(Object newOwner) {
        owner = newOwner;
    }

    static void requireLibrary() {
        NativeLibraries.rdmaCmProblem()
                .ifPresent(
                        problem -> {
                            throw new ConnectionException("librdmacm", 0, problem, null);
                        });
    }

    /**
     * A new id for a reliable connection, {@code rdma_create_id(3)} with {@code RDMA_PS_TCP}. Its
     * events arrive here.
     *
     * @throws ConnectionException when the kernel refuses
     */
    public ConnectionId newId() {
        return newId(PortSpace.TCP);
    }

    /**
     * A new id, {@code rdma_create_id(3)}. Its events arrive here.
     *
     * @param portSpace what kind of service it is for; not {@link PortSpace#UNKNOWN}
     * @throws ConnectionException when the kernel refuses
     */
    public ConnectionId newId(PortSpace portSpace) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment out = arena.allocate(Verbs.C_POINTER);
            synchronized (ids) {
                requireOpen();
                int result =
                        Verbs.rdma_create_id(handle, out, MemorySegment.NULL, portSpace.code());
                if (result != 0) {
                    throw new ConnectionException(
                            "rdma_create_id",
                            NativeLibraries.errno(),
                            "no identifier of port space " + portSpace,
                            null);
                }
                return add(out.get(Verbs.C_POINTER, 0), ConnectionId.Origin.CREATED);
            }
        }
    }

    private ConnectionId add(MemorySegment pointer, ConnectionId.Origin origin) {
        ConnectionId id = new ConnectionId(this, pointer, origin);
        ids.put(pointer.address(), id);
        return id;
    }

    /** Lets an id's events arrive here. */
    void adopt(ConnectionId id) {
        synchronized (ids) {
            requireOpen();
            ids.put(id.address(), id);
        }
    }

    /** The id's events are of no interest here any more. */
    void forget(ConnectionId id) {
        synchronized (ids) {
            ids.remove(id.address());
        }
    }

    /** Closes all ids, which rejects the requests among them that nobody has taken. */
    void closeIds() {
        List<ConnectionId> open;
        synchronized (ids) {
            open = List.copyOf(ids.values());
        }
        open.forEach(id -> id.closeOn(this));
    }

    /**
     * The next event if there is one, {@code rdma_get_cm_event(3)}; never waits.
     *
     * @return null when there is none, or another thread is waiting for it
     * @throws IllegalStateException when the channel is closed
     */
    public @Nullable ConnectionEvent poll() {
        requireOpen();
        if (!turn.tryLock()) {
            return null;
        }
        try {
            requireOpen();
            return read();
        } finally {
            turn.unlock();
        }
    }

    /**
     * Waits for the next event, {@code rdma_get_cm_event(3)}.
     *
     * @param timeout the longest wait; zero only looks
     * @return null on time-out
     * @throws InterruptedException when the thread is interrupted; no event is lost
     * @throws IllegalStateException when the channel is closed, before or meanwhile
     */
    public @Nullable ConnectionEvent await(Duration timeout) throws InterruptedException {
        return await(timeout, this::read);
    }

    /** Waits until events have brought something about. */
    <T> @Nullable T await(Duration timeout, Supplier<@Nullable T> look)
            throws InterruptedException {
        long nanos = nanos(timeout);
        long deadline = System.nanoTime() + nanos;
        requireOpen();
        if (!turn.tryLock(nanos, TimeUnit.NANOSECONDS)) {
            requireOpen();
            return null;
        }
        try {
            while (true) {
                requireOpen();
                T found = look.get();
                if (found != null) {
                    return found;
                }
                if (Thread.interrupted()) {
                    throw new InterruptedException("interrupted while waiting on " + this);
                }
                long left = deadline - System.nanoTime();
                if (left <= 0) {
                    return null;
                }
                descriptor.await(left);
            }
        } finally {
            turn.unlock();
        }
    }

    /** Hands out what has arrived, unless another thread is doing it or the channel is closed. */
    void pollAll(Consumer<ConnectionEvent> handler) {
        if (turn.tryLock()) {
            try {
                if (!closed) {
                    readAll(handler);
                }
            } finally {
                turn.unlock();
            }
        }
    }

    /**
     * With the turn, so that the channel is still there: hands out what has arrived. Of what a
     * close has forgotten nothing comes.
     */
    void readAll(Consumer<ConnectionEvent> handler) {
        for (ConnectionEvent event = read(); event != null; event = read()) {
            handler.accept(event);
        }
    }

    /** Longer than a century is as good as for ever, and the sum with a clock cannot overflow. */
    static long nanos(Duration timeout) {
        return timeout.isNegative()
                ? 0
                : (timeout.compareTo(LONGEST) > 0 ? LONGEST : timeout).toNanos();
    }

    /** The next event of an id that is still of interest; null when there is none. */
    private @Nullable ConnectionEvent read() {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment out = arena.allocate(Verbs.C_POINTER);
            while (true) {
                if (Verbs.rdma_get_cm_event(handle, out) != 0) {
                    int errno = NativeLibraries.errno();
                    if (errno == Posix.EAGAIN()) {
                        return null;
                    }
                    if (errno == Posix.EINTR()) {
                        continue;
                    }
                    throw new ConnectionException(
                            "rdma_get_cm_event", errno, "reading " + this, null);
                }
                MemorySegment pointer = out.get(Verbs.C_POINTER, 0);
                int status = rdma_cm_event.status(pointer.reinterpret(rdma_cm_event.sizeof()));
                ConnectionEvent event = take(pointer);
                if (event != null) {
                    ConnectionManagerEvent.emit(
                            event.getClass().getSimpleName(), status, event.id());
                    LOG.debug("{}", event);
                    return event;
                }
            }
        }
    }

    /** Copies and acknowledges; null when the id has been closed meanwhile. */
    private @Nullable ConnectionEvent take(MemorySegment pointer) {
        MemorySegment event = pointer.reinterpret(rdma_cm_event.sizeof());
        MemorySegment orphan = MemorySegment.NULL;
        try {
            boolean request = rdma_cm_event.event(event) == Verbs.RDMA_CM_EVENT_CONNECT_REQUEST();
            synchronized (ids) {
                MemorySegment subject = rdma_cm_event.id(event);
                if (!request) {
                    ConnectionId id = ids.get(subject.address());
                    return id == null ? null : EventReader.read(event, id);
                }
                ConnectionId listener = ids.get(rdma_cm_event.listen_id(event).address());
                if (listener == null) {
                    orphan = subject;
                    return null;
                }
                ConnectionId id = add(subject, ConnectionId.Origin.REQUESTED);
                return EventReader.readRequest(event, id, listener);
            }
        } finally {
            Verbs.rdma_ack_cm_event(event);
            if (orphan.address() != 0) { // the listener is closed, so nobody could answer
                Verbs.rdma_destroy_id(orphan);
            }
        }
    }

    /**
     * The contexts of all RDMA devices that the C library can use, {@code rdma_get_devices(3)}: the
     * ones that {@link ConnectionId#context()} gives.
     *
     * @return empty when there is none
     * @throws org.verbs4j.VerbsException when one cannot be opened, such as one that is being
     *     removed
     */
    public static List<DeviceContext> devices() {
        requireLibrary();
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment count = arena.allocate(Verbs.C_INT);
            MemorySegment array = Verbs.rdma_get_devices(count);
            if (array.address() == 0) {
                return List.of();
            }
            try {
                return array.reinterpret(count.get(Verbs.C_INT, 0) * Verbs.C_POINTER.byteSize())
                        .elements(Verbs.C_POINTER)
                        .map(element -> element.get(Verbs.C_POINTER, 0))
                        .map(VerbsInternals.get()::shared)
                        .toList();
            } finally {
                Verbs.rdma_free_devices(array);
            }
        }
    }

    /**
     * The descriptor, for an event loop of one's own: readable when {@link #poll()} would find
     * something. It is non-blocking. Do not close it and do not read from it.
     */
    public int fileDescriptor() {
        requireOpen();
        return fileDescriptor;
    }

    /** Escape hatch: {@code struct rdma_event_channel *}, valid while the channel is open. */
    public MemorySegment handle() {
        requireOpen();
        return handle;
    }

    private void requireOpen() {
        if (closed) {
            throw new IllegalStateException(this + " is closed");
        }
    }

    /**
     * Destroys the channel, {@code rdma_destroy_event_channel}. Threads that wait on it get an
     * {@link IllegalStateException}. Does nothing when it is closed.
     *
     * @throws IllegalStateException when an id is still open, naming it
     */
    @Override
    public void close() {
        List<ConnectionId> open;
        synchronized (ids) {
            if (closed) {
                return;
            }
            open = List.copyOf(ids.values());
            closed = open.isEmpty();
        }
        if (!open.isEmpty()) {
            String named =
                    open.stream().map(ConnectionId::toString).collect(Collectors.joining(", "));
            throw new IllegalStateException(
                    this + " is still used by " + named + ": close them first");
        }
        awaitReaderGone();
        try {
            descriptor.close();
            Verbs.rdma_destroy_event_channel(handle);
        } finally {
            turn.unlock();
        }
    }

    private void awaitReaderGone() {
        boolean interrupted = false;
        while (true) {
            descriptor.wake();
            try {
                if (turn.tryLock(WAKE_AGAIN_MILLIS, TimeUnit.MILLISECONDS)) {
                    break;
                }
            } catch (InterruptedException e) {
                interrupted = true; // the reader has been woken and will not stay
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    @Override
    public String toString() {
        Object named = owner;
        return named == null ? "event channel " + fileDescriptor : named.toString();
    }
}
