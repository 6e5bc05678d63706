package org.verbs4j;

import org.jspecify.annotations.Nullable;
import org.verbs4j.bindings.ContextVerbs;
import org.verbs4j.bindings.NativeLibraries;
import org.verbs4j.bindings.Posix;
import org.verbs4j.bindings.Verbs;
import org.verbs4j.bindings.ibv_qp;
import org.verbs4j.bindings.ibv_qp_attr;
import org.verbs4j.bindings.ibv_qp_cap;
import org.verbs4j.bindings.ibv_qp_ex;
import org.verbs4j.bindings.ibv_qp_init_attr;
import org.verbs4j.bindings.ibv_qp_init_attr_ex;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/** Makes native queue pairs from what a builder was told, and says why one was refused. */
final class QueuePairCreation {
    private static final long[] ALWAYS_CALLED = {
        ibv_qp_ex.wr_start$offset(),
        ibv_qp_ex.wr_complete$offset(),
        ibv_qp_ex.wr_abort$offset(),
        ibv_qp_ex.wr_set_sge$offset(),
        ibv_qp_ex.wr_set_sge_list$offset(),
        ibv_qp_ex.wr_set_inline_data$offset(),
        ibv_qp_ex.wr_set_inline_data_list$offset()
    };

    private final QueuePairBuilder<?> asked;
    private final QueuePairType type;
    private final DeviceContext context;

    QueuePairCreation(QueuePairBuilder<?> asked, QueuePairType type) {
        this.asked = asked;
        this.type = type;
        this.context = asked.context;
    }

    /** Makes the native queue pair, in RESET. */
    QueuePairSetup create() {
        Port port = asked.port == null ? context.activePort() : context.port(asked.port);
        GidEntry gid = sourceGid(port);
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment init = arena.allocate(ibv_qp_init_attr_ex.layout());
            fill(init);
            // Goes to ibv_create_qp unless there is something that only the extended one takes.
            long qp = ContextVerbs.ibv_create_qp_ex(context.address(), init.address());
            if (qp == 0) {
                throw refused(NativeLibraries.errno());
            }
            return setup(MemorySegment.ofAddress(qp).reinterpret(ibv_qp.sizeof()), port, gid);
        }
    }

    private @Nullable GidEntry sourceGid(Port port) {
        if (asked.gidIndex != null) {
            return port.gid(asked.gidIndex);
        }
        return asked.gid != null ? asked.gid : port.routableGid().orElse(null);
    }

    private QueuePairSetup setup(MemorySegment qp, Port port, @Nullable GidEntry gid) {
        try {
            requireSenders(qp);
            return describe(asked, type, qp, port, gid, capacity(qp));
        } catch (RuntimeException | Error e) {
            Verbs.ibv_destroy_qp(qp); // nobody else knows it yet
            throw e;
        }
    }

    /** A provider that forgets a function would make the JVM call a NULL pointer. */
    private void requireSenders(MemorySegment qp) {
        MemorySegment table = qp.reinterpret(ibv_qp_ex.sizeof());
        for (SendOperation operation : asked.extendedSends) {
            if (table.get(ValueLayout.JAVA_LONG, operation.function()) == 0) {
                throw unusable(operation);
            }
            for (long function : ALWAYS_CALLED) {
                if (table.get(ValueLayout.JAVA_LONG, function) == 0) {
                    throw unusable(operation);
                }
            }
        }
    }

    private VerbsException unusable(SendOperation operation) {
        return new VerbsException(
                "ibv_create_qp_ex",
                0,
                "the provider "
                        + context.provider()
                        + " accepted "
                        + operation
                        + ", but cannot post it");
    }

    static QueuePairSetup describe(
            QueuePairBuilder<?> asked,
            QueuePairType type,
            MemorySegment qp,
            Port port,
            @Nullable GidEntry gid,
            QueuePairSetup.Capacity capacity) {
        PortAttributes attributes = port.attributes();
        // Longer datagrams are dropped, on soft-RoCE with a completion that says success.
        long most =
                type == QueuePairType.UD
                        ? attributes.activeMtu().bytes()
                        : attributes.maxMessageSize();
        return new QueuePairSetup(
                type,
                asked.context,
                asked.domain,
                asked.xrcDomain,
                asked.sendQueue,
                asked.receiveQueue,
                asked.sharedReceiveQueue,
                List.of(asked.parents()),
                qp,
                port,
                gid,
                attributes.linkLayer(),
                most,
                asked.partitionKeyIndex,
                asked.packetSequence,
                asked.queueKey,
                List.of(asked.remoteAccess),
                asked.signalAll,
                capacity,
                Set.copyOf(asked.extendedSends));
    }

    /** What the device really gave, which the creation does not report on every kernel. */
    private QueuePairSetup.Capacity capacity(MemorySegment qp) {
        if (type == QueuePairType.XRC_RECEIVE) {
            return QueuePairSetup.Capacity.NONE;
        }
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment attr = arena.allocate(ibv_qp_attr.layout());
            MemorySegment init = arena.allocate(ibv_qp_init_attr.layout());
            int errno = Verbs.ibv_query_qp(qp, attr, Verbs.IBV_QP_CAP(), init);
            if (errno != 0) {
                throw new VerbsException(
                        "ibv_query_qp", errno, "the capacities of a queue pair on " + context);
            }
            MemorySegment cap = ibv_qp_init_attr.cap(init);
            boolean receives = type.receives() && asked.sharedReceiveQueue == null;
            return new QueuePairSetup.Capacity(
                    ibv_qp_cap.max_send_wr(cap),
                    receives ? ibv_qp_cap.max_recv_wr(cap) : 0,
                    Math.max(asked.maxSendSge, ibv_qp_cap.max_send_sge(cap)),
                    receives ? Math.max(asked.maxReceiveSge, ibv_qp_cap.max_recv_sge(cap)) : 0,
                    ibv_qp_cap.max_inline_data(cap));
        }
    }

    private void fill(MemorySegment init) {
        ibv_qp_init_attr_ex.qp_type(init, type.code());
        if (asked.sendQueue != null && asked.receiveQueue != null) {
            ibv_qp_init_attr_ex.send_cq(init, asked.sendQueue.handle());
            ibv_qp_init_attr_ex.recv_cq(init, asked.receiveQueue.handle());
        }
        if (asked.sharedReceiveQueue != null) {
            ibv_qp_init_attr_ex.srq(init, asked.sharedReceiveQueue.handle());
        }
        ibv_qp_init_attr_ex.sq_sig_all(init, asked.signalAll ? 1 : 0);
        MemorySegment cap = ibv_qp_init_attr_ex.cap(init);
        if (type.sends()) {
            ibv_qp_cap.max_send_wr(cap, asked.maxSendRequests);
            ibv_qp_cap.max_send_sge(cap, asked.maxSendSge);
            ibv_qp_cap.max_inline_data(cap, asked.maxInlineData);
        }
        if (type.receives() && asked.sharedReceiveQueue == null) {
            ibv_qp_cap.max_recv_wr(cap, asked.maxReceiveRequests);
            ibv_qp_cap.max_recv_sge(cap, asked.maxReceiveSge);
        }
        fillExtended(init);
    }

    private void fillExtended(MemorySegment init) {
        int mask = 0;
        if (asked.domain != null) {
            mask |= Verbs.IBV_QP_INIT_ATTR_PD();
            ibv_qp_init_attr_ex.pd(init, asked.domain.handle());
        }
        if (asked.xrcDomain != null) {
            mask |= Verbs.IBV_QP_INIT_ATTR_XRCD();
            ibv_qp_init_attr_ex.xrcd(init, asked.xrcDomain.handle());
        }
        int flags = QueuePairOption.mask(asked.options);
        if (asked.sourceQueuePair != null) {
            flags |= Verbs.IBV_QP_CREATE_SOURCE_QPN();
            ibv_qp_init_attr_ex.source_qpn(init, asked.sourceQueuePair);
        }
        if (flags != 0) {
            mask |= Verbs.IBV_QP_INIT_ATTR_CREATE_FLAGS();
            ibv_qp_init_attr_ex.create_flags(init, flags);
        }
        if (!asked.extendedSends.isEmpty()) {
            mask |= Verbs.IBV_QP_INIT_ATTR_SEND_OPS_FLAGS();
            ibv_qp_init_attr_ex.send_ops_flags(init, SendOperation.mask(asked.extendedSends));
        }
        ibv_qp_init_attr_ex.comp_mask(init, mask);
        extended = mask != Verbs.IBV_QP_INIT_ATTR_PD();
    }

    /** Whether it needs {@code ibv_create_qp_ex}. */
    private boolean extended;

    private VerbsException refused(int errno) {
        String verb = extended ? "ibv_create_qp_ex" : "ibv_create_qp";
        if (UnsupportedVerbs.isMissing(errno)) {
            return new UnsupportedVerbException(
                    verb,
                    errno,
                    context.device().name()
                            + " (provider "
                            + context.provider()
                            + ") has no queue pairs of type "
                            + type.symbol()
                            + (asked.options.isEmpty() && asked.sourceQueuePair == null
                                    ? ""
                                    : ", or not with the options " + asked.options)
                            + (asked.extendedSends.isEmpty()
                                    ? ""
                                    : ", or not with all of the extended sends "
                                            + asked.extendedSends));
        }
        return new VerbsException(verb, errno, whyNot(errno));
    }

    private String whyNot(int errno) {
        String what =
                type.symbol() + " queue pair on " + context.device().name() + " with " + asked;
        if (errno == Posix.EPERM() || errno == Posix.EACCES()) {
            return what + ": needs CAP_NET_RAW";
        }
        DeviceAttributes most = context.attributes();
        List<String> beyond = new ArrayList<>();
        exceeds(beyond, "maxSendRequests", asked.maxSendRequests, most.maxQueuePairRequests());
        exceeds(
                beyond,
                "maxReceiveRequests",
                asked.maxReceiveRequests,
                most.maxQueuePairRequests());
        exceeds(beyond, "maxSendSge", asked.maxSendSge, most.maxSge());
        exceeds(beyond, "maxReceiveSge", asked.maxReceiveSge, most.maxSge());
        if (!beyond.isEmpty()) {
            return what + ": " + String.join(", ", beyond);
        }
        if (errno == Posix.ENOMEM()) {
            return what + ": too large together, or " + Hints.memlock("its queues");
        }
        return what
                + ": each is within the device's limits"
                + (asked.maxInlineData > 0 ? ", so maxInlineData is probably too large" : "")
                + "; devices lower their limits when several are high";
    }

    private static void exceeds(List<String> beyond, String name, int value, int most) {
        if (value > most) {
            beyond.add(name + " exceeds the device's " + most);
        }
    }
}
