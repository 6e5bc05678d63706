package org.verbs4j.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.verbs4j.DeviceAttributes;
import org.verbs4j.DeviceCapability;
import org.verbs4j.DeviceContext;
import org.verbs4j.Devices;
import org.verbs4j.GidEntry;
import org.verbs4j.Port;
import org.verbs4j.PortAttributes;
import org.verbs4j.VerbsException;
import org.verbs4j.bindings.ContextVerbs;
import org.verbs4j.bindings.InlineVerbs;
import org.verbs4j.bindings.Posix;
import org.verbs4j.bindings.ibv_device_attr_ex;
import org.verbs4j.bindings.ibv_gid_entry;
import org.verbs4j.bindings.ibv_port_attr;
import org.verbs4j.bindings.ibv_query_device_ex_input;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** What a device and its ports say of themselves, against what the C tool says of them. */
class DeviceQueriesIT {
    private static final Pattern LINE = Pattern.compile("\\s*([a-z_0-9]+):\\s+(.*?)\\s*");

    private DeviceContext context;
    private Port port;

    @BeforeEach
    void open() {
        context = Devices.first().open();
        port = context.activePort();
    }

    @AfterEach
    void close() {
        context.close();
    }

    /** The first value of each key that {@code ibv_devinfo -v} prints. */
    private Map<String, String> told() throws InterruptedException {
        Map<String, String> told = new HashMap<>();
        List<String> command = List.of("ibv_devinfo", "-v", "-d", context.device().name());
        try (ToolRun tool = ToolRun.process(command)) {
            ToolRun.Outcome outcome = tool.await(Duration.ofSeconds(20));
            assertThat(outcome.status()).as(outcome.err()).isZero();
            for (String line : outcome.out().lines().toList()) {
                Matcher matcher = LINE.matcher(line);
                if (matcher.matches()) {
                    told.putIfAbsent(matcher.group(1), matcher.group(2));
                }
            }
        }
        return told;
    }

    @Test
    @Holds("2")
    void theLimitsAreThoseThatTheToolPrints() throws InterruptedException {
        Map<String, String> told = told();
        DeviceAttributes attributes = context.attributes();
        DeviceAttributes.Queues queues = attributes.queues();
        DeviceAttributes.Memory memory = attributes.memory();
        DeviceAttributes.Atomicity atomicity = attributes.atomicity();
        DeviceAttributes.Addressing addressing = attributes.addressing();
        Map<String, Object> ours = new HashMap<>();
        ours.put("fw_ver", attributes.identity().firmwareVersion());
        ours.put("node_guid", attributes.nodeGuid());
        ours.put("sys_image_guid", attributes.identity().systemImageGuid());
        ours.put("vendor_id", hex("0x%04x", attributes.identity().vendorId()));
        ours.put("vendor_part_id", attributes.identity().partId());
        ours.put("hw_ver", hex("0x%X", attributes.identity().hardwareVersion()));
        ours.put("phys_port_cnt", attributes.portCount());
        ours.put("max_mr_size", hex("0x%x", memory.maxRegionSize()));
        ours.put("page_size_cap", hex("0x%x", memory.pageSizes()));
        ours.put("max_qp", queues.maxQueuePairs());
        ours.put("max_qp_wr", queues.maxQueuePairRequests());
        ours.put("device_cap_flags", hex("0x%08x", (int) attributes.capabilityBits()));
        ours.put("max_sge", queues.maxSge());
        ours.put("max_sge_rd", queues.maxSgeRead());
        ours.put("max_cq", queues.maxCompletionQueues());
        ours.put("max_cqe", queues.maxCompletions());
        ours.put("max_mr", memory.maxRegions());
        ours.put("max_pd", memory.maxProtectionDomains());
        ours.put("max_qp_rd_atom", atomicity.maxAcceptedReads());
        ours.put("max_res_rd_atom", atomicity.maxDeviceReads());
        ours.put("max_qp_init_rd_atom", atomicity.maxInitiatedReads());
        ours.put("max_ee", attributes.obsolete().maxEndToEndContexts());
        ours.put("max_mw", memory.maxWindows());
        ours.put("max_mcast_grp", addressing.maxMulticastGroups());
        ours.put("max_mcast_qp_attach", addressing.maxQueuePairsPerGroup());
        ours.put("max_total_mcast_qp_attach", addressing.maxGroupAttachments());
        ours.put("max_ah", addressing.maxAddressHandles());
        ours.put("max_srq", queues.maxSharedReceiveQueues());
        ours.put("max_srq_wr", queues.maxSharedReceiveRequests());
        ours.put("max_srq_sge", queues.maxSharedReceiveSge());
        ours.put("max_pkeys", addressing.maxPartitionKeys());
        ours.put("local_ca_ack_delay", addressing.localAckDelay());
        ours.put("device_cap_flags_ex", hex("0x%X", attributes.capabilityBits()));
        ours.put("max_tso", attributes.offloads().segmentation().maxPayload());
        ours.put("max_wq_type_rq", queues.maxReceiveWorkQueues());
        ours.put("num_comp_vectors", context.completionVectors());
        ours.forEach((key, value) -> assertThat(value + "").as(key).isEqualTo(told.get(key)));
    }

    private static String hex(String format, Object value) {
        return String.format(Locale.ROOT, format, value);
    }

    @Test
    void thePortIsAsTheToolPrintsIt() throws InterruptedException {
        Map<String, String> told = told();
        PortAttributes now = context.port(1).attributes();
        assertThat(told.get("state"))
                .isEqualTo("PORT_" + now.state() + " (" + now.state().code() + ")");
        assertThat(told.get("active_mtu")).startsWith(now.activeMtu().bytes() + " ");
        assertThat(told.get("max_mtu")).startsWith(now.maxMtu().bytes() + " ");
        assertThat(told.get("port_lid")).isEqualTo("" + now.lid());
        assertThat(told.get("sm_lid")).isEqualTo("" + now.subnet().subnetManagerLid());
        assertThat(told.get("max_msg_sz")).isEqualTo(hex("0x%x", now.maxMessageSize()));
        assertThat(told.get("port_cap_flags")).isEqualTo(hex("0x%08x", now.capabilities()));
        assertThat(told.get("port_cap_flags2")).isEqualTo(hex("0x%04x", now.capabilities2()));
        assertThat(told.get("bad_pkey_cntr"))
                .isEqualTo(hex("0x%x", now.subnet().badPartitionKeys()));
        assertThat(told.get("pkey_tbl_len")).isEqualTo("" + now.partitionKeyTableLength());
        assertThat(told.get("gid_tbl_len")).isEqualTo("" + now.gidTableLength());
        assertThat(told.get("active_width"))
                .isEqualTo(now.link().lanes() + "X (" + now.link().widthCode() + ")");
        assertThat(told.get("active_speed")).endsWith("(" + now.link().speedCode() + ")");
        assertThat(now.link().megabits()).isPositive();
        assertThat(told.get("phys_state"))
                .isEqualTo("LINK_UP (" + now.link().physicalStateCode() + ")");
        assertThat(now.link().toString()).endsWith(" Gbit/s a lane, linked up");
    }

    @Test
    void softRoceCanWindowsAndInvalidationAndNothingForPackets() {
        DeviceAttributes attributes = context.attributes();
        assertThat(attributes.capabilities())
                .contains(
                        DeviceCapability.MEMORY_WINDOW,
                        DeviceCapability.MEMORY_MANAGEMENT_EXTENSIONS)
                .doesNotContain(DeviceCapability.XRC);
        assertThat(attributes.has(DeviceCapability.SRQ_RESIZE)).isTrue();
        assertThat(attributes.has(DeviceCapability.MANAGED_FLOW_STEERING)).isFalse();
        assertThat(attributes.onDemandPaging().isSupported()).isFalse();
        assertThat(attributes.clock().timestampMask()).isZero();
        assertThat(attributes.memory().maxDeviceMemory()).isZero();
    }

    @Test
    @Holds("1")
    void theDeviceHasAnIndexThatStays() {
        int index = context.deviceIndex().orElseThrow();
        assertThat(index).isNotNegative();
        try (DeviceContext again = context.device().open()) {
            assertThat(again.deviceIndex()).hasValue(index);
        }
    }

    @Test
    @Holds("3")
    void anExtendedQueryForMoreThanTheLibraryKnowsIsRefused() {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment input = arena.allocate(ibv_query_device_ex_input.layout());
            ibv_query_device_ex_input.comp_mask(input, 1);
            MemorySegment attr = arena.allocate(ibv_device_attr_ex.layout());
            assertThat(
                            ContextVerbs.ibv_query_device_ex(
                                    context.handle().address(), input.address(), attr.address()))
                    .isEqualTo(Posix.EINVAL());
        }
    }

    @Test
    @Holds("4")
    void aPortThatDoesNotExistIsRefusedByTheKernelToo() {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment attr = arena.allocate(ibv_port_attr.layout());
            for (int number : new int[] {0, context.ports().size() + 1}) {
                assertThat(
                                ContextVerbs.ibv_query_port(
                                        context.handle().address(), number, attr.address()))
                        .isEqualTo(Posix.EINVAL());
            }
        }
    }

    @Test
    @Holds("5")
    void anEmptyGidIndexIsZeroAndOneBeyondTheTableIsRefused() {
        int length = port.attributes().gidTableLength();
        assertThat(port.rawGid(length - 1).isZero()).isTrue();
        assertThatThrownBy(() -> port.rawGid(length))
                .isInstanceOf(VerbsException.class)
                .hasMessageStartingWith("ibv_query_gid: EINVAL")
                .hasMessageContaining("index " + length);
        assertThatThrownBy(() -> port.rawGid(-1)).isInstanceOf(VerbsException.class);
    }

    @Test
    @Holds("6")
    void anEntryTellsItsTypeAndInterface() throws Exception {
        int length = port.attributes().gidTableLength();
        GidEntry entry = port.gidEntry(0).orElseThrow();
        assertThat(entry.type()).isEqualTo(GidEntry.Type.ROCE_V2);
        assertThat(entry.type().text()).isEqualTo("RoCE v2");
        assertThat(entry.networkInterface().orElseThrow().getIndex())
                .isEqualTo(entry.interfaceIndex());
        assertThat(port.gidEntry(length - 1)).isEmpty();
        assertThatThrownBy(() -> port.gidEntry(length))
                .isInstanceOf(VerbsException.class)
                .hasMessageStartingWith("ibv_query_gid_ex: EINVAL");
        try (Arena arena = Arena.ofConfined()) {
            long raw = arena.allocate(ibv_gid_entry.layout()).address();
            long device = context.handle().address();
            assertThat(InlineVerbs.ibv_query_gid_ex(device, 99, 0, raw, 0))
                    .isEqualTo(Posix.EINVAL());
            assertThat(InlineVerbs.ibv_query_gid_ex(device, 1, 0, raw, 1))
                    .isEqualTo(Posix.EINVAL());
        }
    }

    @Test
    @Holds("7")
    void theTableIsWhatEachIndexSays() {
        List<GidEntry> table = port.gidTable();
        assertThat(table).isNotEmpty();
        for (GidEntry entry : table) {
            assertThat(port.gidEntry(entry.index())).contains(entry);
            assertThat(port.rawGid(entry.index())).isEqualTo(entry.gid());
        }
    }

    @Test
    @Holds("7")
    void aTableThatIsTooSmallIsRefused() {
        int used = port.gidTable().size();
        try (Arena arena = Arena.ofConfined()) {
            long entries = ibv_gid_entry.allocateArray(used, arena).address();
            long device = context.handle().address();
            assertThat(InlineVerbs.ibv_query_gid_table(device, entries, used - 1L, 0))
                    .isEqualTo(-Posix.EINVAL());
            assertThat(InlineVerbs.ibv_query_gid_table(device, entries, used, 0)).isEqualTo(used);
        }
    }

    @Test
    @Holds("8")
    void aPartitionKeyIsFoundByItsValue() {
        assertThat(port.partitionKeyIndex(0xffff)).hasValue(0);
        assertThat(port.partitionKeyIndex(0x1234)).isEmpty();
        assertThatThrownBy(() -> port.partitionKeyIndex(0x10000))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("key is 65536");
        assertThatThrownBy(() -> port.partitionKey(1))
                .isInstanceOf(VerbsException.class)
                .hasMessageContaining("ENOENT");
    }
}
