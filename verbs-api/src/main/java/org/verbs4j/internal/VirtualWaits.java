package org.verbs4j.internal;

import org.jspecify.annotations.Nullable;
import org.verbs4j.VerbsException;
import org.verbs4j.bindings.NativeLibraries;
import org.verbs4j.bindings.Posix;
import org.verbs4j.bindings.pollfd;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * Where virtual threads wait for file descriptors without holding their carriers.
 *
 * <p>All of them are parked. One, the sweeper, wakes now and then, asks {@code poll(2)} about the
 * descriptors of all without waiting there, unparks those whose descriptor is readable, and parks
 * again; when its own wait ends it hands the task to another. So the cost is that of one poll an
 * interval, however many wait, and no thread of the library's own is needed. The price is latency:
 * an event is noticed {@value #LONGEST_PAUSE_MICROS} microseconds late at most, unless sweeping
 * takes so long that a {@value #SHARE}th of a processor would not do.
 *
 * <p>Any thread may call.
 */
final class VirtualWaits {
    private static final int SHORTEST_PAUSE_MICROS = 50;
    private static final int LONGEST_PAUSE_MICROS = 2_000;
    private static final int SHARE = 10;

    private static final VirtualWaits SHARED = new VirtualWaits();

    private final Object lock = new Object();
    private final List<Waiter> waiters = new ArrayList<>();
    private @Nullable Waiter sweeper;
    private long pauseNanos;

    /** Grows with the number of waiters; freed by the collector with the arena that it is of. */
    private MemorySegment descriptors = Arena.ofAuto().allocate(pollfd.layout(), 16);

    private VirtualWaits() {}

    /** One waiting thread; {@link #wake} may be called by any. */
    static final class Waiter {
        private final int descriptor;
        private final Thread thread = Thread.currentThread();
        private volatile boolean readable;
        private volatile boolean woken;

        Waiter(int descriptor) {
            this.descriptor = descriptor;
        }

        void wake() {
            woken = true;
            LockSupport.unpark(thread);
        }

        private boolean ends() {
            return readable || woken || thread.isInterrupted();
        }
    }

    /**
     * Parks the current thread until its descriptor is readable, it is woken or interrupted, or
     * time is over.
     */
    static boolean await(Waiter waiter, long nanos) {
        return SHARED.park(waiter, nanos);
    }

    private boolean park(Waiter waiter, long nanos) {
        long deadline = System.nanoTime() + nanos;
        add(waiter);
        try {
            while (!waiter.ends()) {
                long left = deadline - System.nanoTime();
                if (left <= 0) {
                    break;
                }
                boolean sweeps;
                synchronized (lock) {
                    if (sweeper == null) {
                        sweeper = waiter;
                    }
                    sweeps = sweeper == waiter;
                    if (sweeps) {
                        sweep();
                    }
                }
                if (!waiter.ends()) {
                    LockSupport.parkNanos(this, sweeps ? Math.min(left, pauseNanos) : left);
                }
            }
        } finally {
            remove(waiter);
        }
        return waiter.readable;
    }

    private void add(Waiter waiter) {
        synchronized (lock) {
            waiters.add(waiter);
            pauseNanos = TimeUnit.MICROSECONDS.toNanos(SHORTEST_PAUSE_MICROS);
            if (descriptors.byteSize() < waiters.size() * pollfd.sizeof()) {
                descriptors = Arena.ofAuto().allocate(pollfd.layout(), 2L * waiters.size());
            }
        }
    }

    /**
     * The order of the waiters does not matter, so the last takes the place of the one that leaves.
     */
    private void remove(Waiter waiter) {
        synchronized (lock) {
            int at = waiters.indexOf(waiter);
            if (at >= 0) {
                take(at);
            }
            if (sweeper == waiter) {
                sweeper = waiters.isEmpty() ? null : waiters.getFirst();
                if (sweeper != null) {
                    LockSupport.unpark(sweeper.thread);
                }
            }
        }
    }

    private Waiter take(int at) {
        Waiter last = waiters.removeLast();
        return at == waiters.size() ? last : waiters.set(at, last);
    }

    private void sweep() {
        long before = System.nanoTime();
        int count = waiters.size();
        for (int i = 0; i < count; i++) {
            MemorySegment entry = pollfd.asSlice(descriptors, i);
            pollfd.fd(entry, waiters.get(i).descriptor);
            pollfd.events(entry, (short) Posix.POLLIN());
            pollfd.revents(entry, (short) 0);
        }
        int ready = Posix.poll(descriptors, count, 0);
        if (ready < 0 && NativeLibraries.errno() != Posix.EINTR()) {
            throw new VerbsException("poll", NativeLibraries.errno(), count + " descriptors");
        }
        for (int i = count - 1; i >= 0 && ready > 0; i--) {
            if (pollfd.revents(pollfd.asSlice(descriptors, i)) != 0) {
                ready--;
                Waiter waiter = take(i);
                waiter.readable = true;
                LockSupport.unpark(waiter.thread);
            }
        }
        long took = System.nanoTime() - before;
        long longest = Math.max(TimeUnit.MICROSECONDS.toNanos(LONGEST_PAUSE_MICROS), took * SHARE);
        pauseNanos = Math.clamp(pauseNanos * 2, took * SHARE, longest);
    }
}
