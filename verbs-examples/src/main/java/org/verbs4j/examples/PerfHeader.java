package org.verbs4j.examples;

import org.jspecify.annotations.Nullable;
import org.verbs4j.DeviceContext;
import org.verbs4j.GidEntry;
import org.verbs4j.PortAttributes;
import org.verbs4j.TransportType;

import java.util.ArrayList;
import java.util.List;

/**
 * The lines at the beginning of a run, in the words of perftest, and one more about the warm-up.
 */
final class PerfHeader {
    private PerfHeader() {}

    static List<String> waiting() {
        String stars = "************************************";
        return List.of("", stars, "* Waiting for client to connect... *", stars);
    }

    /**
     * @param method how the sides talk beside what they measure
     */
    static List<String> of(
            PerfPlan plan,
            DeviceContext context,
            PortChoice port,
            PerfEnds ends,
            String method,
            @Nullable PerfWarmUp warmUp) {
        PerfOptions options = plan.options();
        List<String> lines = new ArrayList<>();
        lines.add(LatencyReport.LINE);
        lines.add("                    " + title(plan));
        String device = context.device().name();
        if (options.events) {
            lines.add(" Test with events. Using " + device + "_comp0");
        }
        lines.add(" Dual-port       : OFF\t\tDevice         : " + device);
        lines.add(
                " Number of qps   : %d\t\tTransport type : %s"
                        .formatted(
                                options.pairs,
                                context.device().transport() == TransportType.IWARP ? "IW" : "IB"));
        lines.add(" Connection type : " + plan.transport() + "\t\tUsing SRQ      : OFF");
        lines.add(" PCIe relax order: " + onOrOff(PerfEnds.isRelaxed(plan)));
        lines.add(" ibv_wr* API     : OFF");
        addDepths(lines, plan);
        lines.add(" Mtu             : " + ends.path().mtu().bytes() + "[B]");
        lines.add(" Link type       : " + link(port.attributes().linkLayer()));
        port.gid()
                .map(GidEntry::index)
                .ifPresent(index -> lines.add(" GID index       : " + index));
        lines.add(
                plan.verb().isRoundTrip()
                        ? " Outstand reads  : " + ends.outstanding()
                        : " Max inline data : " + ends.inline() + "[B]");
        lines.add(" rdma_cm QPs\t : " + onOrOff(options.rdmaCm));
        lines.add(" Data ex. method : " + method);
        lines.add(" JIT warm-up     : " + (warmUp == null ? "none" : warmUp));
        lines.add(LatencyReport.LINE);
        return lines;
    }

    private static String title(PerfPlan plan) {
        PerfOptions options = plan.options();
        return plan.verb().title()
                + (plan.verb() == PerfVerb.ATOMIC ? " " + options.atomic : "")
                + (options.duplex ? " Bidirectional" : "")
                + (options.postList > 1 ? " Post List" : "")
                + (options.isBandwidth() ? " BW Test" : " Latency Test");
    }

    private static void addDepths(List<String> lines, PerfPlan plan) {
        PerfOptions options = plan.options();
        if (plan.isClient() || options.duplex) {
            lines.add(" TX depth        : " + plan.sendDepth());
        }
        if (options.postList > 1) {
            lines.add(" Post List       : " + options.postList);
        }
        if (plan.verb() == PerfVerb.SEND && (!plan.isClient() || options.duplex)) {
            lines.add(" RX depth        : " + plan.receiveDepth());
        }
        if (options.isBandwidth()) {
            lines.add(" CQ Moderation   : " + plan.moderation());
        }
    }

    private static String link(PortAttributes.LinkLayer layer) {
        return layer == PortAttributes.LinkLayer.ETHERNET ? "Ethernet" : "IB";
    }

    private static String onOrOff(boolean on) {
        return on ? "ON" : "OFF";
    }
}
