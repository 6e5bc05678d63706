package org.verbs4j.examples;

import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.verbs4j.Device;
import org.verbs4j.DeviceContext;
import org.verbs4j.Devices;
import org.verbs4j.GidEntry;
import org.verbs4j.Mtu;
import org.verbs4j.Port;
import org.verbs4j.PortAttributes;

/**
 * The device, port and GID that a command line asks for, each checked before anything is made on it.
 *
 * @param attributes of the port, when it was chosen
 * @param gid empty when no global routing header is sent
 */
record PortChoice(String device, Port port, PortAttributes attributes, Optional<GidEntry> gid) {
    /** The device named, or the first one. */
    static Device device(@Nullable String name) {
        List<Device> devices = Devices.list();
        if (devices.isEmpty()) {
            throw new ToolFailure("no RDMA device on this machine: `rdma link` lists them, soft-RoCE makes one"
                    + " (rdma link add rxe0 type rxe netdev eth0)");
        }
        if (name == null) {
            return devices.getFirst();
        }
        return devices.stream()
                .filter(device -> device.name().equals(name))
                .findFirst()
                .orElseThrow(() -> new ToolFailure("no device " + name + ", there is: "
                        + devices.stream().map(Device::name).collect(Collectors.joining(", "))));
    }

    /**
     * A port that can carry traffic now, and the GID to use on it.
     *
     * @param gidIndex negative: none on InfiniBand, the routable one on RoCE, where nothing works without
     */
    static PortChoice of(DeviceContext context, int number, int gidIndex) {
        String device = context.device().name();
        int ports = context.attributes().portCount();
        if (number > ports) {
            throw new ToolFailure("no port " + number + " on " + device + ", which has " + ports);
        }
        Port port = context.port(number);
        PortAttributes attributes = port.attributes();
        String name = "port " + number + " of " + device;
        if (attributes.state() != PortAttributes.State.ACTIVE) {
            throw new ToolFailure(name + " is " + attributes.state() + ", not ACTIVE: is its link up?");
        }
        boolean roce = attributes.linkLayer() == PortAttributes.LinkLayer.ETHERNET;
        if (!roce && attributes.lid() == 0) {
            throw new ToolFailure(name + " has no LID: is a subnet manager running?");
        }
        Optional<GidEntry> gid;
        if (gidIndex >= 0) {
            gid = Optional.of(entry(port, gidIndex, name));
        } else if (roce) {
            gid = Optional.of(port.routableGid()
                    .orElseThrow(() -> new ToolFailure(
                            name + " has no GID that routes: give its network interface an address, or choose with -g")));
        } else {
            gid = Optional.empty();
        }
        return new PortChoice(device, port, attributes, gid);
    }

    private static GidEntry entry(Port port, int index, String name) {
        List<GidEntry> table = port.gidTable();
        return table.stream()
                .filter(entry -> entry.index() == index)
                .findFirst()
                .orElseThrow(() -> new ToolFailure("no GID at index " + index + " of " + name + ", there is: "
                        + table.stream()
                                .map(entry -> entry.index() + " (" + GidText.of(entry.gid()) + ")")
                                .collect(Collectors.joining(", "))));
    }

    /** What C leaves to chance: messages and packets too long for the port are lost or stop the queue pair. */
    void requireFit(long size, Mtu mtu) {
        String name = "port " + port.number() + " of " + device;
        if (size > attributes.maxMessageSize()) {
            throw new ToolFailure("a message of " + size + " bytes is too long for " + name + ", which takes "
                    + attributes.maxMessageSize());
        }
        if (mtu.bytes() > attributes.activeMtu().bytes()) {
            throw new ToolFailure("a path MTU of " + mtu.bytes() + " is too much for " + name
                    + ", whose active MTU is " + attributes.activeMtu().bytes() + ": use -m "
                    + attributes.activeMtu().bytes());
        }
    }
}
