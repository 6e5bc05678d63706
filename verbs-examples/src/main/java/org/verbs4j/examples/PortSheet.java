package org.verbs4j.examples;

import org.verbs4j.DeviceContext;
import org.verbs4j.Gid;
import org.verbs4j.GidEntry;
import org.verbs4j.Mtu;
import org.verbs4j.Port;
import org.verbs4j.PortAttributes;
import org.verbs4j.TransportType;

/** What {@code ibv_devinfo} of rdma-core 44 prints of a port. */
final class PortSheet {
    private PortSheet() {}

    static String of(DeviceContext context, Port port, boolean verbose) {
        Sheet sheet = new Sheet();
        PortAttributes attributes = port.attributes();
        sheet.line("\t\tport:\t%d", port.number());
        state(sheet, attributes);
        if (verbose) {
            details(sheet, attributes);
            if (context.device().transport() == TransportType.INFINIBAND) {
                int physical = attributes.link().physicalStateCode();
                sheet.line("\t\t\tphys_state:\t\t%s (%d)", physicalState(physical), physical);
            }
            for (GidEntry entry : port.gidTable()) {
                gid(sheet, entry, attributes);
            }
        }
        return sheet.toString();
    }

    static void state(Sheet sheet, PortAttributes port) {
        sheet.line("\t\t\tstate:\t\t\t%s (%d)", state(port.state()), port.state().code());
        sheet.line("\t\t\tmax_mtu:\t\t%s", mtu(port.maxMtu()));
        sheet.line("\t\t\tactive_mtu:\t\t%s", mtu(port.activeMtu()));
        sheet.line("\t\t\tsm_lid:\t\t\t%d", port.subnet().subnetManagerLid());
        sheet.line("\t\t\tport_lid:\t\t%d", port.lid());
        sheet.line("\t\t\tport_lmc:\t\t0x%02x", port.subnet().lidMaskBits());
        sheet.line("\t\t\tlink_layer:\t\t%s", linkLayer(port.linkLayer()));
    }

    static void details(Sheet sheet, PortAttributes port) {
        PortAttributes.Subnet subnet = port.subnet();
        PortAttributes.Link link = port.link();
        sheet.line("\t\t\tmax_msg_sz:\t\t0x%x", port.maxMessageSize());
        sheet.line("\t\t\tport_cap_flags:\t\t0x%08x", port.capabilities());
        sheet.line("\t\t\tport_cap_flags2:\t0x%04x", port.capabilities2());
        sheet.line(
                "\t\t\tmax_vl_num:\t\t%s (%d)",
                virtualLanes(subnet.maxVirtualLanesCode()), subnet.maxVirtualLanesCode());
        sheet.line("\t\t\tbad_pkey_cntr:\t\t0x%x", subnet.badPartitionKeys());
        sheet.line("\t\t\tqkey_viol_cntr:\t\t0x%x", subnet.queueKeyViolations());
        sheet.line("\t\t\tsm_sl:\t\t\t%d", subnet.subnetManagerServiceLevel());
        sheet.line("\t\t\tpkey_tbl_len:\t\t%d", port.partitionKeyTableLength());
        sheet.line("\t\t\tgid_tbl_len:\t\t%d", port.gidTableLength());
        sheet.line("\t\t\tsubnet_timeout:\t\t%d", subnet.subnetTimeout());
        sheet.line("\t\t\tinit_type_reply:\t%d", subnet.initTypeReply());
        sheet.line(
                "\t\t\tactive_width:\t\t%sX (%d)",
                link.lanes() == 0 ? "invalid width" : link.lanes(), link.widthCode());
        sheet.line("\t\t\tactive_speed:\t\t%s (%d)", speed(link), link.speedCode());
    }

    private static String state(PortAttributes.State state) {
        return switch (state) {
            case DOWN, INIT, ARMED, ACTIVE -> "PORT_" + state.name();
            case NOP, ACTIVE_DEFER, UNKNOWN -> "invalid state";
        };
    }

    private static String mtu(Mtu mtu) {
        return mtu.bytes() + " (" + mtu.code() + ")";
    }

    private static String linkLayer(PortAttributes.LinkLayer layer) {
        return switch (layer) {
            case UNSPECIFIED -> "Unspecified";
            case INFINIBAND -> "InfiniBand";
            case ETHERNET -> "Ethernet";
            case UNKNOWN -> "Unknown";
        };
    }

    private static String virtualLanes(int code) {
        return switch (code) {
            case 1 -> "1";
            case 2 -> "2";
            case 3 -> "4";
            case 4 -> "8";
            case 5 -> "15";
            default -> "invalid value";
        };
    }

    private static String speed(PortAttributes.Link link) {
        int megabits = link.laneMegabits();
        return megabits == 0
                ? "invalid speed"
                : megabits / 1000 + "." + megabits % 1000 / 100 + " Gbps";
    }

    /** In the spelling of C. */
    private static String physicalState(int code) {
        return switch (code) {
            case 1 -> "SLEEP";
            case 2 -> "POLLING";
            case 3 -> "DISABLED";
            case 4 -> "PORT_CONFIGURATION TRAINNING";
            case 5 -> "LINK_UP";
            case 6 -> "LINK_ERROR_RECOVERY";
            case 7 -> "PHY TEST";
            default -> "invalid physical state";
        };
    }

    /** RoCE v2 in the short form of IP addresses, everything else in the long form. */
    static void gid(Sheet sheet, GidEntry entry, PortAttributes port) {
        Gid gid = entry.gid();
        if (gid.interfaceId() == 0 || entry.type() == GidEntry.Type.UNKNOWN) {
            return; // as C leaves them out
        }
        boolean ethernet = port.linkLayer() == PortAttributes.LinkLayer.ETHERNET;
        boolean version2 = entry.type() == GidEntry.Type.ROCE_V2;
        sheet.line(
                "\t\t\tGID[%3d]:\t\t%s%s",
                entry.index(),
                version2 ? gid : longForm(gid),
                !ethernet ? "" : version2 ? ", RoCE v2" : ", RoCE v1");
    }

    private static String longForm(Gid gid) {
        return "%016x%016x"
                .formatted(gid.subnetPrefix(), gid.interfaceId())
                .replaceAll("(.{4})(?=.)", "$1:");
    }
}
