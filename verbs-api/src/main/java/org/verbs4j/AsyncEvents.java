package org.verbs4j;

import org.jspecify.annotations.Nullable;
import org.verbs4j.bindings.NativeLibraries;
import org.verbs4j.bindings.Posix;
import org.verbs4j.bindings.Verbs;
import org.verbs4j.bindings.ibv_async_event;
import org.verbs4j.internal.DescriptorWait;
import org.verbs4j.internal.NonBlocking;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Reads the asynchronous events of one context and knows whose they are.
 *
 * <p>Whoever waits holds the lock, sleeps in {@code poll(2)}, and reads; the others wait for the
 * lock. An event is acknowledged as soon as it is copied: in C the object that it is of cannot be
 * destroyed before, and until then its address is nobody else's, so the object is looked up in
 * between.
 */
final class AsyncEvents {
    private static final long CLOSING_MILLIS = 10;

    private final String name;
    private final MemorySegment context;
    private final int fileDescriptor;
    private final Map<Long, Object> objects = new ConcurrentHashMap<>();
    private final ReentrantLock lock = new ReentrantLock();

    /** Made by the first wait; under the lock, but {@link #close} wakes it without. */
    private volatile @Nullable DescriptorWait descriptor;

    private volatile boolean closed;

    AsyncEvents(String name, MemorySegment context, int fileDescriptor) {
        this.name = name;
        this.context = context;
        this.fileDescriptor = fileDescriptor;
    }

    /** An object that events may be of; it says so when its native object is there. */
    void add(MemorySegment handle, Object object) {
        objects.put(handle.address(), object);
    }

    /** The native object is gone; another one may have its address already. */
    void remove(MemorySegment handle, Object object) {
        objects.remove(handle.address(), object);
    }

    @Nullable AsyncEvent await(Duration timeout) throws InterruptedException {
        long nanos = CompletionChannel.nanos(timeout);
        long deadline = System.nanoTime() + nanos;
        requireOpen();
        if (!lock.tryLock(nanos, TimeUnit.NANOSECONDS)) {
            return null;
        }
        try {
            while (true) {
                requireOpen();
                if (Thread.interrupted()) {
                    throw new InterruptedException(
                            "interrupted while waiting for an event of the " + name);
                }
                long left = deadline - System.nanoTime();
                AsyncEvent event = descriptor().await(Math.max(0, left)) && !closed ? read() : null;
                if (event != null) {
                    return event;
                }
                if (left <= 0) {
                    requireOpen();
                    return null;
                }
            }
        } finally {
            lock.unlock();
        }
    }

    private void requireOpen() {
        if (closed) {
            throw new IllegalStateException(name + " is closed");
        }
    }

    private DescriptorWait descriptor() {
        DescriptorWait made = descriptor;
        if (made == null) {
            // Who else has the descriptor may read the event that poll(2) has told of.
            NonBlocking.set(fileDescriptor);
            made = new DescriptorWait(fileDescriptor);
            descriptor = made;
        }
        return made;
    }

    private @Nullable AsyncEvent read() {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment event = arena.allocate(ibv_async_event.layout());
            if (Verbs.ibv_get_async_event(context, event) != 0) {
                int errno = NativeLibraries.errno();
                if (errno == Posix.EAGAIN() || errno == Posix.EINTR()) {
                    return null;
                }
                throw Hints.unreadable("ibv_get_async_event", errno, "the events of the " + name);
            }
            try {
                return AsyncEventReader.read(event, objects::get);
            } finally {
                Verbs.ibv_ack_async_event(event);
            }
        }
    }

    /** Makes who waits leave, and keeps others from coming; {@link #reopen} undoes it. */
    void close() {
        closed = true;
        boolean interrupted = false;
        boolean locked = false;
        while (!locked) {
            DescriptorWait waiting = descriptor;
            if (waiting != null) {
                waiting.wake();
            }
            try {
                locked = lock.tryLock(CLOSING_MILLIS, TimeUnit.MILLISECONDS);
            } catch (InterruptedException e) {
                interrupted = true;
            }
        }
        lock.unlock();
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    /** The context could not be closed. */
    void reopen() {
        closed = false;
    }

    /** After {@link #close}, when the context is gone. */
    void free() {
        DescriptorWait made = descriptor;
        if (made != null) {
            made.close();
        }
    }
}
