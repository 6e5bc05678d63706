package org.verbs4j;

import org.jspecify.annotations.Nullable;
import org.verbs4j.bindings.NativeLibraries;
import org.verbs4j.bindings.Verbs;
import org.verbs4j.bindings.ibv_comp_channel;
import org.verbs4j.internal.DescriptorWait;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BooleanSupplier;
import java.util.function.IntFunction;

/**
 * Where notifications of completion queues arrive, {@code struct ibv_comp_channel}.
 *
 * <p>Any thread may use it, several at a time. One of the waiting threads sleeps in {@code
 * poll(2)}, the others behind it, and each gets what is its own; no lock is held while it sleeps. A
 * wait ends by an event, by time-out, by {@link Thread#interrupt()}, or because another thread
 * closes the queue that is waited for. A virtual thread that waits is parked, and notices the event
 * up to 2 ms late: where latency counts, wait in a platform thread.
 *
 * <p>A queue notifies once for each {@link CompletionQueue#requestNotification}, and only of
 * completions that come later. {@link CompletionQueue#await} does all of that in the right order.
 */
public final class CompletionChannel implements AutoCloseable {
    private static final Duration LONGEST = Duration.ofDays(36_500);

    private final MemorySegment handle;
    private final DeviceContext context;
    private final DescriptorWait descriptor;
    private final Lifecycle life;

    private final ReentrantLock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition();

    /** The queues at the places that their {@code cq_context} tells. */
    private final List<@Nullable CompletionQueue> queues = new ArrayList<>();

    private boolean waiting;
    private boolean closed;

    /** Counts what may have made a readable descriptor unreadable: reads, and destroyed queues. */
    private long changes;

    private CompletionChannel(DeviceContext context, MemorySegment handle) {
        this.context = context;
        this.handle = handle;
        this.descriptor = new DescriptorWait(ibv_comp_channel.fd(handle));
        this.life =
                new Lifecycle("completion channel of " + context.device().name(), context.life());
    }

    static CompletionChannel create(DeviceContext context) {
        MemorySegment channel = Verbs.ibv_create_comp_channel(context.handle());
        if (channel.address() == 0) {
            throw new VerbsException(
                    "ibv_create_comp_channel",
                    NativeLibraries.errno(),
                    "no completion channel on " + context.device().name());
        }
        try {
            return new CompletionChannel(context, channel.reinterpret(ibv_comp_channel.sizeof()));
        } catch (RuntimeException e) {
            Verbs.ibv_destroy_comp_channel(channel);
            throw e;
        }
    }

    /**
     * Waits for a notification of any queue, {@code ibv_get_cq_event(3)}; the library acknowledges
     * it.
     *
     * @param timeout the longest wait; zero only looks
     * @return the queue that has notified: arm it again, then poll it until it is empty. Null on
     *     time-out
     * @throws InterruptedException when the thread is interrupted
     * @throws IllegalStateException when the channel is closed
     * @throws VerbsException when the events cannot be read: EIO when the device has been removed
     */
    public @Nullable CompletionQueue await(Duration timeout) throws InterruptedException {
        lock.lockInterruptibly();
        try {
            return awaitLocked(() -> next() != null, timeout) ? take(next()) : null;
        } finally {
            lock.unlock();
        }
    }

    /** Waits for a notification of one queue. */
    boolean await(CompletionQueue queue, Duration timeout) throws InterruptedException {
        lock.lockInterruptibly();
        try {
            boolean notified =
                    awaitLocked(
                            () -> {
                                queue.life().requireOpen();
                                return queue.notifications > 0;
                            },
                            timeout);
            if (notified) {
                take(queue);
            }
            return notified;
        } finally {
            lock.unlock();
        }
    }

    /** The first queue with a notification that nobody has taken. */
    private @Nullable CompletionQueue next() {
        for (CompletionQueue queue : queues) {
            if (queue != null && queue.notifications > 0) {
                return queue;
            }
        }
        return null;
    }

    private static @Nullable CompletionQueue take(@Nullable CompletionQueue queue) {
        if (queue != null) {
            queue.notifications--;
        }
        return queue;
    }

    /**
     * One thread leads and sleeps in the kernel with the lock released; the others sleep on the
     * condition. Whoever leads hands out what it reads, and the lead when it leaves.
     */
    private boolean awaitLocked(BooleanSupplier done, Duration timeout)
            throws InterruptedException {
        long deadline = System.nanoTime() + nanos(timeout);
        boolean last = false;
        while (true) {
            if (closed) {
                throw new IllegalStateException(life + " is closed");
            }
            if (done.getAsBoolean()) {
                return true;
            }
            if (Thread.interrupted()) {
                throw new InterruptedException("interrupted while waiting on the " + life);
            }
            if (last) {
                return false;
            }
            long left = Math.max(0, deadline - System.nanoTime());
            if (waiting) {
                last = changed.awaitNanos(left) <= 0;
            } else {
                lead(left);
                last = System.nanoTime() - deadline >= 0;
            }
        }
    }

    /** Longer than a century is as good as for ever, and the sum with a clock does not overflow. */
    static long nanos(Duration timeout) {
        return timeout.isNegative()
                ? 0
                : timeout.compareTo(LONGEST) > 0 ? LONGEST.toNanos() : timeout.toNanos();
    }

    private void lead(long nanos) {
        waiting = true;
        long before = changes;
        lock.unlock();
        boolean readable = false;
        try {
            readable = descriptor.await(nanos);
        } finally {
            lock.lock();
            waiting = false;
            changed.signalAll();
        }
        // Whether it is still readable is sure only if nothing else has happened; if something has,
        // look again.
        if (readable && !closed && (before == changes || descriptor.await(0))) {
            read();
        }
    }

    private void read() {
        changes++;
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment out = arena.allocate(Verbs.C_POINTER, 2);
            MemorySegment context = out.asSlice(Verbs.C_POINTER.byteSize());
            if (Verbs.ibv_get_cq_event(handle, out, context) != 0) {
                throw Hints.unreadable("ibv_get_cq_event", NativeLibraries.errno(), "the " + life);
            }
            CompletionQueue queue = queues.get((int) context.get(Verbs.C_POINTER, 0).address());
            if (queue != null) {
                queue.notified();
            }
        }
    }

    /**
     * Makes a queue that tells its place by its {@code cq_context}; {@link #read} finds it there.
     */
    CompletionQueue add(IntFunction<CompletionQueue> maker) {
        lock.lock();
        try {
            int place = queues.indexOf(null);
            if (place < 0) {
                place = queues.size();
                queues.add(null);
            }
            CompletionQueue queue = maker.apply(place);
            queues.set(place, queue);
            return queue;
        } finally {
            lock.unlock();
        }
    }

    /** Destroys a queue while no event can be read, so that none stays without acknowledgement. */
    void remove(int place, Runnable destroy) {
        lock.lock();
        try {
            destroy.run();
            queues.set(place, null);
            changes++;
        } finally {
            lock.unlock();
        }
    }

    /** Makes the waiting threads look whether what they wait for is still there. */
    void wake() {
        lock.lock();
        try {
            changed.signalAll();
            if (waiting) {
                descriptor.wake();
            }
        } finally {
            lock.unlock();
        }
    }

    /**
     * The descriptor, {@code fd}, for an event loop of one's own: readable when {@link #await} with
     * zero time-out would find something. Do not close it.
     */
    public int fileDescriptor() {
        return life.whileOpen(() -> ibv_comp_channel.fd(handle));
    }

    /**
     * Escape hatch: {@code struct ibv_comp_channel *}, valid while the channel is open. Do not read
     * events there.
     */
    public MemorySegment handle() {
        life.requireOpen();
        return handle;
    }

    DeviceContext context() {
        return context;
    }

    Lifecycle life() {
        return life;
    }

    /**
     * Destroys the channel, {@code ibv_destroy_comp_channel}. Threads that wait on it get an {@link
     * IllegalStateException}. Does nothing when it is closed.
     *
     * @throws IllegalStateException when a completion queue still uses it, naming it
     * @throws VerbsException when the library refuses
     */
    @Override
    public void close() {
        life.close(
                () -> {
                    lock.lock();
                    try {
                        closed = true;
                        while (waiting) {
                            descriptor.wake();
                            awaitLeaderGone();
                        }
                        int errno = Verbs.ibv_destroy_comp_channel(handle);
                        if (errno != 0) {
                            closed = false;
                            throw new VerbsException(
                                    "ibv_destroy_comp_channel",
                                    errno,
                                    "cannot destroy the " + life);
                        }
                        descriptor.close();
                    } finally {
                        changed.signalAll();
                        lock.unlock();
                    }
                });
    }

    private void awaitLeaderGone() {
        long left = TimeUnit.SECONDS.toNanos(1);
        boolean interrupted = false;
        try {
            while (waiting && left > 0) {
                try {
                    left = changed.awaitNanos(left);
                } catch (InterruptedException e) {
                    interrupted = true;
                }
            }
        } finally {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    @Override
    public String toString() {
        return life.toString();
    }
}
