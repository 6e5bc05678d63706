package org.verbs4j.cm;

import org.verbs4j.AddressHandle;
import org.verbs4j.AddressVector;
import org.verbs4j.ProtectionDomain;
import org.verbs4j.bindings.rdma_ud_param;
import org.verbs4j.internal.VerbsInternals;

import java.lang.foreign.MemorySegment;

/**
 * Where datagrams are to be sent, as the connection manager tells it in {@code struct
 * rdma_ud_param}: a peer or a multicast group. A value.
 *
 * @param way to the port
 * @param queuePairNumber of the peer, {@link org.verbs4j.UdQueuePair#MULTICAST_QUEUE_PAIR} of a
 *     group
 * @param queueKey what the datagrams must carry
 */
public record DatagramDestination(AddressVector way, int queuePairNumber, int queueKey) {
    static DatagramDestination decode(MemorySegment ud) {
        return new DatagramDestination(
                VerbsInternals.get().decodeWay(rdma_ud_param.ah_attr(ud)),
                rdma_ud_param.qp_num(ud),
                rdma_ud_param.qkey(ud));
    }

    @Override
    public String toString() {
        return "queue pair %d with queue key 0x%08x by %s"
                .formatted(queuePairNumber, queueKey, way);
    }

    /**
     * The way as {@link org.verbs4j.Send#to} takes it, {@code ibv_create_ah(3)}.
     *
     * @param domain of the queue pair that will send; the caller closes the handle
     * @throws org.verbs4j.VerbsException when the device refuses
     */
    public AddressHandle newAddressHandle(ProtectionDomain domain) {
        return domain.newAddressHandle(way);
    }
}
