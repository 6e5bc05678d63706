package org.verbs4j;

import org.verbs4j.bindings.ibv_context;
import org.verbs4j.internal.VerbsInternals;

import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;

/** What the other packages of this module may do with the objects of this one. */
final class Internals extends VerbsInternals {
    /**
     * By {@code ibv_device}, which its context keeps in being. One that has been removed stays, and
     * costs its file descriptors.
     */
    private final Map<Long, DeviceContext> shared = new ConcurrentHashMap<>();

    private Internals() {}

    static void register() {
        register(new Internals());
    }

    @Override
    public DeviceContext shared(MemorySegment context) {
        MemorySegment device = ibv_context.device(context.reinterpret(ibv_context.sizeof()));
        return shared.computeIfAbsent(device.address(), _ -> DeviceOpening.shared(device));
    }

    @Override
    public ProtectionDomain domainOf(QueuePair pair) {
        return pair.protectionDomain();
    }

    @Override
    public DeviceContext contextOf(QueuePair pair) {
        return pair.setup().context();
    }

    @Override
    public CompletionQueue sendQueueOf(QueuePair pair) {
        return Objects.requireNonNull(pair.setup().sendQueue(), "sendQueue");
    }

    @Override
    public CompletionQueue receiveQueueOf(QueuePair pair) {
        return Objects.requireNonNull(pair.setup().receiveQueue(), "receiveQueue");
    }

    @Override
    public boolean sharesReceives(QueuePair pair) {
        return pair.setup().sharedReceiveQueue() != null;
    }

    @Override
    public AddressVector decodeWay(MemorySegment attributes) {
        return AddressVectors.read(attributes);
    }

    @Override
    public List<Access> remoteAccessOf(QueuePair pair) {
        return pair.setup().remoteAccess();
    }

    @Override
    public Runnable use(QueuePair pair, String user) {
        Lifecycle use = Lifecycle.make(() -> new Lifecycle(user, pair.life()), pair.life());
        return () -> use.close(() -> {});
    }

    @Override
    public QueuePairAttributes decode(MemorySegment attributes, int mask) {
        return QueuePairAttributes.decode(attributes, mask);
    }
}
