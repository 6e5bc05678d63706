package org.verbs4j.examples;

import org.verbs4j.Device;
import org.verbs4j.DeviceAttributes;
import org.verbs4j.DeviceAttributes.Obsolete;
import org.verbs4j.DeviceContext;
import org.verbs4j.TransportType;
import org.verbs4j.bindings.Verbs;
import org.verbs4j.examples.Sheet.Flag;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** What {@code ibv_devinfo} of rdma-core 44 prints of a device, before its ports. */
final class DeviceSheet {
    private static final List<Flag> CAPABILITIES =
            List.of(
                    Flag.of(Verbs.IBV_DEVICE_RESIZE_MAX_WR(), "RESIZE_MAX_WR"),
                    Flag.of(Verbs.IBV_DEVICE_BAD_PKEY_CNTR(), "BAD_PKEY_CNTR"),
                    Flag.of(Verbs.IBV_DEVICE_BAD_QKEY_CNTR(), "BAD_QKEY_CNTR"),
                    Flag.of(Verbs.IBV_DEVICE_RAW_MULTI(), "RAW_MULTI"),
                    Flag.of(Verbs.IBV_DEVICE_AUTO_PATH_MIG(), "AUTO_PATH_MIG"),
                    Flag.of(Verbs.IBV_DEVICE_CHANGE_PHY_PORT(), "CHANGE_PHY_PORT"),
                    Flag.of(Verbs.IBV_DEVICE_UD_AV_PORT_ENFORCE(), "UD_AV_PORT_ENFORCE"),
                    Flag.of(Verbs.IBV_DEVICE_CURR_QP_STATE_MOD(), "CURR_QP_STATE_MOD"),
                    Flag.of(Verbs.IBV_DEVICE_SHUTDOWN_PORT(), "SHUTDOWN_PORT"),
                    Flag.of(Verbs.IBV_DEVICE_INIT_TYPE(), "INIT_TYPE"),
                    Flag.of(Verbs.IBV_DEVICE_PORT_ACTIVE_EVENT(), "PORT_ACTIVE_EVENT"),
                    Flag.of(Verbs.IBV_DEVICE_SYS_IMAGE_GUID(), "SYS_IMAGE_GUID"),
                    Flag.of(Verbs.IBV_DEVICE_RC_RNR_NAK_GEN(), "RC_RNR_NAK_GEN"),
                    Flag.of(Verbs.IBV_DEVICE_SRQ_RESIZE(), "SRQ_RESIZE"),
                    Flag.of(Verbs.IBV_DEVICE_N_NOTIFY_CQ(), "N_NOTIFY_CQ"),
                    Flag.of(Verbs.IBV_DEVICE_MEM_WINDOW(), "MEM_WINDOW"),
                    Flag.of(Verbs.IBV_DEVICE_UD_IP_CSUM(), "UD_IP_CSUM"),
                    Flag.of(Verbs.IBV_DEVICE_XRC(), "XRC"),
                    Flag.of(Verbs.IBV_DEVICE_MEM_MGT_EXTENSIONS(), "MEM_MGT_EXTENSIONS"),
                    Flag.of(Verbs.IBV_DEVICE_MEM_WINDOW_TYPE_2A(), "MEM_WINDOW_TYPE_2A"),
                    Flag.of(Verbs.IBV_DEVICE_MEM_WINDOW_TYPE_2B(), "MEM_WINDOW_TYPE_2B"),
                    Flag.of(Verbs.IBV_DEVICE_RC_IP_CSUM(), "RC_IP_CSUM"),
                    Flag.of(Verbs.IBV_DEVICE_RAW_IP_CSUM(), "RAW_IP_CSUM"),
                    Flag.of(Verbs.IBV_DEVICE_MANAGED_FLOW_STEERING(), "MANAGED_FLOW_STEERING"));

    private DeviceSheet() {}

    static String of(DeviceContext context, boolean verbose) {
        Sheet sheet = new Sheet();
        identity(sheet, context.device(), context.attributes());
        if (verbose) {
            limits(sheet, context.attributes());
            OffloadSheet.add(sheet, context.attributes());
            sheet.line("\tnum_comp_vectors:\t\t%d", context.completionVectors());
        }
        return sheet.toString();
    }

    static void identity(Sheet sheet, Device device, DeviceAttributes all) {
        DeviceAttributes.Identity id = all.identity();
        sheet.line("hca_id:\t%s", device.name());
        sheet.line(
                "\ttransport:\t\t\t%s (%d)",
                transport(device.transport()), device.transport().code());
        if (!id.firmwareVersion().isEmpty()) {
            sheet.line("\tfw_ver:\t\t\t\t%s", id.firmwareVersion());
        }
        sheet.line("\tnode_guid:\t\t\t%s", id.nodeGuid());
        sheet.line("\tsys_image_guid:\t\t\t%s", id.systemImageGuid());
        sheet.line("\tvendor_id:\t\t\t0x%04x", id.vendorId());
        sheet.line("\tvendor_part_id:\t\t\t%d", id.partId());
        sheet.line("\thw_ver:\t\t\t\t0x%X", id.hardwareVersion());
        String board = boardId(device);
        if (!board.isEmpty()) {
            sheet.line("\tboard_id:\t\t\t%s", board);
        }
        sheet.line("\tphys_port_cnt:\t\t\t%d", all.portCount());
    }

    private static String transport(TransportType transport) {
        return switch (transport) {
            case INFINIBAND -> "InfiniBand";
            case IWARP -> "iWARP";
            case USNIC -> "usNIC";
            case USNIC_UDP -> "usNIC UDP";
            case UNSPECIFIED -> "unspecified";
            case UNKNOWN -> "invalid transport";
        };
    }

    /** What the driver calls the board; few have it. */
    private static String boardId(Device device) {
        try {
            return Files.readString(Path.of("/sys/class/infiniband", device.name(), "board_id"))
                    .stripTrailing();
        } catch (IOException e) {
            return "";
        }
    }

    private static void limits(Sheet sheet, DeviceAttributes all) {
        DeviceAttributes.Queues queues = all.queues();
        DeviceAttributes.Memory memory = all.memory();
        DeviceAttributes.Atomicity atomicity = all.atomicity();
        Obsolete obsolete = all.obsolete();
        sheet.line("\tmax_mr_size:\t\t\t0x%x", memory.maxRegionSize());
        sheet.line("\tpage_size_cap:\t\t\t0x%x", memory.pageSizes());
        sheet.line("\tmax_qp:\t\t\t\t%d", queues.maxQueuePairs());
        sheet.line("\tmax_qp_wr:\t\t\t%d", queues.maxQueuePairRequests());
        sheet.line("\tdevice_cap_flags:\t\t0x%08x", (int) all.capabilityBits());
        sheet.flags(Integer.toUnsignedLong((int) all.capabilityBits()), CAPABILITIES);
        sheet.line("\tmax_sge:\t\t\t%d", queues.maxSge());
        sheet.line("\tmax_sge_rd:\t\t\t%d", queues.maxSgeRead());
        sheet.line("\tmax_cq:\t\t\t\t%d", queues.maxCompletionQueues());
        sheet.line("\tmax_cqe:\t\t\t%d", queues.maxCompletions());
        sheet.line("\tmax_mr:\t\t\t\t%d", memory.maxRegions());
        sheet.line("\tmax_pd:\t\t\t\t%d", memory.maxProtectionDomains());
        sheet.line("\tmax_qp_rd_atom:\t\t\t%d", atomicity.maxAcceptedReads());
        sheet.line("\tmax_ee_rd_atom:\t\t\t%d", obsolete.maxEndToEndAcceptedReads());
        sheet.line("\tmax_res_rd_atom:\t\t%d", atomicity.maxDeviceReads());
        sheet.line("\tmax_qp_init_rd_atom:\t\t%d", atomicity.maxInitiatedReads());
        sheet.line("\tmax_ee_init_rd_atom:\t\t%d", obsolete.maxEndToEndInitiatedReads());
        sheet.line(
                "\tatomic_cap:\t\t\t%s (%d)",
                atomics(atomicity.support()), atomicity.support().code());
        sheet.line("\tmax_ee:\t\t\t\t%d", obsolete.maxEndToEndContexts());
        sheet.line("\tmax_rdd:\t\t\t%d", obsolete.maxDatagramDomains());
        sheet.line("\tmax_mw:\t\t\t\t%d", memory.maxWindows());
        sheet.line("\tmax_raw_ipv6_qp:\t\t%d", obsolete.maxRawIpv6QueuePairs());
        sheet.line("\tmax_raw_ethy_qp:\t\t%d", obsolete.maxRawEthertypeQueuePairs());
        addressing(sheet, all);
    }

    private static void addressing(Sheet sheet, DeviceAttributes all) {
        DeviceAttributes.Addressing addressing = all.addressing();
        DeviceAttributes.Memory memory = all.memory();
        DeviceAttributes.Queues queues = all.queues();
        sheet.line("\tmax_mcast_grp:\t\t\t%d", addressing.maxMulticastGroups());
        sheet.line("\tmax_mcast_qp_attach:\t\t%d", addressing.maxQueuePairsPerGroup());
        sheet.line("\tmax_total_mcast_qp_attach:\t%d", addressing.maxGroupAttachments());
        sheet.line("\tmax_ah:\t\t\t\t%d", addressing.maxAddressHandles());
        sheet.line("\tmax_fmr:\t\t\t%d", memory.maxFastRegions());
        if (memory.maxFastRegions() != 0) {
            sheet.line("\tmax_map_per_fmr:\t\t%d", memory.maxMapsPerFastRegion());
        }
        sheet.line("\tmax_srq:\t\t\t%d", queues.maxSharedReceiveQueues());
        if (queues.maxSharedReceiveQueues() != 0) {
            sheet.line("\tmax_srq_wr:\t\t\t%d", queues.maxSharedReceiveRequests());
            sheet.line("\tmax_srq_sge:\t\t\t%d", queues.maxSharedReceiveSge());
        }
        sheet.line("\tmax_pkeys:\t\t\t%d", addressing.maxPartitionKeys());
        sheet.line("\tlocal_ca_ack_delay:\t\t%d", addressing.localAckDelay());
    }

    private static String atomics(DeviceAttributes.AtomicSupport support) {
        return switch (support) {
            case NONE -> "ATOMIC_NONE";
            case DEVICE -> "ATOMIC_HCA";
            case GLOBAL -> "ATOMIC_GLOB";
            case UNKNOWN -> "invalid atomic capability";
        };
    }
}
