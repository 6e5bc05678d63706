package org.verbs4j.cm;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.net.InetAddress;
import java.net.NetworkInterface;
import java.net.SocketException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;

/**
 * The IP addresses that RDMA devices have, as the kernel shows them: for people who used another.
 */
final class RdmaAddresses {
    private static final Path DEVICES = Path.of("/sys/class/infiniband");

    private RdmaAddresses() {}

    static String sentence() {
        List<String> all = new ArrayList<>();
        List<String> elsewhere = new ArrayList<>();
        for (Path device : list(DEVICES)) {
            for (String name : interfaces(device)) {
                addresses(name).forEach(ip -> all.add(ip + " (" + device.getFileName() + ")"));
                if (!isHere(name)) {
                    elsewhere.add(name + " (" + device.getFileName() + ")");
                }
            }
        }
        if (all.isEmpty() && !elsewhere.isEmpty()) {
            return "the RDMA interface "
                    + String.join(", ", elsewhere)
                    + " is in another network namespace than this program";
        }
        return all.isEmpty()
                ? "no network interface of this machine has both an RDMA device and an IP address"
                : "the RDMA addresses of this machine are " + String.join(", ", all);
    }

    /**
     * RoCE ports tell the interface of each GID, InfiniBand and iWARP devices have theirs beneath.
     */
    private static Set<String> interfaces(Path device) {
        Set<String> names = new TreeSet<>();
        for (Path port : list(device.resolve("ports"))) {
            for (Path entry : list(port.resolve("gid_attrs/ndevs"))) {
                names.addAll(line(entry));
            }
        }
        list(device.resolve("device/net"))
                .forEach(name -> names.add(String.valueOf(name.getFileName())));
        return names;
    }

    private static List<Path> list(Path directory) {
        List<Path> entries = new ArrayList<>();
        try (DirectoryStream<Path> stream = Files.newDirectoryStream(directory)) {
            stream.forEach(entries::add);
        } catch (IOException e) {
            return List.of(); // this kind of device does not have it
        }
        return entries;
    }

    private static List<String> line(Path file) {
        try {
            String text = Files.readString(file).strip();
            return text.isEmpty() ? List.of() : List.of(text);
        } catch (IOException e) {
            return List.of(); // the kernel answers EINVAL for an empty entry of the table
        }
    }

    /** Whether an address is one of this machine's, with RDMA or without, or all of them. */
    static boolean isLocal(@Nullable InetAddress ip) {
        try {
            return ip != null
                    && (ip.isAnyLocalAddress() || NetworkInterface.getByInetAddress(ip) != null);
        } catch (SocketException e) {
            return false;
        }
    }

    private static boolean isHere(String name) {
        try {
            return NetworkInterface.getByName(name) != null;
        } catch (SocketException e) {
            return false;
        }
    }

    private static List<String> addresses(String name) {
        try {
            NetworkInterface netif = NetworkInterface.getByName(name);
            return netif == null
                    ? List.of()
                    : netif.inetAddresses().map(ip -> ip.getHostAddress()).toList();
        } catch (SocketException e) {
            return List.of();
        }
    }
}
