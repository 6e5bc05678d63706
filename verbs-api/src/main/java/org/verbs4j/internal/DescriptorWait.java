package org.verbs4j.internal;

import org.jspecify.annotations.Nullable;
import org.verbs4j.VerbsException;
import org.verbs4j.bindings.NativeLibraries;
import org.verbs4j.bindings.Posix;
import org.verbs4j.bindings.pollfd;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.channels.spi.AbstractInterruptibleChannel;
import java.util.concurrent.TimeUnit;

/**
 * Waits until a file descriptor is readable, for a limited time, and can be called back: {@code
 * poll(2)} on the descriptor and an {@code eventfd(2)}.
 *
 * <p>One thread waits at a time; any thread may wake it. A virtual thread is parked, its carrier
 * stays free.
 */
public final class DescriptorWait implements AutoCloseable {
    private static final long LONGEST_MILLIS = TimeUnit.HOURS.toMillis(1);

    private final Arena arena = Arena.ofShared();
    private final MemorySegment descriptors = arena.allocate(pollfd.layout(), 2);
    private final MemorySegment waited = descriptors.asSlice(0, pollfd.layout());
    private final MemorySegment waker = descriptors.asSlice(pollfd.sizeof(), pollfd.layout());
    private final MemorySegment counter = arena.allocate(ValueLayout.JAVA_LONG);
    private final MemorySegment one = arena.allocateFrom(ValueLayout.JAVA_LONG, 1);
    private final int eventFd;
    private final int descriptor;
    private volatile VirtualWaits.@Nullable Waiter parked;

    /**
     * Makes the means of waking; the descriptor stays the caller's.
     *
     * @throws VerbsException when there are too many open files: an {@link IllegalStateException}
     *     tells of what is closed
     */
    public DescriptorWait(int descriptor) {
        this.descriptor = descriptor;
        eventFd = Posix.eventfd(0, Posix.EFD_CLOEXEC() | Posix.EFD_NONBLOCK());
        if (eventFd < 0) {
            int errno = NativeLibraries.errno();
            arena.close();
            throw new VerbsException("eventfd", errno, "too many open files? Raise `ulimit -n`");
        }
        pollfd.fd(waited, descriptor);
        pollfd.events(waited, (short) Posix.POLLIN());
        pollfd.fd(waker, eventFd);
        pollfd.events(waker, (short) Posix.POLLIN());
    }

    /**
     * Waits.
     *
     * @param nanos the longest time
     * @return whether the descriptor is readable; false on time-out, interrupt, or when woken. Too
     *     early a false is possible, so look at the clock
     */
    public boolean await(long nanos) {
        return (nanos > 0 && Thread.currentThread().isVirtual())
                ? awaitParked(nanos)
                : awaitBlocked(nanos);
    }

    private boolean awaitParked(long nanos) {
        VirtualWaits.Waiter waiter = new VirtualWaits.Waiter(descriptor);
        parked = waiter;
        try {
            return !takeWake() && VirtualWaits.await(waiter, nanos);
        } finally {
            parked = null;
        }
    }

    /** Whether a wake came before anybody waited. */
    private boolean takeWake() {
        return Posix.read(eventFd, counter, counter.byteSize()) > 0;
    }

    private boolean awaitBlocked(long nanos) {
        long millis = Math.clamp((nanos + 999_999) / 1_000_000, 0, LONGEST_MILLIS);
        Interruption interruption = new Interruption();
        interruption.start();
        try {
            pollfd.revents(waited, (short) 0);
            pollfd.revents(waker, (short) 0);
            int ready = Posix.poll(descriptors, 2, (int) millis);
            if (ready < 0) {
                int errno = NativeLibraries.errno();
                if (errno != Posix.EINTR()) {
                    throw new VerbsException("poll", errno, "waiting on descriptor " + descriptor);
                }
                return false;
            }
            if (pollfd.revents(waker) != 0) {
                takeWake();
            }
            return pollfd.revents(waited) != 0;
        } finally {
            interruption.stop();
        }
    }

    /** Makes the thread that waits now, or the next one, return. */
    public void wake() {
        Posix.write(eventFd, one, one.byteSize());
        VirtualWaits.Waiter waiter = parked;
        if (waiter != null) {
            waiter.wake();
        }
    }

    /** Frees the means of waking; nobody may be waiting. */
    @Override
    public void close() {
        Posix.close(eventFd);
        arena.close();
    }

    /**
     * Java's way to be told of {@link Thread#interrupt()} while in a call that does not know it:
     * closed by it.
     */
    private final class Interruption extends AbstractInterruptibleChannel {
        void start() {
            begin();
        }

        void stop() {
            try {
                end(true);
            } catch (IOException e) {
                // Interrupted: the thread's status is set, which is what the caller looks at.
            }
        }

        @Override
        protected void implCloseChannel() {
            wake();
        }
    }
}
