package org.verbs4j;

import org.verbs4j.bindings.NativeLibraries;
import org.verbs4j.bindings.Posix;
import org.verbs4j.bindings.Verbs;
import org.verbs4j.bindings.ibv_ah_attr;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/**
 * The way to a peer of datagrams, {@code struct ibv_ah}: what {@link Send#to} takes.
 *
 * <p>Any thread may use it, several at a time; any number of requests may. It may be closed as soon
 * as {@code post} has returned. {@link #close()} by another thread waits for a post under way, and
 * later ones throw.
 */
public final class AddressHandle implements AutoCloseable {
    private final ProtectionDomain domain;
    private final MemorySegment handle;
    private final Lifecycle life;

    /** False once it is being destroyed; read by posts after they have entered their gate. */
    private volatile boolean usable = true;

    private AddressHandle(ProtectionDomain domain, MemorySegment handle, String to) {
        this.domain = domain;
        this.handle = handle;
        this.life = new Lifecycle("address handle for " + to, domain.life());
    }

    static AddressHandle create(ProtectionDomain domain, AddressVector vector) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment attr = arena.allocate(ibv_ah_attr.layout());
            AddressVectors.put(vector, attr);
            MemorySegment ah = Verbs.ibv_create_ah(domain.handle(), attr);
            if (ah.address() == 0) {
                throw refused("ibv_create_ah", domain, vector);
            }
            return new AddressHandle(domain, ah, AddressVectors.peer(vector));
        }
    }

    /** The way back to the sender of a datagram. */
    static AddressHandle create(
            ProtectionDomain domain, Port port, WorkCompletion completion, MemorySegment header) {
        AddressVectors.requireReceived(domain.context(), port, completion);
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment ah =
                    Verbs.ibv_create_ah_from_wc(
                            domain.handle(),
                            completion.struct(),
                            AddressVectors.header(arena, header),
                            (byte) port.number());
            if (ah.address() == 0) {
                throw new VerbsException(
                        "ibv_create_ah_from_wc",
                        NativeLibraries.errno(),
                        "the way back to the sender of "
                                + completion
                                + ": check that the memory"
                                + " is the beginning of its receive");
            }
            return new AddressHandle(
                    domain,
                    ah,
                    "the sender of a datagram, queue pair " + completion.sourceQueuePairNumber());
        }
    }

    private static VerbsException refused(
            String verb, ProtectionDomain domain, AddressVector vector) {
        int errno = NativeLibraries.errno();
        DeviceContext context = domain.context();
        String what = "no address handle for " + AddressVectors.peer(vector) + " on ";
        if (vector.port() > context.ports().size()) {
            return new VerbsException(
                    verb,
                    errno,
                    what + context.device().name() + ": it has no port " + vector.port());
        }
        Port port = context.port(vector.port());
        boolean aboutTheWay =
                errno == Posix.EINVAL()
                        || errno == Posix.ENODATA()
                        || errno == Posix.ETIMEDOUT()
                        || errno == Posix.EHOSTUNREACH()
                        || errno == Posix.ENETUNREACH();
        return new VerbsException(
                verb,
                errno,
                what
                        + port
                        + ": "
                        + (aboutTheWay
                                ? TransitionFailure.way(port, vector, errno)
                                : "the device refuses"));
    }

    /** The domain that it was made from. */
    public ProtectionDomain protectionDomain() {
        return domain;
    }

    /** The pointer for a request of a queue pair. */
    long requireUsableBy(QueuePair pair) {
        if (!domain.sharesMemoryWith(pair.protectionDomain())) {
            // The device drops such datagrams in silence.
            throw new IllegalArgumentException(
                    life + " is of another protection domain than " + pair);
        }
        life.requireOpen();
        return handle.address();
    }

    Lifecycle life() {
        return life;
    }

    /** Whether a post that has entered its gate may pass the pointer on. */
    boolean isUsable() {
        return usable;
    }

    /** Escape hatch: {@code struct ibv_ah *}, valid while the handle is open. */
    public MemorySegment handle() {
        life.requireOpen();
        return handle;
    }

    /**
     * Destroys the handle, {@code ibv_destroy_ah}. Does nothing when it is closed.
     *
     * @throws VerbsException when the kernel refuses
     */
    @Override
    public void close() {
        life.close(
                () -> {
                    usable = false;
                    QueuePair.awaitSends(domain.context().queuePairs().unconnected(domain));
                    int errno = Verbs.ibv_destroy_ah(handle);
                    if (errno != 0) {
                        usable = true;
                        throw new VerbsException("ibv_destroy_ah", errno, "cannot destroy " + life);
                    }
                });
    }

    @Override
    public String toString() {
        return life.toString();
    }
}
