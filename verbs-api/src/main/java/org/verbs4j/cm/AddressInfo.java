package org.verbs4j.cm;

import org.jspecify.annotations.Nullable;

import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.List;

/**
 * An address of a service as the connection manager's own resolver knows it, {@code struct
 * rdma_addrinfo}. A value.
 *
 * @param passive whether it is for listening, {@code RAI_PASSIVE}
 * @param portSpace the kind of service
 * @param source the local address, null when any will do
 * @param destination the peer, null of one that is for listening
 * @param sourceName the full name of the local address, null unless it was asked for
 * @param destinationName the full name of the peer, null unless it was asked for
 * @param connectData what is to be sent along when connecting, read-only; empty without an
 *     InfiniBand resolver
 */
public record AddressInfo(
        boolean passive,
        PortSpace portSpace,
        @Nullable InetSocketAddress source,
        @Nullable InetSocketAddress destination,
        @Nullable String sourceName,
        @Nullable String destinationName,
        ByteBuffer connectData) {
    /** Copies the data. */
    public AddressInfo {
        connectData = ConnectionParameters.copy(connectData);
    }

    @Override
    public ByteBuffer connectData() {
        return connectData.duplicate();
    }

    /**
     * What to look for, the hints of {@code rdma_getaddrinfo(3)}. A value.
     *
     * @param passive whether an address to listen at is wanted
     * @param numericHost whether only numbers are taken for a host, so that no name server is asked
     * @param withoutRoute whether the path is not to be looked up, where the resolver can
     * @param portSpace the kind of service
     * @param source the local address to come from, null for any
     */
    public record Hints(
            boolean passive,
            boolean numericHost,
            boolean withoutRoute,
            PortSpace portSpace,
            @Nullable InetSocketAddress source) {
        /** To connect to a service. */
        public static Hints toConnect(PortSpace portSpace) {
            return new Hints(false, false, false, portSpace, null);
        }

        /** To listen at an address. */
        public static Hints toListen(PortSpace portSpace) {
            return new Hints(true, false, false, portSpace, null);
        }

        /** These, without asking a name server. */
        public Hints withNumericHost() {
            return new Hints(passive, true, withoutRoute, portSpace, source);
        }

        /** These, from a local address. */
        public Hints withSource(InetSocketAddress local) {
            return new Hints(passive, numericHost, withoutRoute, portSpace, local);
        }
    }

    /**
     * As {@link #find(String, String, Hints, Duration)}, within ten seconds.
     *
     * @param host a name or number, null for this machine
     * @param service a port number or a name of {@code /etc/services}, null for none
     * @param hints what to look for
     */
    public static List<AddressInfo> find(
            @Nullable String host, @Nullable String service, Hints hints)
            throws InterruptedException {
        return find(host, service, hints, Deadline.DEFAULT);
    }

    /**
     * Looks a service up, {@code rdma_getaddrinfo(3)}, which may ask a name server. Nothing ends
     * that call, so it is made on a thread of its own, a daemon: when time is over or the caller is
     * interrupted, the thread is left to the system's resolver, which gives up in its own time, and
     * frees what it got.
     *
     * @param host a name or number, null for this machine
     * @param service a port number or a name of {@code /etc/services}, null for none
     * @param hints what to look for
     * @param timeout the longest wait
     * @return at least one
     * @throws ConnectionException when there is none; {@link ConnectionException#errno()} is 0 when
     *     the resolver says so, which has error numbers of its own, and the message has its words;
     *     {@code ETIMEDOUT} when time is over
     * @throws InterruptedException when the thread is interrupted
     */
    public static List<AddressInfo> find(
            @Nullable String host, @Nullable String service, Hints hints, Duration timeout)
            throws InterruptedException {
        return AddressLookup.find(host, service, hints, timeout);
    }
}
