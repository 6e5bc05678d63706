package org.verbs4j.cm;

import org.jspecify.annotations.Nullable;

import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
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
     * Looks a service up, {@code rdma_getaddrinfo(3)}. May ask a name server, and takes as long as
     * the system's resolver lets it: neither a time-out nor an interrupt ends it. Where that
     * matters, resolve by {@link java.net.InetAddress} on a thread of its own.
     *
     * @param host a name or number, null for this machine
     * @param service a port number or a name of {@code /etc/services}, null for none
     * @param hints what to look for
     * @return at least one
     * @throws ConnectionException when there is none; {@link ConnectionException#errno()} is 0 when
     *     the resolver says so, which has error numbers of its own, and the message has its words
     */
    public static List<AddressInfo> find(
            @Nullable String host, @Nullable String service, Hints hints) {
        return AddressLookup.find(host, service, hints);
    }
}
