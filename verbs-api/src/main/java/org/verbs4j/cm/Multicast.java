package org.verbs4j.cm;

import org.verbs4j.DeviceContext;
import org.verbs4j.UdQueuePair;
import org.verbs4j.bindings.Posix;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;

/**
 * A device at a local address, to join multicast groups through, {@code rdma_join_multicast(3)}.
 *
 * <p>Any thread may use it; those that join take turns. {@link #close()} by another thread ends
 * their wait.
 */
public final class Multicast implements AutoCloseable {
    private final Link link;
    private final InetAddress local;

    /** Held by the thread that joins. */
    private final ReentrantLock turn = new ReentrantLock();

    /** Under its own lock, which is taken last. */
    private final Set<MulticastGroup> joined = Collections.newSetFromMap(new IdentityHashMap<>());

    /** Under the lock of the joined ones. */
    private boolean closed;

    private Multicast(Link link, InetAddress local) {
        this.link = link;
        this.local = local;
        link.channel().belongsTo(this);
    }

    /**
     * Takes the device that has a local address.
     *
     * @throws ConnectionException when the address is not of this machine, or not of an RDMA
     *     device, with those that are
     */
    public static Multicast at(InetAddress local) {
        Link link = Link.create(PortSpace.UDP);
        try {
            InetSocketAddress address = new InetSocketAddress(local, 0);
            link.id().bind(address);
            if (!link.id().hasDevice()) {
                throw Diagnosis.local("rdma_bind_addr", Posix.ENODEV(), address, PortSpace.UDP);
            }
            return new Multicast(link, local);
        } catch (RuntimeException e) {
            link.closeAfter(e);
            throw e;
        }
    }

    /** The device: make the queue pair from it. */
    public DeviceContext context() {
        return link.id().context();
    }

    /**
     * Joins a group, {@code rdma_join_multicast(3)}: the queue pair takes its datagrams, and can
     * send to it. Makes the queue pair ready unless it is.
     *
     * @param pair made from {@link #context()}, with the queue key that builders choose by
     *     themselves; post its first receives before
     * @param group a multicast address of the family of the local one
     * @param timeout the longest wait for the network
     * @throws IllegalArgumentException when it is not a multicast address, or of the other family
     * @throws ConnectionException when the network refuses, or time is over
     * @throws InterruptedException when the thread is interrupted
     * @throws IllegalStateException when this is closed, before or meanwhile, or the queue pair has
     *     joined the group already
     */
    public MulticastGroup join(UdQueuePair pair, InetAddress group, Duration timeout)
            throws InterruptedException {
        return join(pair, group, true, Deadline.in(timeout));
    }

    /**
     * As {@link #join(UdQueuePair, InetAddress, Duration)}, to send only: {@code
     * rdma_join_multicast_ex(3)}.
     */
    public MulticastGroup joinToSend(UdQueuePair pair, InetAddress group, Duration timeout)
            throws InterruptedException {
        return join(pair, group, false, Deadline.in(timeout));
    }

    private MulticastGroup join(
            UdQueuePair pair, InetAddress group, boolean receives, Deadline deadline)
            throws InterruptedException {
        requireGroup(group);
        if (!turn.tryLock(deadline.left().toNanos(), TimeUnit.NANOSECONDS)) {
            throw late(group, deadline);
        }
        try {
            link.makeReady(pair);
            if (receives) {
                link.id().joinMulticast(group);
            } else {
                link.id().joinMulticastToSend(group);
            }
            try {
                DatagramDestination destination = await(group, deadline);
                return add(MulticastGroup.create(this, pair, group, destination, receives));
            } catch (RuntimeException | InterruptedException e) {
                leaveAfter(e, group);
                throw e;
            }
        } finally {
            turn.unlock();
        }
    }

    private void requireGroup(InetAddress group) {
        if (!group.isMulticastAddress()) {
            throw new IllegalArgumentException(
                    group.getHostAddress()
                            + " is not a multicast address: these are 224.0.0.0 to"
                            + " 239.255.255.255, and ff00::/8");
        }
        if (group.getAddress().length != local.getAddress().length) {
            throw new IllegalArgumentException(
                    "the group "
                            + group.getHostAddress()
                            + " is of another family than the local address "
                            + local.getHostAddress()
                            + ": choose one of the same");
        }
    }

    private DatagramDestination await(InetAddress group, Deadline deadline)
            throws InterruptedException {
        while (true) {
            ConnectionEvent event = link.channel().await(deadline.left());
            switch (event) {
                case null -> throw late(group, deadline);
                case ConnectionEvent.MulticastJoined joinedNow
                        when joinedNow.group().equals(group) -> {
                    return joinedNow.destination();
                }
                case ConnectionEvent.MulticastFailed failed when failed.group().equals(group) ->
                        throw Diagnosis.notJoined(failed);
                case ConnectionEvent.DeviceRemoved removed ->
                        throw Diagnosis.removed("rdma_join_multicast", removed);
                default -> {} // of a group that was given up
            }
        }
    }

    private ConnectionException late(InetAddress group, Deadline deadline) {
        return Diagnosis.late(
                "rdma_join_multicast",
                deadline.timeout(),
                new InetSocketAddress(group, 0),
                "on InfiniBand, does a subnet manager run?");
    }

    private MulticastGroup add(MulticastGroup group) {
        synchronized (joined) {
            if (!closed) {
                joined.add(group);
                return group;
            }
        }
        group.close();
        throw new IllegalStateException(this + " has been closed");
    }

    private void leaveAfter(Throwable cause, InetAddress group) {
        try {
            link.id().leaveMulticast(group);
        } catch (IllegalStateException | ConnectionException e) {
            cause.addSuppressed(e);
        }
    }

    /** Nothing when it came too late to be added: the close has left all. */
    void leave(MulticastGroup group) {
        boolean here;
        synchronized (joined) {
            here = joined.remove(group);
        }
        if (here) {
            link.id().leaveMulticast(group.address());
        }
    }

    /**
     * Lets the device go; a thread that joins gets an {@link IllegalStateException}. Does nothing
     * when it is closed.
     *
     * @throws IllegalStateException when a group has not been left, naming it
     */
    @Override
    public void close() {
        synchronized (joined) {
            if (!joined.isEmpty()) {
                throw new IllegalStateException(
                        this + " is still used by " + joined + ": close them first");
            }
            closed = true;
        }
        synchronized (link) {
            link.close();
        }
    }

    @Override
    public String toString() {
        return "multicast at " + local.getHostAddress();
    }
}
