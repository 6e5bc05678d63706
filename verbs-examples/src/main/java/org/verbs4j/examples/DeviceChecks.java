package org.verbs4j.examples;

import org.verbs4j.Device;
import org.verbs4j.DeviceContext;
import org.verbs4j.Devices;
import org.verbs4j.GidEntry;
import org.verbs4j.Mtu;
import org.verbs4j.Port;
import org.verbs4j.PortAttributes;
import org.verbs4j.VerbsException;

import java.net.NetworkInterface;
import java.net.SocketException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** What {@link Doctor} finds out about the devices: ports, GIDs and MTUs. */
final class DeviceChecks {
    /** Headers of a RoCE packet at their largest, as the kernel counts them. */
    private static final int HEADERS = 96;

    private final Machine machine;
    private final List<Finding> findings = new ArrayList<>();
    private boolean anyActive;

    DeviceChecks(Machine machine) {
        this.machine = machine;
    }

    List<Finding> all() {
        List<Device> devices = Devices.list();
        if (devices.isEmpty()) {
            return List.of(
                    Finding.blocks(
                            "devices",
                            "there is no RDMA device",
                            "load the driver of the adapter, or make a soft-RoCE one: rdma link"
                                    + " add rxe0 type rxe netdev eth0"));
        }
        for (Device device : devices) {
            try (DeviceContext context = device.open()) {
                describe(context);
            } catch (VerbsException e) {
                findings.add(Finding.blocks(device.name(), String.valueOf(e.getMessage()), ""));
            }
        }
        if (!anyActive) {
            findings.add(
                    Finding.blocks(
                            "devices",
                            "no port of any device is ACTIVE",
                            "check cables and `ip link`; on InfiniBand also the subnet manager"));
        }
        return findings;
    }

    private void describe(DeviceContext context) {
        Device device = context.device();
        String firmware = context.attributes().identity().firmwareVersion();
        findings.add(
                Finding.ok(
                        device.name(),
                        "provider %s, firmware %s, %d port%s"
                                .formatted(
                                        context.provider(),
                                        firmware.isEmpty() ? "unknown" : firmware,
                                        context.ports().size(),
                                        context.ports().size() == 1 ? "" : "s")));
        for (Port port : context.ports()) {
            describe(device.name() + "/" + port.number(), port);
            findings.addAll(new CounterChecks(machine).of(device.name(), port));
        }
        findings.addAll(new PlacementChecks(machine).of(device.name()));
    }

    private void describe(String name, Port port) {
        PortAttributes attributes = port.attributes();
        if (!attributes.isActive()) {
            findings.add(
                    Finding.warning(
                            name,
                            "the port is " + attributes.state() + ", " + attributes.link(),
                            "check the cable and `ip link`; on InfiniBand also the subnet"
                                    + " manager"));
            return;
        }
        anyActive = true;
        findings.add(
                Finding.ok(
                        name,
                        "ACTIVE, %s, %s, active MTU %d"
                                .formatted(
                                        attributes.linkLayer(),
                                        attributes.link(),
                                        attributes.activeMtu().bytes())));
        if (attributes.linkLayer() == PortAttributes.LinkLayer.ETHERNET) {
            gids(name, port);
        }
    }

    private void gids(String name, Port port) {
        List<GidEntry> table = port.gidTable();
        for (GidEntry entry : table) {
            findings.add(
                    Finding.ok(
                            name,
                            "GID %d: %s, %s, on %s"
                                    .formatted(
                                            entry.index(),
                                            entry.gid(),
                                            entry.type().text(),
                                            interfaceOf(entry)
                                                    .map(NetworkInterface::getName)
                                                    .orElse("an interface elsewhere"))));
        }
        Optional<GidEntry> chosen = port.routableGid();
        if (chosen.isEmpty()) {
            findings.add(
                    Finding.blocks(
                            name,
                            "no GID routes: there are only %d of RoCE v1".formatted(table.size()),
                            "give the interface an IP address: ip addr add ADDRESS/PREFIX dev"
                                    + " INTERFACE"));
            return;
        }
        findings.add(choice(name, chosen.get()));
        interfaceOf(chosen.get())
                .ifPresentOrElse(
                        netdev -> mtu(name, port.attributes(), netdev),
                        () ->
                                findings.add(
                                        Finding.warning(
                                                name,
                                                "the interface of that GID is not in this network"
                                                        + " namespace",
                                                "run in the namespace that has it, or `rdma system"
                                                        + " set netns exclusive` and move the"
                                                        + " device")));
    }

    private static Finding choice(String name, GidEntry entry) {
        String chosen = "GID %d is chosen by default: ".formatted(entry.index());
        if (entry.gid().isIpv4Mapped()) {
            return Finding.ok(name, chosen + "RoCE v2 with an IPv4 address comes first");
        }
        if (!entry.gid().isLinkLocal()) {
            return Finding.ok(
                    name, chosen + "RoCE v2 with a global IPv6 address, as there is no IPv4 one");
        }
        return Finding.warning(
                name,
                chosen + "RoCE v2, but only link-local: it does not pass a router",
                "give the interface an IP address that both ends can reach");
    }

    private static Optional<NetworkInterface> interfaceOf(GidEntry entry) {
        try {
            return entry.interfaceIndex() > 0
                    ? Optional.ofNullable(NetworkInterface.getByIndex(entry.interfaceIndex()))
                    : Optional.empty();
        } catch (SocketException e) {
            return Optional.empty();
        }
    }

    private void mtu(String name, PortAttributes port, NetworkInterface netdev) {
        int bytes;
        try {
            bytes = netdev.getMTU();
        } catch (SocketException e) {
            return; // it has gone meanwhile
        }
        findings.add(mtu(name, port.activeMtu(), port.maxMtu(), netdev.getName(), bytes));
    }

    /** The RDMA MTU is the largest of five that fits into the interface's with all headers. */
    static Finding mtu(String name, Mtu active, Mtu most, String netdev, int netdevMtu) {
        String found =
                "MTU %d of %s carries an RDMA MTU of %d"
                        .formatted(netdevMtu, netdev, active.bytes());
        Mtu next = active;
        for (Mtu mtu : Mtu.values()) {
            if (mtu.bytes() + HEADERS <= netdevMtu && mtu.bytes() <= most.bytes()) {
                next = mtu;
            }
        }
        if (next.bytes() > active.bytes()) {
            return Finding.warning(
                    name,
                    found + ", though " + next.bytes() + " would fit",
                    "the driver has not followed a change: set the link down and up again");
        }
        return active.bytes() < most.bytes()
                ? Finding.note(
                        name,
                        found,
                        "large messages are faster with more: ip link set %s mtu %d, on both ends"
                                        .formatted(netdev, most.bytes() + HEADERS)
                                + " and the switches between")
                : Finding.ok(name, found);
    }
}
