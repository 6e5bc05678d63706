package org.verbs4j.examples;

import org.verbs4j.DeviceAttributes;
import org.verbs4j.DeviceOffloads;
import org.verbs4j.bindings.Verbs;
import org.verbs4j.examples.Sheet.Flag;

import java.util.List;

/**
 * What {@code ibv_devinfo -v} of rdma-core 44 prints of the extended attributes of a device: on
 * demand paging, clocks, packets and tags.
 */
final class OffloadSheet {
    private static final List<Flag> PAGING =
            List.of(
                    Flag.of(Verbs.IBV_ODP_SUPPORT(), "ODP_SUPPORT"),
                    Flag.of(Verbs.IBV_ODP_SUPPORT_IMPLICIT(), "ODP_SUPPORT_IMPLICIT"));

    private static final List<Flag> PAGED_OPERATIONS =
            List.of(
                    Flag.of(Verbs.IBV_ODP_SUPPORT_SEND(), "SUPPORT_SEND"),
                    Flag.of(Verbs.IBV_ODP_SUPPORT_RECV(), "SUPPORT_RECV"),
                    Flag.of(Verbs.IBV_ODP_SUPPORT_WRITE(), "SUPPORT_WRITE"),
                    Flag.of(Verbs.IBV_ODP_SUPPORT_READ(), "SUPPORT_READ"),
                    Flag.of(Verbs.IBV_ODP_SUPPORT_ATOMIC(), "SUPPORT_ATOMIC"),
                    Flag.of(Verbs.IBV_ODP_SUPPORT_SRQ_RECV(), "SUPPORT_SRQ"));

    private static final List<Flag> RAW_PACKETS =
            List.of(
                    Flag.of(Verbs.IBV_RAW_PACKET_CAP_CVLAN_STRIPPING(), "C-VLAN stripping offload"),
                    Flag.of(Verbs.IBV_RAW_PACKET_CAP_SCATTER_FCS(), "Scatter FCS offload"),
                    Flag.of(Verbs.IBV_RAW_PACKET_CAP_IP_CSUM(), "IP csum offload"),
                    Flag.of(Verbs.IBV_RAW_PACKET_CAP_DELAY_DROP(), "Delay drop"));

    private static final List<Flag> EXTENDED =
            List.of(
                    new Flag(Verbs.IBV_DEVICE_RAW_SCATTER_FCS(), "RAW_SCATTER_FCS"),
                    new Flag(Verbs.IBV_DEVICE_PCI_WRITE_END_PADDING(), "PCI_WRITE_END_PADDING"));

    private static final List<Flag> PACKET_QUEUE_PAIRS =
            List.of(
                    Flag.of(1 << Verbs.IBV_QPT_RAW_PACKET(), "SUPPORT_RAW_PACKET"),
                    Flag.of(1 << Verbs.IBV_QPT_UD(), "SUPPORT_UD"));

    private static final List<Flag> PACED_QUEUE_PAIRS =
            List.of(
                    PACKET_QUEUE_PAIRS.getFirst(),
                    PACKET_QUEUE_PAIRS.getLast(),
                    Flag.of(1 << Verbs.IBV_QPT_RC(), "SUPPORT_RC"));

    private static final long ABOVE_32_BITS = ~0xffff_ffffL;

    private OffloadSheet() {}

    static void add(Sheet sheet, DeviceAttributes all) {
        paging(sheet, all.onDemandPaging());
        clocks(sheet, all.clock());
        DeviceOffloads offloads = all.offloads();
        if (offloads.rawPacketBits() != 0) {
            sheet.line("\traw packet caps:");
            RAW_PACKETS.stream()
                    .filter(flag -> (offloads.rawPacketBits() & flag.bit()) != 0)
                    .forEach(flag -> sheet.flag(flag.name()));
        }
        sheet.line("\tdevice_cap_flags_ex:\t\t0x%X", all.capabilityBits());
        sheet.flags(all.capabilityBits() & ABOVE_32_BITS, EXTENDED);
        segmentation(sheet, offloads.segmentation());
        hashing(sheet, offloads.hashing());
        sheet.line("\tmax_wq_type_rq:\t\t\t%d", all.queues().maxReceiveWorkQueues());
        pacing(sheet, offloads.pacing());
        tags(sheet, offloads.tagMatching());
        moderation(sheet, offloads.moderation());
        if (all.memory().maxDeviceMemory() != 0) {
            sheet.line(
                    "\tmaximum available device memory:\t%sBytes\n",
                    Long.toUnsignedString(all.memory().maxDeviceMemory()));
        }
    }

    private static void paging(Sheet sheet, DeviceAttributes.OnDemandPaging paging) {
        sheet.line("\tgeneral_odp_caps:");
        sheet.flags(paging.general(), PAGING);
        sheet.line("\trc_odp_caps:");
        pagedOperations(sheet, paging.rc());
        sheet.line("\tuc_odp_caps:");
        pagedOperations(sheet, paging.uc());
        sheet.line("\tud_odp_caps:");
        pagedOperations(sheet, paging.ud());
        sheet.line("\txrc_odp_caps:");
        pagedOperations(sheet, paging.xrc());
    }

    private static void pagedOperations(Sheet sheet, int bits) {
        if (bits == 0) {
            sheet.flag("NO SUPPORT");
        } else {
            sheet.flags(Integer.toUnsignedLong(bits), PAGED_OPERATIONS);
        }
    }

    private static void clocks(Sheet sheet, DeviceAttributes.Clock clock) {
        if (clock.timestampMask() == 0) {
            sheet.line("\tcompletion_timestamp_mask not supported");
        } else {
            sheet.line("\tcompletion timestamp_mask:\t\t\t0x%016x", clock.timestampMask());
        }
        if (clock.frequency() == 0) {
            sheet.line("\tcore clock not supported");
        } else {
            sheet.line("\thca_core_clock:\t\t\t%skHZ", Long.toUnsignedString(clock.frequency()));
        }
    }

    private static void segmentation(Sheet sheet, DeviceOffloads.Segmentation tso) {
        sheet.line("\ttso_caps:");
        sheet.line("\t\tmax_tso:\t\t\t%d", tso.maxPayload());
        if (tso.maxPayload() != 0) {
            queuePairs(sheet, tso.queuePairTypes(), PACKET_QUEUE_PAIRS);
        }
    }

    private static void queuePairs(Sheet sheet, int types, List<Flag> known) {
        sheet.line("\t\tsupported_qp:");
        sheet.flags(Integer.toUnsignedLong(types), known);
    }

    private static void hashing(Sheet sheet, DeviceOffloads.Hashing rss) {
        sheet.line("\trss_caps:");
        sheet.line(
                "\t\tmax_rwq_indirection_tables:\t\t\t%s",
                Integer.toUnsignedString(rss.maxIndirectionTables()));
        sheet.line(
                "\t\tmax_rwq_indirection_table_size:\t\t\t%s",
                Integer.toUnsignedString(rss.maxIndirectionTableSize()));
        sheet.line("\t\trx_hash_function:\t\t\t\t0x%x", rss.functions());
        sheet.line("\t\trx_hash_fields_mask:\t\t\t\t0x%X", rss.fields());
        if (rss.queuePairTypes() != 0) {
            queuePairs(sheet, rss.queuePairTypes(), PACKET_QUEUE_PAIRS);
        }
    }

    private static void pacing(Sheet sheet, DeviceOffloads.Pacing pacing) {
        sheet.line("\tpacket_pacing_caps:");
        sheet.line("\t\tqp_rate_limit_min:\t%skbps", Integer.toUnsignedString(pacing.minRate()));
        sheet.line("\t\tqp_rate_limit_max:\t%skbps", Integer.toUnsignedString(pacing.maxRate()));
        if (pacing.maxRate() != 0) {
            queuePairs(sheet, pacing.queuePairTypes(), PACED_QUEUE_PAIRS);
        }
    }

    private static void tags(Sheet sheet, DeviceOffloads.TagMatching tags) {
        if (tags.maxTags() == 0) {
            sheet.line("\ttag matching not supported");
            return;
        }
        sheet.line(
                "\tmax_rndv_hdr_size:\t\t%s", Integer.toUnsignedString(tags.maxRendezvousHeader()));
        sheet.line("\tmax_num_tags:\t\t\t%s", Integer.toUnsignedString(tags.maxTags()));
        sheet.line("\tmax_ops:\t\t\t%s", Integer.toUnsignedString(tags.maxOperations()));
        sheet.line("\tmax_sge:\t\t\t%s", Integer.toUnsignedString(tags.maxSge()));
        sheet.line("\tflags:");
        if ((tags.flags() & Verbs.IBV_TM_CAP_RC()) != 0) {
            sheet.flag("IBV_TM_CAP_RC");
        }
    }

    private static void moderation(Sheet sheet, DeviceOffloads.Moderation moderation) {
        if (moderation.maxCount() != 0 && moderation.maxPeriod() != 0) {
            sheet.line("\n\tcq moderation caps:");
            sheet.line("\t\tmax_cq_count:\t%d", moderation.maxCount());
            sheet.line("\t\tmax_cq_period:\t%d us\n", moderation.maxPeriod());
        }
    }
}
