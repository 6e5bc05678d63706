package org.verbs4j;

import org.jspecify.annotations.Nullable;
import org.verbs4j.bindings.ContextVerbs;
import org.verbs4j.bindings.NativeLibraries;
import org.verbs4j.bindings.Posix;
import org.verbs4j.bindings.Verbs;
import org.verbs4j.bindings.ibv_qp;
import org.verbs4j.bindings.ibv_qp_attr;
import org.verbs4j.bindings.ibv_qp_cap;
import org.verbs4j.bindings.ibv_qp_init_attr;
import org.verbs4j.bindings.ibv_qp_init_attr_ex;
import org.verbs4j.bindings.verbs_context;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/**
 * What a queue pair was made with and does not change: the native object, where it is attached, and
 * the capacities that the device really gave, which {@code ibv_create_qp} does not report on every
 * kernel.
 */
record QueuePairSetup(
        ProtectionDomain domain,
        CompletionQueue sendQueue,
        CompletionQueue receiveQueue,
        MemorySegment handle,
        Port port,
        @Nullable GidEntry gid,
        PortAttributes.LinkLayer linkLayer,
        long maxMessageSize,
        int partitionKeyIndex,
        int packetSequence,
        List<Access> remoteAccess,
        int maxSendRequests,
        int maxReceiveRequests,
        int maxSendSge,
        int maxReceiveSge,
        int maxInlineData,
        Set<SendOperation> extendedSends) {

    /** Every bit that an RC, UC or UD queue pair may be asked for. */
    static final int EVERYTHING = Verbs.IBV_QP_DEST_QPN() * 2 - 1;

    /** Makes the native queue pair, in RESET. */
    static QueuePairSetup create(QueuePairBuilder<?> asked, int type) {
        DeviceContext context = asked.domain.context();
        Port port = asked.port == null ? context.activePort() : context.port(asked.port);
        PortAttributes attributes = port.attributes();
        GidEntry gid = asked.gid;
        if (asked.gidIndex != null) {
            gid = port.gid(asked.gidIndex);
        } else if (gid == null) {
            gid = port.routableGid().orElse(null);
        }
        try (Arena arena = Arena.ofConfined()) {
            // The extended attributes begin with the others.
            MemorySegment init = arena.allocate(ibv_qp_init_attr_ex.layout());
            fill(init, asked, type);
            MemorySegment qp =
                    asked.extendedSends.isEmpty()
                            ? Verbs.ibv_create_qp(asked.domain.handle(), init)
                            : createExtended(init, asked);
            if (qp.address() == 0) {
                int errno = NativeLibraries.errno();
                if (!asked.extendedSends.isEmpty()) {
                    throw UnsupportedVerbs.failure("ibv_create_qp_ex", errno, context, verbs_context.create_qp_ex$offset(),
                            whyNot(asked, context, errno));
                }
                throw new VerbsException("ibv_create_qp", errno, whyNot(asked, context, errno));
            }
            qp = qp.reinterpret(ibv_qp.sizeof());
            try {
                MemorySegment attr = arena.allocate(ibv_qp_attr.layout());
                int errno = Verbs.ibv_query_qp(qp, attr, Verbs.IBV_QP_CAP(), init);
                if (errno != 0) {
                    throw new VerbsException(
                            "ibv_query_qp", errno, "the capacities of a queue pair on " + context);
                }
                MemorySegment cap = ibv_qp_init_attr.cap(init);
                return new QueuePairSetup(
                        asked.domain,
                        asked.sendQueue,
                        asked.receiveQueue,
                        qp,
                        port,
                        gid,
                        attributes.linkLayer(),
                        attributes.maxMessageSize(),
                        asked.partitionKeyIndex,
                        asked.packetSequence,
                        List.of(asked.remoteAccess),
                        ibv_qp_cap.max_send_wr(cap),
                        ibv_qp_cap.max_recv_wr(cap),
                        Math.max(asked.maxSendSge, ibv_qp_cap.max_send_sge(cap)),
                        Math.max(asked.maxReceiveSge, ibv_qp_cap.max_recv_sge(cap)),
                        ibv_qp_cap.max_inline_data(cap),
                        Set.copyOf(asked.extendedSends));
            } catch (RuntimeException | Error e) {
                Verbs.ibv_destroy_qp(qp); // nobody else knows it yet
                throw e;
            }
        }
    }

    private static MemorySegment createExtended(MemorySegment init, QueuePairBuilder<?> asked) {
        ibv_qp_init_attr_ex.comp_mask(
                init, Verbs.IBV_QP_INIT_ATTR_PD() | Verbs.IBV_QP_INIT_ATTR_SEND_OPS_FLAGS());
        ibv_qp_init_attr_ex.pd(init, asked.domain.handle());
        ibv_qp_init_attr_ex.send_ops_flags(init, SendOperation.mask(asked.extendedSends));
        DeviceContext context = asked.domain.context();
        return MemorySegment.ofAddress(
                ContextVerbs.ibv_create_qp_ex(context.address(), init.address()));
    }

    private static void fill(MemorySegment init, QueuePairBuilder<?> asked, int type) {
        ibv_qp_init_attr.send_cq(init, asked.sendQueue.handle());
        ibv_qp_init_attr.recv_cq(init, asked.receiveQueue.handle());
        ibv_qp_init_attr.qp_type(init, type);
        ibv_qp_init_attr.sq_sig_all(init, asked.signalAll ? 1 : 0);
        MemorySegment cap = ibv_qp_init_attr.cap(init);
        ibv_qp_cap.max_send_wr(cap, asked.maxSendRequests);
        ibv_qp_cap.max_recv_wr(cap, asked.maxReceiveRequests);
        ibv_qp_cap.max_send_sge(cap, asked.maxSendSge);
        ibv_qp_cap.max_recv_sge(cap, asked.maxReceiveSge);
        ibv_qp_cap.max_inline_data(cap, asked.maxInlineData);
    }

    private static String whyNot(QueuePairBuilder<?> asked, DeviceContext context, int errno) {
        String what = "a queue pair on " + context.device().name() + " with " + asked;
        if (errno == Posix.EOPNOTSUPP()) {
            return what + ": the device does not have this type";
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

    DeviceContext context() {
        return domain.context();
    }

    Lifecycle[] parents() {
        return sendQueue == receiveQueue
                ? new Lifecycle[] {domain.life(), sendQueue.life()}
                : new Lifecycle[] {domain.life(), sendQueue.life(), receiveQueue.life()};
    }

    boolean isEthernet() {
        return linkLayer == PortAttributes.LinkLayer.ETHERNET;
    }

    /** The GID to send from, which Ethernet cannot do without. */
    @Nullable GidEntry source() {
        if (gid == null && isEthernet()) {
            throw new VerbsException(
                    "ibv_query_gid_table",
                    0,
                    port + " has no RoCEv2 GID: give its network interface an IP address");
        }
        return gid;
    }

    QueuePairEndpoint endpoint(int number) {
        GidEntry source = source();
        PortAttributes now = port.attributes();
        return new QueuePairEndpoint(
                number,
                packetSequence,
                now.lid(),
                now.activeMtu(),
                source == null ? null : source.gid());
    }
}
