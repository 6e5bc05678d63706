package org.verbs4j.it;

import org.verbs4j.Device;
import org.verbs4j.DeviceContext;
import org.verbs4j.Gid;
import org.verbs4j.GidEntry;

import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.NetworkInterface;
import java.net.SocketException;
import java.net.UnknownHostException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;

/** The addresses that connections are tested over, and how long they may take. */
final class CmPlace {
    private CmPlace() {}

    /** The IPv4 address of each device that has one; on soft-RoCE 10.77.0.1 and 10.77.0.2. */
    static List<InetAddress> addresses() {
        return TestPlace.devices().stream().flatMap(device -> addresses(device).stream()).toList();
    }

    static List<InetAddress> addresses(Device device) {
        try (DeviceContext context = device.open()) {
            return context.activePort().gidTable().stream()
                    .map(GidEntry::gid)
                    .filter(Gid::isIpv4Mapped)
                    .map(Gid::toInetAddress)
                    .toList();
        }
    }

    /** In the network of the first device, and nobody's. */
    static InetAddress unusedNeighbour() {
        byte[] ip = addresses().getFirst().getAddress();
        ip[ip.length - 1] = (byte) 250;
        try {
            return InetAddress.getByAddress(ip);
        } catch (UnknownHostException e) {
            throw new IllegalStateException(e); // it has as many bytes as the other one
        }
    }

    /** An IPv6 address of the first device, with its interface. */
    static InetAddress linkLocal() throws SocketException {
        NetworkInterface netif = NetworkInterface.getByInetAddress(addresses().getFirst());
        return netif.inetAddresses()
                .filter(Inet6Address.class::isInstance)
                .findFirst()
                .orElseThrow();
    }

    /** A free port of the first device's address. */
    static InetSocketAddress anyPort() {
        return new InetSocketAddress(addresses().getFirst(), 0);
    }

    static Duration limit(long seconds) {
        return TestPlace.limit(Duration.ofSeconds(seconds));
    }

    static ByteBuffer bytes(String text) {
        return ByteBuffer.wrap(text.getBytes(StandardCharsets.US_ASCII));
    }

    /** The text up to the padding. */
    static String text(ByteBuffer data) {
        byte[] bytes = new byte[data.remaining()];
        data.get(bytes);
        return new String(bytes, StandardCharsets.US_ASCII).replace("\0", "");
    }
}
