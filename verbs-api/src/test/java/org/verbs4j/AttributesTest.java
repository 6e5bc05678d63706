package org.verbs4j;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.verbs4j.bindings.Verbs;
import org.verbs4j.bindings.ibv_cq_moderation_caps;
import org.verbs4j.bindings.ibv_device_attr;
import org.verbs4j.bindings.ibv_device_attr_ex;
import org.verbs4j.bindings.ibv_odp_caps;
import org.verbs4j.bindings.ibv_packet_pacing_caps;
import org.verbs4j.bindings.ibv_pci_atomic_caps;
import org.verbs4j.bindings.ibv_rss_caps;
import org.verbs4j.bindings.ibv_tm_caps;
import org.verbs4j.bindings.ibv_tso_caps;

import java.util.EnumSet;

/** Fields that soft-RoCE leaves at zero. */
class AttributesTest {
    @Test
    void everyGroupOfTheExtendedAttributesIsRead() {
        DeviceAttributes attributes =
                TestAttributes.with(
                        ex -> {
                            var odp = ibv_device_attr_ex.odp_caps(ex);
                            ibv_odp_caps.general_caps(odp, 3);
                            var transports = ibv_odp_caps.per_transport_caps(odp);
                            ibv_odp_caps.per_transport_caps.rc_odp_caps(transports, 5);
                            ibv_odp_caps.per_transport_caps.uc_odp_caps(transports, 6);
                            ibv_odp_caps.per_transport_caps.ud_odp_caps(transports, 7);
                            ibv_device_attr_ex.xrc_odp_caps(ex, 8);
                            ibv_device_attr_ex.completion_timestamp_mask(ex, -1);
                            ibv_device_attr_ex.hca_core_clock(ex, 156_250);
                            var tso = ibv_device_attr_ex.tso_caps(ex);
                            ibv_tso_caps.max_tso(tso, 11);
                            ibv_tso_caps.supported_qpts(tso, 12);
                            var rss = ibv_device_attr_ex.rss_caps(ex);
                            ibv_rss_caps.supported_qpts(rss, 13);
                            ibv_rss_caps.max_rwq_indirection_tables(rss, 14);
                            ibv_rss_caps.max_rwq_indirection_table_size(rss, 15);
                            ibv_rss_caps.rx_hash_fields_mask(rss, 16);
                            ibv_rss_caps.rx_hash_function(rss, (byte) 0x81);
                            ibv_device_attr_ex.max_wq_type_rq(ex, 18);
                            var pacing = ibv_device_attr_ex.packet_pacing_caps(ex);
                            ibv_packet_pacing_caps.qp_rate_limit_min(pacing, 19);
                            ibv_packet_pacing_caps.qp_rate_limit_max(pacing, 20);
                            ibv_packet_pacing_caps.supported_qpts(pacing, 21);
                            ibv_device_attr_ex.raw_packet_caps(ex, 22);
                            var tags = ibv_device_attr_ex.tm_caps(ex);
                            ibv_tm_caps.max_rndv_hdr_size(tags, 23);
                            ibv_tm_caps.max_num_tags(tags, 24);
                            ibv_tm_caps.flags(tags, 25);
                            ibv_tm_caps.max_ops(tags, 26);
                            ibv_tm_caps.max_sge(tags, 27);
                            var moderation = ibv_device_attr_ex.cq_mod_caps(ex);
                            ibv_cq_moderation_caps.max_cq_count(moderation, (short) -1);
                            ibv_cq_moderation_caps.max_cq_period(moderation, (short) 29);
                            ibv_device_attr_ex.max_dm_size(ex, 30);
                            var pci = ibv_device_attr_ex.pci_atomic_caps(ex);
                            ibv_pci_atomic_caps.fetch_add(pci, (short) 1);
                            ibv_pci_atomic_caps.swap(pci, (short) 2);
                            ibv_pci_atomic_caps.compare_swap(pci, (short) 4);
                            ibv_device_attr_ex.phys_port_cnt_ex(ex, 300);
                        });
        assertThat(attributes.onDemandPaging())
                .isEqualTo(new DeviceAttributes.OnDemandPaging(3, 5, 6, 7, 8));
        assertThat(attributes.onDemandPaging().isSupported()).isTrue();
        assertThat(attributes.onDemandPaging().isImplicitSupported()).isTrue();
        assertThat(attributes.clock()).isEqualTo(new DeviceAttributes.Clock(-1, 156_250));
        assertThat(attributes.offloads())
                .isEqualTo(
                        new DeviceOffloads(
                                new DeviceOffloads.Segmentation(11, 12),
                                new DeviceOffloads.Hashing(13, 14, 15, 16, 0x81),
                                new DeviceOffloads.Pacing(19, 20, 21),
                                22,
                                new DeviceOffloads.TagMatching(23, 24, 25, 26, 27),
                                new DeviceOffloads.Moderation(0xffff, 29)));
        assertThat(attributes.queues().maxReceiveWorkQueues()).isEqualTo(18);
        assertThat(attributes.memory().maxDeviceMemory()).isEqualTo(30);
        assertThat(attributes.atomicity().pciFetchAndAdd()).isEqualTo(1);
        assertThat(attributes.atomicity().pciSwap()).isEqualTo(2);
        assertThat(attributes.atomicity().pciCompareAndSwap()).isEqualTo(4);
        assertThat(attributes.portCount()).isEqualTo(300);
    }

    @Test
    void capabilitiesOfBothMasksAreFoundAndUnknownOnesKept() {
        long unknown = 1L << 60;
        DeviceAttributes attributes =
                TestAttributes.with(
                        ex -> {
                            ibv_device_attr.device_cap_flags(
                                    ibv_device_attr_ex.orig_attr(ex), Verbs.IBV_DEVICE_XRC());
                            ibv_device_attr_ex.device_cap_flags_ex(
                                    ex, Verbs.IBV_DEVICE_RAW_SCATTER_FCS() | unknown);
                        });
        assertThat(attributes.capabilities())
                .isEqualTo(EnumSet.of(DeviceCapability.XRC, DeviceCapability.RAW_SCATTER_FCS));
        assertThat(attributes.has(DeviceCapability.XRC)).isTrue();
        assertThat(attributes.has(DeviceCapability.MEMORY_WINDOW)).isFalse();
        assertThat(attributes.capabilityBits() & unknown).isEqualTo(unknown);
    }

    @Test
    void linkCodesBecomeNumbersAndWords() {
        PortAttributes.Link link =
                new PortAttributes.Link(PortAttributes.LinkLayer.INFINIBAND, 2, 128, 5);
        assertThat(link.megabits()).isEqualTo(400_000);
        assertThat(link).hasToString("4X at 100.0 Gbit/s a lane, linked up");
        PortAttributes.Link slow =
                new PortAttributes.Link(PortAttributes.LinkLayer.INFINIBAND, 1, 1, 2);
        assertThat(slow).hasToString("1X at 2.5 Gbit/s a lane, polling");
        PortAttributes.Link newer =
                new PortAttributes.Link(PortAttributes.LinkLayer.INFINIBAND, 32, 3, 9);
        assertThat(newer.megabits()).isZero();
        assertThat(newer).hasToString("width 32 at speed 3, unknown (9)");
    }
}
