package org.verbs4j.examples;

import org.jspecify.annotations.Nullable;
import org.verbs4j.Device;
import org.verbs4j.DeviceContext;
import org.verbs4j.Devices;
import org.verbs4j.GidEntry;
import org.verbs4j.Mtu;
import org.verbs4j.Port;
import org.verbs4j.PortAttributes;

import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;

/**
 * The device, port and GID that a command line asks for, each checked before anything is made on
 * it.
 *
 * @param name of the port, for sentences about it
 * @param port the port itself
 * @param attributes of the port, when it was chosen
 * @param gid empty when no global routing header is sent
 */
record PortChoice(String name, Port port, PortAttributes attributes, Optional<GidEntry> gid) {
    /** The device named, or the first one. */
    static Device device(@Nullable String name) {
        List<Device> devices = Devices.list();
        if (devices.isEmpty()) {
            throw new ToolFailure(
                    "no RDMA device on this machine: `rdma link` lists them, soft-RoCE makes one"
                            + " (rdma link add rxe0 type rxe netdev eth0)");
        }
        if (name == null) {
            return devices.getFirst();
        }
        for (Device device : devices) {
            if (device.name().equals(name)) {
                return device;
            }
        }
        String known = devices.stream().map(Device::name).collect(Collectors.joining(", "));
        throw new ToolFailure("no device %s, there is: %s".formatted(name, known));
    }

    /**
     * A port that can carry traffic now, and the GID to use on it.
     *
     * @param gidIndex negative: no GID on InfiniBand; on RoCE, where nothing works without, the one
     *     that routes
     */
    static PortChoice of(DeviceContext context, int number, int gidIndex) {
        String device = context.device().name();
        int ports = context.attributes().portCount();
        if (number > ports) {
            throw new ToolFailure(
                    "no port %d on %s, which has %d".formatted(number, device, ports));
        }
        Port port = context.port(number);
        PortAttributes attributes = port.attributes();
        String name = "port %d of %s".formatted(number, device);
        if (attributes.state() != PortAttributes.State.ACTIVE) {
            throw new ToolFailure(
                    "%s is %s, not ACTIVE: is its link up?".formatted(name, attributes.state()));
        }
        boolean roce = attributes.linkLayer() == PortAttributes.LinkLayer.ETHERNET;
        if (!roce && attributes.lid() == 0) {
            throw new ToolFailure(name + " has no LID: is a subnet manager running?");
        }
        Optional<GidEntry> gid = Optional.empty();
        if (gidIndex >= 0) {
            gid = Optional.of(entry(port, gidIndex, name));
        } else if (roce) {
            gid = Optional.of(routable(port, name));
        }
        return new PortChoice(name, port, attributes, gid);
    }

    private static GidEntry entry(Port port, int index, String name) {
        List<GidEntry> table = port.gidTable();
        for (GidEntry entry : table) {
            if (entry.index() == index) {
                return entry;
            }
        }
        String known =
                table.stream()
                        .map(entry -> entry.index() + " (" + entry.gid() + ")")
                        .collect(Collectors.joining(", "));
        throw new ToolFailure(
                "no GID at index %d of %s, there is: %s".formatted(index, name, known));
    }

    private static GidEntry routable(Port port, String name) {
        Optional<GidEntry> gid = port.routableGid();
        if (gid.isEmpty()) {
            throw new ToolFailure(
                    name
                            + " has no GID that routes: give its interface an address, or choose"
                            + " one with -g");
        }
        return gid.get();
    }

    /** What C leaves to chance: too long a message or packet is lost or stops the queue pair. */
    void requireFit(long size, Mtu mtu) {
        if (size > attributes.maxMessageSize()) {
            throw new ToolFailure(
                    "a message of %d bytes is too long for %s, which takes %d"
                            .formatted(size, name, attributes.maxMessageSize()));
        }
        int active = attributes.activeMtu().bytes();
        if (mtu.bytes() > active) {
            throw new ToolFailure(
                    "a path MTU of %d is too much for %s, whose active MTU is %d: use -m %d"
                            .formatted(mtu.bytes(), name, active, active));
        }
    }
}
