package org.verbs4j;

import org.jspecify.annotations.Nullable;
import org.verbs4j.bindings.ContextVerbs;
import org.verbs4j.bindings.DataPath;
import org.verbs4j.bindings.Errno;
import org.verbs4j.bindings.NativeLibraries;
import org.verbs4j.bindings.Posix;
import org.verbs4j.bindings.Verbs;
import org.verbs4j.bindings.ibv_cq;
import org.verbs4j.bindings.ibv_moderate_cq;
import org.verbs4j.bindings.ibv_modify_cq_attr;
import org.verbs4j.bindings.verbs_context;
import org.verbs4j.internal.CallGate;
import org.verbs4j.internal.ProviderPolicy;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandles;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.IntSupplier;

/**
 * Where requests complete, {@code struct ibv_cq}.
 *
 * <p>One thread at a time may poll, arm or wait; which thread may change as other objects of Java
 * change hands. {@link #close()} may be called by any thread at any time: it waits for a poll under
 * way, and later ones throw.
 */
public final class CompletionQueue implements AutoCloseable {
    /** For everyone who polls or arms: shut before the queue is destroyed. */
    static final CallGate GATE = CallGate.of(MethodHandles.lookup(), "open", "busy");

    /**
     * Batching what {@code ibv_ack_cq_events} takes a mutex for; the rest is acknowledged at close.
     */
    private static final int ACKNOWLEDGED_TOGETHER = 64;

    /** Moderation counts in 16 bits. */
    private static final int MOST_MODERATED = 0xffff;

    private final DeviceContext context;
    private final @Nullable CompletionChannel channel;
    private final int place;
    private final MemorySegment handle;
    private volatile int capacity;
    private final Lifecycle life;

    private final long pollFunction;
    private final long notifyFunction;
    private final boolean criticalPoll;
    private final boolean criticalNotify;

    @SuppressWarnings("unused") // by the gate
    private long open;

    @SuppressWarnings("unused") // by the gate
    private boolean busy;

    /** Notifications that nobody has taken; under the channel's lock. */
    int notifications;

    private int unacknowledged;

    CompletionQueue(
            DeviceContext context,
            @Nullable CompletionChannel channel,
            int place,
            MemorySegment handle) {
        this(context, channel, place, handle, context.policy());
    }

    /**
     * A queue whose calls may be critical according to a policy, which is none for a queue that is
     * also polled completion by completion.
     */
    CompletionQueue(
            DeviceContext context,
            @Nullable CompletionChannel channel,
            int place,
            MemorySegment handle,
            ProviderPolicy policy,
            Lifecycle... otherParents) {
        this.context = context;
        this.channel = channel;
        this.place = place;
        this.handle = handle;
        this.capacity = ibv_cq.cqe(handle);
        this.pollFunction = DataPath.pollCqFunction(context.address());
        this.notifyFunction = DataPath.reqNotifyCqFunction(context.address());
        this.criticalPoll = policy.poll();
        this.criticalNotify = policy.post();
        String name = "completion queue of " + capacity + " on " + context.device().name();
        this.life = new Lifecycle(name, parents(context, channel, otherParents));
        context.events().add(handle, this);
        GATE.set(this, handle.address());
    }

    private static Lifecycle[] parents(
            DeviceContext context, @Nullable CompletionChannel channel, Lifecycle... others) {
        List<Lifecycle> all = new ArrayList<>(List.of(others));
        all.add(context.life());
        if (channel != null) {
            all.add(channel.life());
        }
        return all.toArray(Lifecycle[]::new);
    }

    static CompletionQueue create(
            DeviceContext context,
            int minCapacity,
            @Nullable CompletionChannel channel,
            int vector) {
        requireCapacity(context, minCapacity);
        requireVector(context, channel, vector);
        return channel == null
                ? create(context, minCapacity, null, 0, vector)
                : channel.add(place -> create(context, minCapacity, channel, place, vector));
    }

    /** Refuses a capacity that the device does not have. */
    static void requireCapacity(DeviceContext context, int minCapacity) {
        int most = context.attributes().maxCompletions();
        if (minCapacity < 1 || minCapacity > most) {
            throw new IllegalArgumentException(
                    "minCapacity is "
                            + minCapacity
                            + ", but a completion queue of "
                            + context.device().name()
                            + " holds 1 to "
                            + most
                            + " completions");
        }
    }

    /** Refuses a channel of another context and a vector that the device does not have. */
    static void requireVector(
            DeviceContext context, @Nullable CompletionChannel channel, int vector) {
        Arguments.range("vector", vector, 0, context.completionVectors() - 1);
        if (channel != null && channel.context() != context) {
            throw new IllegalArgumentException("the " + channel + " is of another context");
        }
    }

    private static CompletionQueue create(
            DeviceContext context,
            int minCapacity,
            @Nullable CompletionChannel channel,
            int place,
            int vector) {
        MemorySegment cq =
                Verbs.ibv_create_cq(
                        context.handle(),
                        minCapacity,
                        MemorySegment.ofAddress(place),
                        channel == null ? MemorySegment.NULL : channel.handle(),
                        vector);
        if (cq.address() == 0) {
            throw new VerbsException(
                    "ibv_create_cq",
                    NativeLibraries.errno(),
                    "a completion queue of " + minCapacity + " on " + context.device().name());
        }
        return new CompletionQueue(context, channel, place, cq.reinterpret(ibv_cq.sizeof()));
    }

    /**
     * How many completions it holds, {@code cqe}; the device may have rounded up what was asked
     * for.
     */
    public int capacity() {
        return capacity;
    }

    /**
     * Takes completions, {@code ibv_poll_cq(3)}: one downcall, no allocation, and it never waits.
     *
     * @param into filled from index 0
     * @return how many were taken, 0 when there are none
     * @throws IllegalStateException when the queue is closed
     * @throws VerbsException when the queue is broken
     */
    public int poll(WorkCompletions into) {
        long cq = GATE.enter(this);
        if (cq == 0) {
            into.size(0);
            throw closed();
        }
        int taken;
        try {
            taken =
                    criticalPoll
                            ? DataPath.pollCqCritical(
                                    pollFunction, cq, into.capacity(), into.address())
                            : DataPath.pollCq(pollFunction, cq, into.capacity(), into.address());
        } finally {
            GATE.leave(this);
        }
        if (taken < 0) {
            into.size(0);
            throw pollFailed(taken);
        }
        into.taken(this, taken);
        return taken;
    }

    /**
     * Takes completions and hands each to a handler.
     *
     * @param into filled from index 0; when the handler throws, the others are still there
     * @param handler called once for each, with a view that is valid until it returns
     * @return how many were taken
     * @throws IllegalStateException when the queue is closed
     * @throws VerbsException when the queue is broken
     */
    public int poll(WorkCompletions into, CompletionHandler handler) {
        int taken = poll(into);
        for (int i = 0; i < taken; i++) {
            handler.onCompletion(into.get(i));
        }
        return taken;
    }

    /**
     * Asks for one notification on the channel, {@code ibv_req_notify_cq(3)}. Only completions that
     * come later notify: poll once more after this, before waiting.
     *
     * @param solicitedOnly only of messages that the sender marked, and of failures
     * @throws IllegalStateException when the queue is closed or has no channel
     * @throws VerbsException when the device refuses
     */
    public void requestNotification(boolean solicitedOnly) {
        requireChannel();
        long cq = GATE.enter(this);
        if (cq == 0) {
            throw closed();
        }
        int only = solicitedOnly ? 1 : 0;
        int errno;
        try {
            errno =
                    criticalNotify
                            ? DataPath.reqNotifyCqCritical(notifyFunction, cq, only)
                            : DataPath.reqNotifyCq(notifyFunction, cq, only);
        } finally {
            GATE.leave(this);
        }
        if (errno != 0) {
            throw new VerbsException("ibv_req_notify_cq", errno, "arming the " + life);
        }
    }

    /**
     * Waits for completions and takes them, {@code ibv_get_cq_event(3)}: polls, arms, polls again
     * because what came in between does not notify, and sleeps on the channel; a virtual thread is
     * parked. Costs system calls; when latency counts, spin on {@link #poll(WorkCompletions)}.
     *
     * @param into filled from index 0
     * @param timeout the longest wait; zero only polls
     * @return how many were taken, 0 on time-out
     * @throws InterruptedException when the thread is interrupted
     * @throws IllegalStateException when the queue is closed, before or meanwhile, or has no
     *     channel
     * @throws VerbsException when the events cannot be read: EIO when the device has been removed
     */
    public int await(WorkCompletions into, Duration timeout) throws InterruptedException {
        return await(() -> poll(into), timeout);
    }

    /** As above, for one of the ways to poll. */
    int await(IntSupplier poll, Duration timeout) throws InterruptedException {
        CompletionChannel waited = requireChannel();
        long deadline = System.nanoTime() + CompletionChannel.nanos(timeout);
        while (true) {
            int taken = poll.getAsInt();
            if (taken > 0) {
                return taken;
            }
            requestNotification(false);
            taken = poll.getAsInt();
            long left = deadline - System.nanoTime();
            if (taken > 0 || left <= 0) {
                return taken;
            }
            waited.await(this, Duration.ofNanos(left));
        }
    }

    /**
     * Makes the queue larger or smaller, {@code ibv_resize_cq(3)}; what is in it stays. May be
     * called while another thread polls.
     *
     * @param minCapacity how many completions it must hold, at least 1; the device may round up
     * @throws IllegalArgumentException when the device cannot make it so large
     * @throws IllegalStateException when the queue is closed
     * @throws VerbsException when the device refuses; {@code EINVAL} when more completions are in
     *     it, on those that look
     * @throws UnsupportedVerbException when the device cannot resize
     */
    public void resize(int minCapacity) {
        requireCapacity(context, minCapacity);
        life.whileOpen(
                () -> {
                    int errno = Verbs.ibv_resize_cq(handle, minCapacity);
                    if (errno != 0) {
                        String hint =
                                errno == Posix.EINVAL()
                                        ? ": poll first, it cannot hold fewer completions than are"
                                                + " in it"
                                        : "";
                        throw UnsupportedVerbs.failure(
                                "ibv_resize_cq",
                                errno,
                                context,
                                "resizing the " + life + " to " + minCapacity + hint);
                    }
                    capacity = ibv_cq.cqe(handle);
                    return capacity;
                });
    }

    /**
     * Makes the device notify less often, {@code ibv_modify_cq(3)}: after a number of completions
     * or a time, whichever comes first.
     *
     * @param completions 0 to 65535; 0 with a period of zero ends the moderation
     * @param period in whole microseconds up to 65535, the rest is dropped
     * @throws IllegalArgumentException when a value is out of its range
     * @throws IllegalStateException when the queue is closed
     * @throws UnsupportedVerbException when the device cannot moderate
     * @throws VerbsException when the device refuses
     */
    public void moderate(int completions, Duration period) {
        Arguments.range("completions", completions, 0, MOST_MODERATED);
        long micros = TimeUnit.NANOSECONDS.toMicros(CompletionChannel.nanos(period));
        Arguments.range("period in microseconds", micros, 0, MOST_MODERATED);
        life.whileOpen(
                () -> {
                    try (Arena arena = Arena.ofConfined()) {
                        MemorySegment attr = arena.allocate(ibv_modify_cq_attr.layout());
                        ibv_modify_cq_attr.attr_mask(attr, Verbs.IBV_CQ_ATTR_MODERATE());
                        MemorySegment moderate = ibv_modify_cq_attr.moderate(attr);
                        ibv_moderate_cq.cq_count(moderate, (short) completions);
                        ibv_moderate_cq.cq_period(moderate, (short) micros);
                        int errno = ContextVerbs.ibv_modify_cq(handle.address(), attr.address());
                        if (errno != 0) {
                            throw UnsupportedVerbs.failure(
                                    "ibv_modify_cq",
                                    errno,
                                    context,
                                    verbs_context.modify_cq$offset(),
                                    "moderating the " + life);
                        }
                        return true;
                    }
                });
    }

    private CompletionChannel requireChannel() {
        if (channel == null) {
            throw new IllegalStateException(
                    "the "
                            + life
                            + " has no channel to notify: make it with newCompletionQueue(capacity,"
                            + " channel, vector)");
        }
        return channel;
    }

    /** Counts a notification that has been read; under the channel's lock. */
    void notified() {
        notifications++;
        if (++unacknowledged == ACKNOWLEDGED_TOGETHER) {
            acknowledge();
        }
    }

    private void acknowledge() {
        if (unacknowledged > 0) {
            Verbs.ibv_ack_cq_events(handle, unacknowledged);
            unacknowledged = 0;
        }
    }

    IllegalStateException closed() {
        return new IllegalStateException(life + " is closed");
    }

    private VerbsException pollFailed(int result) {
        return new VerbsException(
                "ibv_poll_cq",
                0,
                "polling the "
                        + life
                        + " gave "
                        + result
                        + " ("
                        + Errno.describe(-result)
                        + "): the queue has overflowed or the device has failed");
    }

    /** The channel that it notifies, or null. */
    public @Nullable CompletionChannel channel() {
        return channel;
    }

    /**
     * Escape hatch: {@code struct ibv_cq *}, valid while the queue is open. Do not acknowledge
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
     * Destroys the queue with what is in it, {@code ibv_destroy_cq}. A thread that waits for it
     * gets an {@link IllegalStateException}. Notifications that nobody has taken are acknowledged,
     * so that this does not hang as it would in C. Does nothing when it is closed.
     *
     * @throws IllegalStateException when a queue pair still completes into it, naming it
     * @throws VerbsException when the kernel refuses
     */
    @Override
    public void close() {
        life.close(
                () -> {
                    CallGate.shut(this, GATE);
                    try {
                        if (channel == null) {
                            destroy();
                        } else {
                            channel.remove(place, this::destroy);
                        }
                    } catch (RuntimeException e) {
                        GATE.set(this, handle.address());
                        throw e;
                    }
                });
        if (channel != null) {
            channel.wake();
        }
    }

    private void destroy() {
        acknowledge();
        int errno = Verbs.ibv_destroy_cq(handle);
        if (errno != 0) {
            throw new VerbsException("ibv_destroy_cq", errno, "cannot destroy the " + life);
        }
        context.events().remove(handle, this);
        notifications = 0;
    }

    @Override
    public String toString() {
        return life.toString();
    }
}
