package org.verbs4j;

import org.jspecify.annotations.Nullable;
import org.verbs4j.bindings.Verbs;

import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.Objects;
import java.util.Set;

/**
 * What a queue pair was made with and does not change: the native object, where it is attached, and
 * the capacities that the device really gave.
 *
 * @param domain null for an XRC receiver, which has none
 * @param xrcDomain of XRC receivers only
 * @param sendQueue null for an XRC receiver, as the next two
 */
record QueuePairSetup(
        QueuePairType type,
        DeviceContext context,
        @Nullable ProtectionDomain domain,
        @Nullable XrcDomain xrcDomain,
        @Nullable CompletionQueue sendQueue,
        @Nullable CompletionQueue receiveQueue,
        @Nullable SharedReceiveQueue sharedReceiveQueue,
        List<Lifecycle> parents,
        MemorySegment handle,
        Port port,
        @Nullable GidEntry gid,
        PortAttributes.LinkLayer linkLayer,
        long maxMessageSize,
        int partitionKeyIndex,
        int packetSequence,
        int queueKey,
        List<Access> remoteAccess,
        boolean signalAll,
        Capacity capacity,
        Set<SendOperation> extendedSends) {

    /** Every bit that an RC, UC or UD queue pair may be asked for. */
    static final int EVERYTHING = Verbs.IBV_QP_DEST_QPN() * 2 - 1;

    /** How much fits, as the device gave it. */
    record Capacity(
            int maxSendRequests,
            int maxReceiveRequests,
            int maxSendSge,
            int maxReceiveSge,
            int maxInlineData) {
        /** Of a queue pair that nothing is posted to. */
        static final Capacity NONE = new Capacity(0, 0, 0, 0, 0);
    }

    ProtectionDomain requireDomain() {
        return Objects.requireNonNull(domain, "an XRC receiver has no requests");
    }

    /** What RESET to INIT needs. */
    QueuePairAttributes initialAttributes() {
        QueuePairAttributes initial =
                new QueuePairAttributes().state(QueuePairState.INIT).port(port.number());
        return switch (type) {
            case RAW_PACKET -> initial;
            case UD -> initial.partitionKeyIndex(partitionKeyIndex).queueKey(queueKey);
            case RC, UC, XRC_SEND, XRC_RECEIVE ->
                    initial.partitionKeyIndex(partitionKeyIndex)
                            .remoteAccess(remoteAccess.toArray(Access[]::new));
        };
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
        if (gid != null) {
            requireStillInPlace(gid);
        }
        return gid;
    }

    /**
     * The kernel is told the index alone: with another GID there it would send from that without a
     * word. An empty index it refuses itself, and a connected queue pair keeps its entry.
     */
    private void requireStillInPlace(GidEntry entry) {
        List<GidEntry> table = port.gidTable();
        for (GidEntry now : table) {
            boolean same = now.gid().equals(entry.gid()) && now.type() == entry.type();
            if (now.index() == entry.index() && !same) {
                throw new VerbsException(
                        "ibv_query_gid_table",
                        0,
                        "GID index "
                                + entry.index()
                                + " of "
                                + port
                                + " was "
                                + entry.gid()
                                + " of "
                                + entry.type()
                                + " when it was read and is "
                                + now.gid()
                                + " of "
                                + now.type()
                                + " now: make the queue pair anew with an entry read now; "
                                + Hints.usableGids(table));
            }
        }
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
