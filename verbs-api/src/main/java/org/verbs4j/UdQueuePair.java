package org.verbs4j;

import org.jspecify.annotations.Nullable;
import org.verbs4j.bindings.Posix;
import org.verbs4j.bindings.Verbs;
import org.verbs4j.bindings.ibv_gid;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.LinkedHashSet;
import java.util.Set;

/**
 * A queue pair for datagrams, {@code IBV_QPT_UD}: each send names its destination, {@link Send#to},
 * and anybody who knows the queue key may send to it. A datagram is at most {@link
 * #maxMessageSize()} bytes; one that is lost, finds no receive posted or has a wrong key is dropped
 * without a word, and the send succeeds all the same.
 *
 * <p>Every receive needs {@value #GLOBAL_ROUTING_HEADER_LENGTH} bytes more than the datagram: the
 * device writes the {@link GlobalRoutingHeader} first, and {@link WorkCompletion#byteLength()}
 * counts it. On InfiniBand it may be left blank: {@link WorkCompletion#hasGlobalRoutingHeader()}.
 *
 * <p>Threads as {@link QueuePair} says. It is made in {@link QueuePairState#INIT}; post receives,
 * then {@link #activate()}.
 */
public final class UdQueuePair extends QueuePair {
    /** Bytes in front of every received datagram. */
    public static final int GLOBAL_ROUTING_HEADER_LENGTH = 40;

    /** The destination's queue pair number of datagrams to a multicast group. */
    public static final int MULTICAST_QUEUE_PAIR = 0xff_ffff;

    /** The groups that it is attached to; under the lock of its life. */
    private final Set<Group> groups = new LinkedHashSet<>();

    private record Group(Gid gid, int lid) {}

    UdQueuePair(QueuePairSetup setup) {
        super(setup);
    }

    /** The key that datagrams to it must carry, as built. */
    public int queueKey() {
        return setup().queueKey();
    }

    /**
     * Makes it ready: from INIT, or RESET, to READY_TO_SEND, by {@code ibv_modify_qp(3)}.
     *
     * @throws QueuePairTransitionException when the kernel refuses
     */
    public void activate() {
        if (state() == QueuePairState.RESET) {
            moveToInit();
        }
        moveToReadyToReceive();
        moveToReadyToSend();
    }

    /**
     * Moves from INIT to READY_TO_RECEIVE, where datagrams are taken, by {@code ibv_modify_qp(3)}.
     *
     * @throws QueuePairTransitionException when the kernel refuses
     */
    public void moveToReadyToReceive() {
        modify(new QueuePairAttributes().state(QueuePairState.READY_TO_RECEIVE));
    }

    /**
     * Moves from READY_TO_RECEIVE to READY_TO_SEND, by {@code ibv_modify_qp(3)}.
     *
     * @throws QueuePairTransitionException when the kernel refuses
     */
    public void moveToReadyToSend() {
        modify(
                new QueuePairAttributes()
                        .state(QueuePairState.READY_TO_SEND)
                        .sendSequence(setup().packetSequence()));
    }

    /**
     * Takes datagrams to a multicast group, {@code ibv_attach_mcast(3)}; again does nothing. It
     * tells the device only: the network sends them here once somebody has joined the group, on
     * RoCE by IGMP or MLD such as {@code rdma_join_multicast} does.
     *
     * @param group a multicast GID
     * @param lid the group's local identifier on InfiniBand, 16 bits, 0 on Ethernet
     * @return whether this is new: false when it takes them already
     * @throws VerbsException when the kernel refuses
     */
    public boolean joinMulticast(Gid group, int lid) {
        return life().whileOpen(
                        () -> {
                            Group joined = new Group(group, lid);
                            check(
                                    "ibv_attach_mcast",
                                    attach(joined),
                                    joined,
                                    "is not a multicast GID (ff00::/8, or an IPv4 group as"
                                            + " ::ffff:224.0.0.0/100)");
                            return groups.add(joined);
                        });
    }

    /**
     * Takes no more datagrams to a multicast group, {@code ibv_detach_mcast(3)}.
     *
     * @param group as joined
     * @param lid as joined
     * @throws VerbsException when it had not been joined
     */
    public void leaveMulticast(Gid group, int lid) {
        life().whileOpen(
                        () -> {
                            Group left = new Group(group, lid);
                            check("ibv_detach_mcast", detach(left), left, "has not been joined");
                            return groups.remove(left);
                        });
    }

    private int attach(Group group) {
        try (Arena arena = Arena.ofConfined()) {
            return Verbs.ibv_attach_mcast(
                    setup().handle(), union(arena, group), (short) group.lid());
        }
    }

    private int detach(Group group) {
        try (Arena arena = Arena.ofConfined()) {
            return Verbs.ibv_detach_mcast(
                    setup().handle(), union(arena, group), (short) group.lid());
        }
    }

    private static MemorySegment union(Arena arena, Group group) {
        Arguments.range("lid", group.lid(), 0, 0xffff);
        MemorySegment union = arena.allocate(ibv_gid.layout());
        GidTable.put(union, group.gid());
        return union;
    }

    private void check(String verb, int errno, Group group, String invalid) {
        if (errno != 0) {
            String why =
                    errno == Posix.EINVAL()
                            ? group.gid() + " " + invalid
                            : "the device refuses " + group.gid();
            throw new VerbsException(verb, errno, this + ": " + why);
        }
    }

    @Override
    @Nullable String stillInUse() {
        return groups.isEmpty()
                ? null
                : this
                        + " is still attached to "
                        + groups.stream().map(group -> group.gid().toString()).toList()
                        + ": leave these multicast groups first";
    }

    /** Options of a datagram queue pair. Belongs to one thread. */
    public static final class Builder extends QueuePairBuilder<Builder> {
        Builder(ProtectionDomain domain, CompletionQueue sendQueue, CompletionQueue receiveQueue) {
            super(domain, sendQueue, receiveQueue);
            queueKey = Verbs.RDMA_UDP_QKEY();
        }

        @Override
        Builder self() {
            return this;
        }

        /**
         * Sets the key that datagrams to it must carry. By default the one that {@code rdma_cm}
         * uses, 0x01234567.
         *
         * @param key any number; one with the highest bit set needs CAP_NET_RAW
         */
        public Builder queueKey(int key) {
            queueKey = key;
            return this;
        }

        /**
         * Takes the receives from a queue that several queue pairs share, instead of one of its
         * own.
         *
         * @param queue of the same protection domain
         * @throws IllegalArgumentException when it is of another
         */
        public Builder sharedReceiveQueue(SharedReceiveQueue queue) {
            return takeReceivesFrom(queue);
        }

        /**
         * Makes the queue pair, {@code ibv_create_qp(3)}, and moves it to {@link
         * QueuePairState#INIT}.
         *
         * @throws UnsupportedVerbException when the device does not have this type
         * @throws VerbsException when the device refuses, naming the limit exceeded, or no port is
         *     ACTIVE
         * @throws IllegalArgumentException when there is no such port, or its GID table has no such
         *     entry
         */
        public UdQueuePair build() {
            return make(QueuePairType.UD, UdQueuePair::new);
        }
    }
}
