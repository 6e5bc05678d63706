package org.verbs4j.internal;

import org.jspecify.annotations.Nullable;
import org.verbs4j.Access;
import org.verbs4j.AddressVector;
import org.verbs4j.CompletionQueue;
import org.verbs4j.DeviceContext;
import org.verbs4j.ProtectionDomain;
import org.verbs4j.QueuePair;
import org.verbs4j.QueuePairAttributes;

import java.lang.foreign.MemorySegment;
import java.util.List;

/**
 * What {@code org.verbs4j} lets the other packages of this module do with its objects, and nobody
 * else. It is registered by the class initialiser of {@link DeviceContext}.
 */
public abstract class VerbsInternals {
    private static volatile @Nullable VerbsInternals registered;

    /** For the one implementation. */
    protected VerbsInternals() {}

    /** Told once, by {@code org.verbs4j}. */
    public static void register(VerbsInternals internals) {
        registered = internals;
    }

    /** The implementation. */
    public static VerbsInternals get() {
        VerbsInternals internals = registered;
        if (internals == null) {
            initialise(DeviceContext.class);
            internals = registered;
        }
        if (internals == null) {
            throw new AssertionError("DeviceContext has not registered its internals");
        }
        return internals;
    }

    private static void initialise(Class<?> type) {
        try {
            Class.forName(type.getName(), true, type.getClassLoader());
        } catch (ClassNotFoundException e) {
            throw new AssertionError(e);
        }
    }

    /**
     * The context of our own for the device of one of librdmacm's: one for each device, and its
     * close does nothing. Librdmacm frees its own when the device has been removed, whoever has
     * made objects from it.
     */
    public abstract DeviceContext shared(MemorySegment context);

    /** What the memory and address handles of a queue pair's requests must be of. */
    public abstract ProtectionDomain domainOf(QueuePair pair);

    /** Where a queue pair was made. */
    public abstract DeviceContext contextOf(QueuePair pair);

    /** Where a queue pair's sends complete. */
    public abstract CompletionQueue sendQueueOf(QueuePair pair);

    /** Where a queue pair's receives complete. */
    public abstract CompletionQueue receiveQueueOf(QueuePair pair);

    /** Whether a queue pair takes its receives from a shared queue. */
    public abstract boolean sharesReceives(QueuePair pair);

    /** Reads a {@code struct ibv_ah_attr} whose port is set. */
    public abstract AddressVector decodeWay(MemorySegment attributes);

    /** What the builder of a queue pair allowed the peer. */
    public abstract List<Access> remoteAccessOf(QueuePair pair);

    /**
     * Keeps a queue pair from being closed.
     *
     * @param user who uses it, for the message of the refusal
     * @return ends the use; running it twice does nothing
     */
    public abstract Runnable use(QueuePair pair, String user);

    /**
     * The attributes that a {@code struct ibv_qp_attr} has according to a mask, as far as they are
     * known.
     */
    public abstract QueuePairAttributes decode(MemorySegment attributes, int mask);
}
