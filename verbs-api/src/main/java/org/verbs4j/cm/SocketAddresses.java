package org.verbs4j.cm;

import org.jspecify.annotations.Nullable;
import org.verbs4j.bindings.Verbs;
import org.verbs4j.bindings.sockaddr;
import org.verbs4j.bindings.sockaddr_in;
import org.verbs4j.bindings.sockaddr_in6;
import org.verbs4j.bindings.sockaddr_storage;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.net.Inet4Address;
import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.nio.ByteOrder;

/** {@code struct sockaddr} and back. */
final class SocketAddresses {
    private static final boolean SWAP = ByteOrder.nativeOrder() == ByteOrder.LITTLE_ENDIAN;
    private static final int IPV4_LENGTH = 4;
    private static final int IPV6_LENGTH = 16;

    private SocketAddresses() {}

    static MemorySegment encode(Arena arena, InetSocketAddress address) {
        InetAddress ip = address.getAddress();
        if (ip == null) {
            throw new IllegalArgumentException(
                    address.getHostString() + " has not been resolved to an IP address");
        }
        MemorySegment encoded = arena.allocate(sockaddr_storage.layout());
        byte[] bytes = ip.getAddress();
        if (ip instanceof Inet4Address) {
            sockaddr_in.sin_family(encoded, (short) Verbs.AF_INET());
            sockaddr_in.sin_port(encoded, network(address.getPort()));
            MemorySegment.copy(
                    MemorySegment.ofArray(bytes),
                    0,
                    encoded,
                    sockaddr_in.sin_addr$offset(),
                    bytes.length);
        } else {
            sockaddr_in6.sin6_family(encoded, (short) Verbs.AF_INET6());
            sockaddr_in6.sin6_port(encoded, network(address.getPort()));
            sockaddr_in6.sin6_scope_id(encoded, ((Inet6Address) ip).getScopeId());
            MemorySegment.copy(
                    MemorySegment.ofArray(bytes),
                    0,
                    encoded,
                    sockaddr_in6.sin6_addr$offset(),
                    bytes.length);
        }
        return encoded;
    }

    /** Bytes of what {@link #encode} means. */
    static int length(InetSocketAddress address) {
        return (int)
                (address.getAddress() instanceof Inet4Address
                        ? sockaddr_in.sizeof()
                        : sockaddr_in6.sizeof());
    }

    /** Null for a family that is not IP, such as that of an address that has not been set. */
    static @Nullable InetSocketAddress decode(MemorySegment address) {
        int family = Short.toUnsignedInt(sockaddr.sa_family(address));
        try {
            if (family == Verbs.AF_INET()) {
                byte[] ip = new byte[IPV4_LENGTH];
                MemorySegment.ofArray(ip)
                        .copyFrom(address.asSlice(sockaddr_in.sin_addr$offset(), IPV4_LENGTH));
                return new InetSocketAddress(
                        InetAddress.getByAddress(ip), host(sockaddr_in.sin_port(address)));
            }
            if (family == Verbs.AF_INET6()) {
                byte[] ip = new byte[IPV6_LENGTH];
                MemorySegment.ofArray(ip)
                        .copyFrom(address.asSlice(sockaddr_in6.sin6_addr$offset(), IPV6_LENGTH));
                int scope = sockaddr_in6.sin6_scope_id(address);
                InetAddress decoded =
                        scope == 0
                                ? InetAddress.getByAddress(ip)
                                : Inet6Address.getByAddress(null, ip, scope);
                return new InetSocketAddress(decoded, host(sockaddr_in6.sin6_port(address)));
            }
            return null;
        } catch (UnknownHostException e) {
            throw new AssertionError("both lengths are right", e);
        }
    }

    private static short network(int port) {
        return SWAP ? Short.reverseBytes((short) port) : (short) port;
    }

    private static int host(short port) {
        return Short.toUnsignedInt(SWAP ? Short.reverseBytes(port) : port);
    }

    /** As people write it. */
    static String text(@Nullable InetSocketAddress address) {
        if (address == null) {
            return "(no address)";
        }
        InetAddress ip = address.getAddress();
        String host = ip == null ? address.getHostString() : ip.getHostAddress();
        return (host.indexOf(':') >= 0 ? "[" + host + "]" : host) + ":" + address.getPort();
    }
}
