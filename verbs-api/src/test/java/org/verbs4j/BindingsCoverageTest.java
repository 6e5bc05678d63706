package org.verbs4j;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

/** Whatever C can do with the libraries can be done through the API. */
class BindingsCoverageTest {
    /** Of libibverbs: nobody should miss them, and why. */
    private static final Map<String, String> LEFT_OUT =
            Map.of(
                    "ContextVerbs.ibv_post_srq_ops",
                    "lists of tags, for shared receive queues that match tags: the API makes none,"
                            + " as providers no longer do",
                    "Verbs.ibv_resolve_eth_l2_from_gid",
                    "the hardware address behind a GID, which the kernel finds by itself for queue"
                            + " pairs and address handles",
                    "InlineVerbs.ibv_is_qpt_supported",
                    "one bit of the masks in DeviceOffloads",
                    "InlineVerbs.vext_field_avail",
                    "a comparison for structs that an older library fills in part: the API zeroes"
                            + " them first",
                    "ExtendedCompletionQueue.ibv_cq_ex_to_cq",
                    "a cast",
                    "Verbs.ibv_qp_to_qp_ex",
                    "a cast with a check that only queue pairs made otherwise could fail",
                    "Verbs.ibv_get_device_name",
                    "reads a field that Devices reads with the others of its struct");

    /** The same of librdmacm. */
    private static final Map<String, String> LEFT_OUT_OF_RDMACM =
            Map.ofEntries(
                    Map.entry("Verbs.rdma_event_str", "events are types with names"),
                    Map.entry("Verbs.rdma_get_src_port", "addresses have their ports"),
                    Map.entry("Verbs.rdma_get_dst_port", "addresses have their ports"),
                    Map.entry("InlineRdmaCm.rdma_get_local_addr", "a field of the id's struct"),
                    Map.entry("InlineRdmaCm.rdma_get_peer_addr", "a field of the id's struct"),
                    Map.entry("InlineRdmaCm.rdma_seterrno", "for functions that C programs add"),
                    Map.entry("IbAddress.ib_addr_any", "addresses without IP"),
                    Map.entry("IbAddress.ib_addr_cmp", "addresses without IP"),
                    Map.entry("IbAddress.ib_addr_loopback", "addresses without IP"),
                    Map.entry("IbAddress.ib_addr_set", "addresses without IP"));

    private static final Set<String> POSTING = Set.of("DataPath.postSend");
    private static final Set<String> POLLING = Set.of("DataPath.pollCq", "Verbs.ibv_get_cq_event");
    private static final Set<String> REGISTERING = Set.of("InlineVerbs.ibv_reg_mr");
    private static final Set<String> OWN_QUEUE_PAIRS =
            Set.of("Verbs.ibv_create_qp", "Verbs.ibv_destroy_qp", "Verbs.rdma_init_qp_attr");
    private static final Set<String> OWN_SHARED_QUEUES =
            Set.of("Verbs.ibv_create_srq", "Verbs.ibv_destroy_srq");
    private static final Set<String> EVENTS =
            Set.of("Verbs.rdma_create_id", "Verbs.rdma_resolve_addr", "Verbs.rdma_get_cm_event");

    /** What the API does by other functions: one way through the libraries for each thing. */
    private static final Map<String, Set<String>> BY_OTHERS =
            Map.ofEntries(
                    Map.entry("InlineVerbs.ibv_poll_cq", Set.of("DataPath.pollCq")),
                    Map.entry("InlineVerbs.ibv_req_notify_cq", Set.of("DataPath.reqNotifyCq")),
                    Map.entry("InlineVerbs.ibv_post_send", POSTING),
                    Map.entry("InlineVerbs.ibv_post_recv", Set.of("DataPath.postRecv")),
                    Map.entry(
                            "InlineVerbs.ibv_post_srq_recv",
                            Set.of("DataPath.postSrqRecvFunction", "DataPath.postRecv")),
                    Map.entry(
                            "InlineVerbs.ibv_post_wq_recv",
                            Set.of("ibv_wq.post_recv", "DataPath.postRecv")),
                    Map.entry(
                            "InlineVerbs.__ibv_get_device_list",
                            Set.of("Verbs.ibv_get_device_list")),
                    Map.entry(
                            "ExtendedCompletionQueue.ibv_wc_read_invalidated_rkey",
                            Set.of("ExtendedCompletionQueue.ibv_wc_read_imm_data")),
                    Map.entry("Verbs.rdma_create_ep", EVENTS),
                    Map.entry("Verbs.rdma_destroy_ep", Set.of("Verbs.rdma_destroy_id")),
                    Map.entry("Verbs.rdma_get_request", EVENTS),
                    Map.entry("Verbs.rdma_create_qp", OWN_QUEUE_PAIRS),
                    Map.entry("Verbs.rdma_create_qp_ex", OWN_QUEUE_PAIRS),
                    Map.entry("Verbs.rdma_destroy_qp", OWN_QUEUE_PAIRS),
                    Map.entry("Verbs.rdma_create_srq", OWN_SHARED_QUEUES),
                    Map.entry("Verbs.rdma_create_srq_ex", OWN_SHARED_QUEUES),
                    Map.entry("Verbs.rdma_destroy_srq", OWN_SHARED_QUEUES),
                    Map.entry("InlineRdmaCm.rdma_reg_msgs", REGISTERING),
                    Map.entry("InlineRdmaCm.rdma_reg_read", REGISTERING),
                    Map.entry("InlineRdmaCm.rdma_reg_write", REGISTERING),
                    Map.entry("InlineRdmaCm.rdma_dereg_mr", Set.of("Verbs.ibv_dereg_mr")),
                    Map.entry("InlineRdmaCm.rdma_post_recv", Set.of("DataPath.postRecv")),
                    Map.entry("InlineRdmaCm.rdma_post_recvv", Set.of("DataPath.postRecv")),
                    Map.entry("InlineRdmaCm.rdma_post_send", POSTING),
                    Map.entry("InlineRdmaCm.rdma_post_sendv", POSTING),
                    Map.entry("InlineRdmaCm.rdma_post_ud_send", POSTING),
                    Map.entry("InlineRdmaCm.rdma_post_read", POSTING),
                    Map.entry("InlineRdmaCm.rdma_post_readv", POSTING),
                    Map.entry("InlineRdmaCm.rdma_post_write", POSTING),
                    Map.entry("InlineRdmaCm.rdma_post_writev", POSTING),
                    Map.entry("InlineRdmaCm.rdma_get_send_comp", POLLING),
                    Map.entry("InlineRdmaCm.rdma_get_recv_comp", POLLING));

    private static final int FEW = 10;

    private final BindingsUse use = new BindingsUse();

    @Test
    void everyFunctionIsUsedOrLeftOutWithAReason() {
        Set<String> unused = new TreeSet<>(use.functions());
        unused.removeIf(use::reaches);
        unused.removeAll(LEFT_OUT.keySet());
        unused.removeAll(LEFT_OUT_OF_RDMACM.keySet());
        unused.removeAll(BY_OTHERS.keySet());
        assertThat(unused).isEmpty();
        assertThat(LEFT_OUT).hasSizeLessThan(FEW);
    }

    @Test
    void nothingIsListedThatIsUsedOrDoesNotExist() {
        Set<String> listed = new HashSet<>();
        for (Set<String> some :
                List.of(LEFT_OUT.keySet(), LEFT_OUT_OF_RDMACM.keySet(), BY_OTHERS.keySet())) {
            some.forEach(one -> assertThat(listed.add(one)).as(one).isTrue());
        }
        assertThat(use.functions()).containsAll(listed);
        assertThat(listed).noneMatch(use::reaches);
    }

    @Test
    void whatIsDoneByOthersIsDoneByThem() {
        BY_OTHERS.forEach(
                (function, others) ->
                        assertThat(others).as(function).isNotEmpty().allMatch(use::reaches));
    }
}
