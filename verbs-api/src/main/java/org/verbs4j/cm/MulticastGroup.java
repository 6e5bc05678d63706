package org.verbs4j.cm;

import org.verbs4j.AddressVector;
import org.verbs4j.Gid;
import org.verbs4j.Send;
import org.verbs4j.UdQueuePair;

import java.net.InetAddress;
import java.nio.ByteBuffer;

/**
 * A multicast group that a queue pair has joined: {@code RDMA_CM_EVENT_MULTICAST_JOIN}.
 *
 * <p>Any thread may use it, several at a time.
 */
public final class MulticastGroup implements AutoCloseable {
    private static final ByteBuffer NOTHING = ByteBuffer.allocate(0).asReadOnlyBuffer();

    private final Multicast joinedThrough;
    private final UdQueuePair pair;
    private final InetAddress address;
    private final DatagramPeer members;
    private final boolean receives;
    private boolean left;

    private MulticastGroup(
            Multicast joinedThrough,
            UdQueuePair pair,
            InetAddress address,
            DatagramPeer members,
            boolean receives) {
        this.joinedThrough = joinedThrough;
        this.pair = pair;
        this.address = address;
        this.members = members;
        this.receives = receives;
    }

    static MulticastGroup create(
            Multicast through,
            UdQueuePair pair,
            InetAddress address,
            DatagramDestination destination,
            boolean receives) {
        DatagramPeer members = DatagramPeer.create(pair, destination, NOTHING);
        try {
            if (receives && !pair.joinMulticast(gid(destination), destination.way().lid())) {
                throw new IllegalStateException(
                        pair
                                + " has joined "
                                + address.getHostAddress()
                                + " already: leave it first, or use another queue pair");
            }
            return new MulticastGroup(through, pair, address, members, receives);
        } catch (RuntimeException e) {
            members.close();
            throw e;
        }
    }

    private static Gid gid(DatagramDestination destination) {
        AddressVector.GlobalRoute route = destination.way().route();
        if (route == null) {
            throw new IllegalStateException("a multicast group without a GID: " + destination);
        }
        return route.destination();
    }

    /** The group's address. */
    public InetAddress address() {
        return address;
    }

    /** Where datagrams to the group go. */
    public DatagramDestination destination() {
        return members.destination();
    }

    /** Sends a request to the group: {@link Send#to}. */
    public Send address(Send request) {
        return members.address(request);
    }

    /**
     * Leaves the group. Datagrams that have arrived already can still be polled. Does nothing when
     * it has been left.
     *
     * @throws org.verbs4j.VerbsException when the kernel refuses
     */
    @Override
    public synchronized void close() {
        if (left) {
            return;
        }
        left = true;
        try {
            if (receives) {
                pair.leaveMulticast(gid(destination()), destination().way().lid());
            }
        } finally {
            try {
                members.close();
            } finally {
                joinedThrough.leave(this);
            }
        }
    }

    @Override
    public String toString() {
        return "multicast group " + address.getHostAddress();
    }
}
