package org.verbs4j.cm;

import org.jspecify.annotations.Nullable;
import org.verbs4j.VerbsException;
import org.verbs4j.bindings.Errno;
import org.verbs4j.bindings.Posix;

import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.Set;

/** What went wrong and what to check, found out only after something has failed. */
final class Diagnosis {
    private static final String REMOVED =
            "the RDMA device is being removed: close this and what was made from the device; where"
                    + " the driver cannot leave contexts open, the device goes when this process"
                    + " ends; `rdma link` lists the devices that are left";

    /** What is done when there is a peer: the kernel says EINVAL when there is none any more. */
    private static final Set<String> AFTER_A_REQUEST =
            Set.of("rdma_init_qp_attr", "rdma_accept", "rdma_establish");

    private Diagnosis() {}

    /** No event channel. */
    static ConnectionException channel(int errno) {
        String why;
        if (errno == Posix.ENODEV() || errno == Posix.ENOENT() || errno == Posix.ENOSYS()) {
            why =
                    "/dev/infiniband/rdma_cm is missing: load the kernel module rdma_ucm; in a"
                            + " container pass on /dev/infiniband";
        } else if (errno == Posix.EACCES() || errno == Posix.EPERM()) {
            why =
                    "no permission for /dev/infiniband/rdma_cm: run as a user who may read and"
                            + " write it, often a member of the group rdma";
        } else if (errno == Posix.EMFILE() || errno == Posix.ENFILE()) {
            why = "too many open files: raise `ulimit -n`; each connection needs two";
        } else {
            why = "the connection manager does not answer";
        }
        return new ConnectionException("rdma_create_event_channel", errno, why, null);
    }

    /** Binding or resolving from a local address. */
    static ConnectionException local(
            String call, int errno, InetSocketAddress address, PortSpace portSpace) {
        String where = "local address " + SocketAddresses.text(address);
        String why;
        if (errno == Posix.EADDRINUSE()) {
            why = where + " is in use: choose another port, or wait for the program that has it";
        } else if (errno == Posix.EADDRNOTAVAIL() && RdmaAddresses.isLocal(address.getAddress())) {
            why = // of two listeners one is at all addresses
                    where
                            + " is in use by a program at another address of this machine or at"
                            + " all: choose another port, or wait for it";
        } else if (errno == Posix.EADDRNOTAVAIL()) {
            why = where + " is not an address of this machine; " + RdmaAddresses.sentence();
        } else if (errno == Posix.ENODEV()) {
            why = notRdma(where);
        } else if (errno == Posix.EINVAL() && portSpace == PortSpace.IPOIB) {
            why = where + " is not of InfiniBand, and the port space IPOIB is of InfiniBand only";
        } else if (errno == Posix.EACCES()) {
            why = where + ": ports below 1024 need CAP_NET_BIND_SERVICE";
        } else {
            why = where + " cannot be used; " + RdmaAddresses.sentence();
        }
        return new ConnectionException(call, errno, why, null);
    }

    static String notRdma(String what) {
        return what
                + " is not reached through an RDMA interface; "
                + RdmaAddresses.sentence()
                + ". In a container, is this the network namespace of the RDMA interface?";
    }

    /** A call that starts a step toward a remote address. */
    static ConnectionException remote(String call, int errno, @Nullable InetSocketAddress remote) {
        String why =
                errno == Posix.EINVAL() && AFTER_A_REQUEST.contains(call)
                        ? SocketAddresses.text(remote)
                                + " has gone: has the peer died, or given up while it waited?"
                        : toward(errno, remote);
        return new ConnectionException(call, errno, why, null);
    }

    private static String toward(int errno, @Nullable InetSocketAddress remote) {
        String where = SocketAddresses.text(remote);
        if (errno == Posix.ENETUNREACH() || errno == Posix.EHOSTUNREACH()) {
            return "no route to " + where + ": see `ip route get`; " + RdmaAddresses.sentence();
        }
        if (errno == Posix.ENODEV()) {
            return notRdma(where);
        }
        if (errno == Posix.ENXIO()) {
            return REMOVED;
        }
        if (errno == Posix.ETIMEDOUT()) {
            return where + " does not answer: is the host up, and `ip neigh` not FAILED?";
        }
        if (errno == Posix.EADDRNOTAVAIL()) {
            return "no local address fits "
                    + where
                    + " (an IPv6 link-local one needs its interface, as in fe80::1%eth0); "
                    + RdmaAddresses.sentence();
        }
        return "cannot reach " + where;
    }

    /** An event that tells of a failure. */
    static ConnectionException failed(
            String call, ConnectionEvent.Failed event, @Nullable InetSocketAddress remote) {
        Rejection rejection = event.rejection();
        if (rejection != null) {
            return rejected(call, event, rejection, remote);
        }
        int errno = Math.abs(event.status());
        String why =
                switch (event.reason()) {
                    case ADDRESS -> toward(errno, remote);
                    case ROUTE -> "no path to " + SocketAddresses.text(remote) + route(errno);
                    case UNREACHABLE ->
                            SocketAddresses.text(remote)
                                    + " does not answer the connection manager: has the peer died,"
                                    + " or is UDP port 4791 (RoCE) filtered?";
                    case CONNECT, REJECTED -> "no connection with " + SocketAddresses.text(remote);
                };
        return new ConnectionException(call, errno, why + " (" + event.reason() + ")", event);
    }

    private static String route(int errno) {
        return errno == Posix.ENODEV()
                ? ": loopback and other addresses without an RDMA device have none; "
                        + RdmaAddresses.sentence()
                : ": on InfiniBand, does a subnet manager run?";
    }

    private static ConnectionException rejected(
            String call,
            ConnectionEvent.Failed event,
            Rejection rejection,
            @Nullable InetSocketAddress remote) {
        int status = event.status();
        if (status < 0) { // iWARP gives an error number instead of a code
            return new ConnectionException(
                    call,
                    -status,
                    SocketAddresses.text(remote)
                            + " rejected: nobody listens there, or the"
                            + " program refused",
                    event);
        }
        return new ConnectionException(
                call,
                Posix.ECONNREFUSED(),
                SocketAddresses.text(remote)
                        + " rejected (reason "
                        + status
                        + "): "
                        + rejection.explanation(),
                event);
    }

    /** A multicast group that the network has not let in. */
    static ConnectionException notJoined(ConnectionEvent.MulticastFailed event) {
        return new ConnectionException(
                "rdma_join_multicast",
                Math.abs(event.status()),
                "group "
                        + event.group().getHostAddress()
                        + " cannot be joined: on InfiniBand, does a subnet manager run?",
                event);
    }

    /** The library's own deadline: the kernel gives none for a peer that keeps silent. */
    static ConnectionException late(
            String call, Duration timeout, @Nullable InetSocketAddress remote, String check) {
        return new ConnectionException(
                call,
                Posix.ETIMEDOUT(),
                SocketAddresses.text(remote)
                        + " has not answered within "
                        + timeout.toMillis()
                        + " ms: "
                        + check,
                null);
    }

    /** The device has been taken away under the step. */
    static ConnectionException removed(String call, ConnectionEvent.DeviceRemoved event) {
        return new ConnectionException(call, Posix.ENXIO(), REMOVED, event);
    }

    /** The device that the id is on cannot be opened, while librdmacm has it open. */
    static ConnectionException notOpened(VerbsException cause) {
        ConnectionException told =
                new ConnectionException(
                        cause.verb(),
                        cause.errno(),
                        "the device of this id cannot be opened: is it being removed?",
                        null);
        told.initCause(cause);
        return told;
    }

    /** An event that has no place in the step. */
    static ConnectionException unexpected(
            String call, ConnectionEvent event, @Nullable InetSocketAddress remote) {
        String what =
                switch (event) {
                    case ConnectionEvent.Disconnected e ->
                            SocketAddresses.text(remote) + " has gone again";
                    case ConnectionEvent.Other other ->
                            "unexpected event "
                                    + other.code()
                                    + ", status "
                                    + other.status()
                                    + (other.status() < 0
                                            ? " (" + Errno.describe(-other.status()) + ")"
                                            : "");
                    default -> "unexpected " + event.getClass().getSimpleName();
                };
        return new ConnectionException(call, 0, what, event);
    }
}
