package org.verbs4j;

import org.verbs4j.bindings.ContextVerbs;
import org.verbs4j.bindings.ibv_cq_moderation_caps;
import org.verbs4j.bindings.ibv_device_attr;
import org.verbs4j.bindings.ibv_device_attr_ex;
import org.verbs4j.bindings.ibv_odp_caps;
import org.verbs4j.bindings.ibv_packet_pacing_caps;
import org.verbs4j.bindings.ibv_pci_atomic_caps;
import org.verbs4j.bindings.ibv_rss_caps;
import org.verbs4j.bindings.ibv_tm_caps;
import org.verbs4j.bindings.ibv_tso_caps;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/** How {@link DeviceAttributes} are read. */
final class DeviceQuery {
    private DeviceQuery() {}

    /** {@code ibv_query_device_ex(3)}; a provider that has only the older query is asked by it. */
    static DeviceAttributes ask(Device device, MemorySegment context) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment attr = arena.allocate(ibv_device_attr_ex.layout());
            int errno = ContextVerbs.ibv_query_device_ex(context.address(), 0, attr.address());
            if (errno != 0) {
                throw new VerbsException(
                        "ibv_query_device_ex", errno, "the attributes of " + device.name());
            }
            return decode(attr);
        }
    }

    static DeviceAttributes decode(MemorySegment ex) {
        MemorySegment attr = ibv_device_attr_ex.orig_attr(ex);
        return new DeviceAttributes(
                identity(attr),
                queues(attr, ex),
                memory(attr, ex),
                atomicity(attr, ex),
                addressing(attr),
                Integer.toUnsignedLong(ibv_device_attr.device_cap_flags(attr))
                        | ibv_device_attr_ex.device_cap_flags_ex(ex),
                ports(attr, ex),
                new DeviceAttributes.Clock(
                        ibv_device_attr_ex.completion_timestamp_mask(ex),
                        ibv_device_attr_ex.hca_core_clock(ex)),
                onDemandPaging(ex),
                offloads(ex),
                obsolete(attr));
    }

    /** The older count is one byte; the newer one is there when it is not zero. */
    private static int ports(MemorySegment attr, MemorySegment ex) {
        int all = ibv_device_attr_ex.phys_port_cnt_ex(ex);
        return all != 0 ? all : Byte.toUnsignedInt(ibv_device_attr.phys_port_cnt(attr));
    }

    private static DeviceAttributes.Identity identity(MemorySegment attr) {
        return new DeviceAttributes.Identity(
                attr.getString(ibv_device_attr.fw_ver$offset()),
                new Guid(NetworkOrder.toHost(ibv_device_attr.node_guid(attr))),
                new Guid(NetworkOrder.toHost(ibv_device_attr.sys_image_guid(attr))),
                ibv_device_attr.vendor_id(attr),
                ibv_device_attr.vendor_part_id(attr),
                ibv_device_attr.hw_ver(attr));
    }

    private static DeviceAttributes.Queues queues(MemorySegment attr, MemorySegment ex) {
        return new DeviceAttributes.Queues(
                ibv_device_attr.max_qp(attr),
                ibv_device_attr.max_qp_wr(attr),
                ibv_device_attr.max_sge(attr),
                ibv_device_attr.max_sge_rd(attr),
                ibv_device_attr.max_cq(attr),
                ibv_device_attr.max_cqe(attr),
                ibv_device_attr.max_srq(attr),
                ibv_device_attr.max_srq_wr(attr),
                ibv_device_attr.max_srq_sge(attr),
                ibv_device_attr_ex.max_wq_type_rq(ex));
    }

    private static DeviceAttributes.Memory memory(MemorySegment attr, MemorySegment ex) {
        return new DeviceAttributes.Memory(
                ibv_device_attr.max_mr_size(attr),
                ibv_device_attr.page_size_cap(attr),
                ibv_device_attr.max_mr(attr),
                ibv_device_attr.max_pd(attr),
                ibv_device_attr.max_mw(attr),
                ibv_device_attr.max_fmr(attr),
                ibv_device_attr.max_map_per_fmr(attr),
                ibv_device_attr_ex.max_dm_size(ex));
    }

    private static DeviceAttributes.Atomicity atomicity(MemorySegment attr, MemorySegment ex) {
        MemorySegment pci = ibv_device_attr_ex.pci_atomic_caps(ex);
        return new DeviceAttributes.Atomicity(
                DeviceAttributes.AtomicSupport.of(ibv_device_attr.atomic_cap(attr)),
                ibv_device_attr.max_qp_rd_atom(attr),
                ibv_device_attr.max_qp_init_rd_atom(attr),
                ibv_device_attr.max_res_rd_atom(attr),
                Short.toUnsignedInt(ibv_pci_atomic_caps.fetch_add(pci)),
                Short.toUnsignedInt(ibv_pci_atomic_caps.swap(pci)),
                Short.toUnsignedInt(ibv_pci_atomic_caps.compare_swap(pci)));
    }

    private static DeviceAttributes.Addressing addressing(MemorySegment attr) {
        return new DeviceAttributes.Addressing(
                ibv_device_attr.max_ah(attr),
                ibv_device_attr.max_mcast_grp(attr),
                ibv_device_attr.max_mcast_qp_attach(attr),
                ibv_device_attr.max_total_mcast_qp_attach(attr),
                Short.toUnsignedInt(ibv_device_attr.max_pkeys(attr)),
                Byte.toUnsignedInt(ibv_device_attr.local_ca_ack_delay(attr)));
    }

    private static DeviceAttributes.OnDemandPaging onDemandPaging(MemorySegment ex) {
        MemorySegment caps = ibv_device_attr_ex.odp_caps(ex);
        MemorySegment transports = ibv_odp_caps.per_transport_caps(caps);
        return new DeviceAttributes.OnDemandPaging(
                ibv_odp_caps.general_caps(caps),
                ibv_odp_caps.per_transport_caps.rc_odp_caps(transports),
                ibv_odp_caps.per_transport_caps.uc_odp_caps(transports),
                ibv_odp_caps.per_transport_caps.ud_odp_caps(transports),
                ibv_device_attr_ex.xrc_odp_caps(ex));
    }

    private static DeviceOffloads offloads(MemorySegment ex) {
        MemorySegment tso = ibv_device_attr_ex.tso_caps(ex);
        MemorySegment rss = ibv_device_attr_ex.rss_caps(ex);
        MemorySegment pacing = ibv_device_attr_ex.packet_pacing_caps(ex);
        MemorySegment tags = ibv_device_attr_ex.tm_caps(ex);
        MemorySegment moderation = ibv_device_attr_ex.cq_mod_caps(ex);
        return new DeviceOffloads(
                new DeviceOffloads.Segmentation(
                        ibv_tso_caps.max_tso(tso), ibv_tso_caps.supported_qpts(tso)),
                new DeviceOffloads.Hashing(
                        ibv_rss_caps.supported_qpts(rss),
                        ibv_rss_caps.max_rwq_indirection_tables(rss),
                        ibv_rss_caps.max_rwq_indirection_table_size(rss),
                        ibv_rss_caps.rx_hash_fields_mask(rss),
                        Byte.toUnsignedInt(ibv_rss_caps.rx_hash_function(rss))),
                new DeviceOffloads.Pacing(
                        ibv_packet_pacing_caps.qp_rate_limit_min(pacing),
                        ibv_packet_pacing_caps.qp_rate_limit_max(pacing),
                        ibv_packet_pacing_caps.supported_qpts(pacing)),
                ibv_device_attr_ex.raw_packet_caps(ex),
                new DeviceOffloads.TagMatching(
                        ibv_tm_caps.max_rndv_hdr_size(tags),
                        ibv_tm_caps.max_num_tags(tags),
                        ibv_tm_caps.flags(tags),
                        ibv_tm_caps.max_ops(tags),
                        ibv_tm_caps.max_sge(tags)),
                new DeviceOffloads.Moderation(
                        Short.toUnsignedInt(ibv_cq_moderation_caps.max_cq_count(moderation)),
                        Short.toUnsignedInt(ibv_cq_moderation_caps.max_cq_period(moderation))));
    }

    private static DeviceAttributes.Obsolete obsolete(MemorySegment attr) {
        return new DeviceAttributes.Obsolete(
                ibv_device_attr.max_ee(attr),
                ibv_device_attr.max_rdd(attr),
                ibv_device_attr.max_ee_rd_atom(attr),
                ibv_device_attr.max_ee_init_rd_atom(attr),
                ibv_device_attr.max_raw_ipv6_qp(attr),
                ibv_device_attr.max_raw_ethy_qp(attr));
    }
}
