package org.verbs4j.bindings;

import static org.assertj.core.api.Assertions.assertThat;
import static org.verbs4j.bindings.Circumstances.number;
import static org.verbs4j.bindings.Circumstances.pointer;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import java.util.Arrays;
import java.util.List;

/** The inline functions that decide something: every branch, called in C and in Java. */
class InlineBranchesTest {
    private static final String MW = "struct ibv_mw *";
    private static final String BIND = "struct ibv_mw_bind *";
    private static final long BIND_INFO = ibv_mw_bind.bind_info$offset();
    private static final long BOUND_MR = BIND_INFO + ibv_mw_bind_info.mr$offset();
    private static final long BOUND_ADDR = BIND_INFO + ibv_mw_bind_info.addr$offset();
    private static final long BOUND_LENGTH = BIND_INFO + ibv_mw_bind_info.length$offset();
    private static final int OPTIONAL = Verbs.IBV_ACCESS_RELAXED_ORDERING();

    private final Oracle oracle = Oracle.get();

    private Oracle.Outcome compare(String inline, Scenario scenario) {
        return oracle.compare(inline, scenario, oracle.arguments(oracle.inline(inline)));
    }

    /** As {@link #compare}, with some arguments, given as index and value, other than usual. */
    private Oracle.Outcome compareWith(String inline, Scenario scenario, long... indexAndValue) {
        long[] arguments = oracle.arguments(oracle.inline(inline));
        for (int i = 0; i < indexAndValue.length; i += 2) {
            arguments[(int) indexAndValue[i]] = indexAndValue[i + 1];
        }
        return oracle.compare(inline, scenario, arguments);
    }

    private static List<String> calls(Oracle.Outcome outcome) {
        return outcome.log().lines().map(line -> line.substring(0, line.indexOf('('))).toList();
    }

    // Memory windows

    @Test
    void onlyWindowsOfType1AreBoundBySystemCall() {
        Scenario type2 =
                Scenario.answering(0)
                        .on("of type 2", number(MW, ibv_mw.type$offset(), Verbs.IBV_MW_TYPE_2()));

        Oracle.Outcome outcome = compare("ibv_bind_mw", type2);

        assertThat(outcome.result()).isEqualTo(Posix.EINVAL());
        assertThat(outcome.log()).isEmpty();
    }

    @ParameterizedTest
    @CsvSource({"0, 0, true", "4096, 0, false", "0, 1, false", "4096, 1, false"})
    void bindingNoRegionAllowsNoAddressAndNoLength(long addr, long length, boolean called) {
        Scenario noRegion =
                Scenario.answering(7)
                        .on("without a region", pointer(BIND, BOUND_MR, 0))
                        .on("address " + addr, pointer(BIND, BOUND_ADDR, addr))
                        .on("length " + length, pointer(BIND, BOUND_LENGTH, length));

        Oracle.Outcome outcome = compare("ibv_bind_mw", noRegion);

        assertThat(outcome.result()).isEqualTo(called ? 7 : Posix.EINVAL());
        assertThat(outcome.log().isEmpty()).isNotEqualTo(called);
    }

    @Test
    void windowAndRegionMustShareTheProtectionDomain() {
        Scenario foreign =
                Scenario.answering(0)
                        .on(
                                "of another domain",
                                pointer(MW, ibv_mw.pd$offset(), oracle.object("other pd")));

        assertThat(compare("ibv_bind_mw", foreign).result()).isEqualTo(Posix.EPERM());
    }

    // Device and port

    @Test
    void queryingTheDeviceWithAnInputMaskIsInvalid() {
        String input = "const struct ibv_query_device_ex_input *";
        Scenario mask =
                Scenario.answering(0)
                        .on(
                                "with a mask",
                                number(input, ibv_query_device_ex_input.comp_mask$offset(), 1));

        Oracle.Outcome outcome = compare("ibv_query_device_ex", mask);

        assertThat(outcome.result()).isEqualTo(Posix.EINVAL());
        assertThat(outcome.log()).isEmpty();
    }

    @Test
    void queryingTheDeviceNeedsNoInput() {
        Oracle.Outcome outcome = compareWith("ibv_query_device_ex", Scenario.answering(0), 1, 0);
        assertThat(calls(outcome)).containsExactly("verbs_context.query_device_ex");
    }

    @Test
    void aKernelWithoutTheExtendedQueryIsAskedTheOldOne() {
        for (int refusal : List.of(Posix.EOPNOTSUPP(), Posix.ENOSYS())) {
            Oracle.Outcome outcome = compare("ibv_query_device_ex", Scenario.answering(refusal, 7));

            assertThat(outcome.result()).isEqualTo(7);
            assertThat(calls(outcome))
                    .containsExactly("verbs_context.query_device_ex", "ibv_query_device");
        }
    }

    @Test
    void anyOtherFailureOfTheExtendedQueryStands() {
        Oracle.Outcome outcome = compare("ibv_query_device_ex", Scenario.answering(Posix.EIO(), 7));
        assertThat(outcome.result()).isEqualTo(Posix.EIO());
        assertThat(calls(outcome)).containsExactly("verbs_context.query_device_ex");
    }

    @Test
    void theMacroOfThePortQueryPassesTheWholeSize() {
        long[] arguments = {
            oracle.object("struct ibv_context *"), 255, oracle.object("struct ibv_port_attr *")
        };
        Oracle.Outcome outcome =
                oracle.compare(
                        "macro_ibv_query_port",
                        "ibv_query_port",
                        Scenario.answering(3),
                        arguments,
                        arguments);
        assertThat(outcome.log()).endsWith(" %#x )\n".formatted(ibv_port_attr.sizeof()));
    }

    @ParameterizedTest
    @ValueSource(longs = {0, 303, 304, 305, 4096})
    void aFieldIsAvailableWhenTheSizeGoesBeyondItsStart(long size) {
        long[] inC = {size};
        long[] inJava = {ibv_device_attr_ex.pci_atomic_caps$offset(), size};
        oracle.compare(
                "macro_vext_field_avail_pci_atomic_caps",
                "vext_field_avail",
                Scenario.answering(0),
                inC,
                inJava);
        long start = ibv_device_attr_ex.pci_atomic_caps$offset();
        assertThat(InlineVerbs.vext_field_avail(start, start)).isFalse();
        assertThat(InlineVerbs.vext_field_avail(start, start + 1)).isTrue();
    }

    // Queues

    @Test
    void aQueuePairWithNothingExtendedIsCreatedByTheExportedFunction() {
        String attr = "struct ibv_qp_init_attr_ex *";
        Scenario plain =
                Scenario.answering(4096)
                        .on(
                                "PD only",
                                number(attr, ibv_qp_init_attr_ex.comp_mask$offset(), pdOnly()))
                        .on(
                                "a PD",
                                pointer(
                                        attr,
                                        ibv_qp_init_attr_ex.pd$offset(),
                                        oracle.object("struct ibv_pd *")));
        assertThat(calls(compare("ibv_create_qp_ex", plain))).containsExactly("ibv_create_qp");

        int more = pdOnly() | Verbs.IBV_QP_INIT_ATTR_CREATE_FLAGS();
        for (int mask : List.of(0, more)) {
            Scenario extended =
                    plain.on("mask", number(attr, ibv_qp_init_attr_ex.comp_mask$offset(), mask));
            assertThat(calls(compare("ibv_create_qp_ex", extended)))
                    .containsExactly("verbs_context.create_qp_ex");
        }
    }

    private static int pdOnly() {
        return Verbs.IBV_QP_INIT_ATTR_PD();
    }

    @Test
    void aBasicSharedReceiveQueueIsCreatedByTheExportedFunction() {
        int pd = Verbs.IBV_SRQ_INIT_ATTR_PD();
        int type = Verbs.IBV_SRQ_INIT_ATTR_TYPE();
        int xrcd = Verbs.IBV_SRQ_INIT_ATTR_XRCD();
        int basic = Verbs.IBV_SRQT_BASIC();

        assertThat(creationOfSrq(pd, Verbs.IBV_SRQT_XRC())).isEqualTo("ibv_create_srq");
        assertThat(creationOfSrq(pd | type, basic)).isEqualTo("ibv_create_srq");
        assertThat(creationOfSrq(pd | type, Verbs.IBV_SRQT_XRC()))
                .isEqualTo("verbs_context.create_srq_ex");
        assertThat(creationOfSrq(type, basic)).isEqualTo("verbs_context.create_srq_ex");
        assertThat(creationOfSrq(0, basic)).isEqualTo("verbs_context.create_srq_ex");
        assertThat(creationOfSrq(pd | type | xrcd, basic)).isEqualTo("verbs_context.create_srq_ex");
    }

    private String creationOfSrq(int mask, int type) {
        String attr = "struct ibv_srq_init_attr_ex *";
        Scenario scenario =
                Scenario.answering(4096)
                        .on(
                                "mask " + mask,
                                number(attr, ibv_srq_init_attr_ex.comp_mask$offset(), mask))
                        .on(
                                "type " + type,
                                number(attr, ibv_srq_init_attr_ex.srq_type$offset(), type))
                        .on(
                                "a PD",
                                pointer(
                                        attr,
                                        ibv_srq_init_attr_ex.pd$offset(),
                                        oracle.object("struct ibv_pd *")));
        return calls(compare("ibv_create_srq_ex", scenario)).getFirst();
    }

    @Test
    void aWorkQueueGetsItsContextCounterMutexAndConditionFromTheCaller() {
        long wq = oracle.object("struct ibv_wq *");
        Scenario created =
                Scenario.answering(wq)
                        .on(
                                "with a context",
                                pointer(
                                        "struct ibv_wq_init_attr *",
                                        ibv_wq_init_attr.wq_context$offset(),
                                        0x1234));

        compare("ibv_create_wq", created);

        assertThat(Memory.getLong(wq + ibv_wq.wq_context$offset())).isEqualTo(0x1234);
        assertThat(Memory.getInt(wq + ibv_wq.events_completed$offset())).isZero();
        // What glibc's initialisers leave is all zeros, where the oracle had put 0xa5.
        assertThat(bytes(wq + ibv_wq.mutex$offset(), pthread_mutex_t.layout().byteSize()))
                .containsOnly(0);
        assertThat(bytes(wq + ibv_wq.cond$offset(), pthread_cond_t.layout().byteSize()))
                .containsOnly(0);
    }

    private static byte[] bytes(long address, long size) {
        return Memory.slice(address, size).toArray(JAVA_BYTE);
    }

    // Memory regions

    @Test
    void optionalAccessAndAccessKnownLateGoToTheNewerRegistration() {
        for (int access : List.of(0, Verbs.IBV_ACCESS_REMOTE_WRITE(), OPTIONAL, OPTIONAL | 1)) {
            for (int constant : List.of(0, 1)) {
                boolean older = constant == 1 && access != OPTIONAL && access != (OPTIONAL | 1);
                Scenario scenario = Scenario.answering(4096);

                assertThat(calls(compareWith("__ibv_reg_mr", scenario, 3, access, 4, constant)))
                        .containsExactly(older ? "ibv_reg_mr" : "ibv_reg_mr_iova2");
                assertThat(
                                calls(
                                        compareWith(
                                                "__ibv_reg_mr_iova",
                                                scenario,
                                                4,
                                                access,
                                                5,
                                                constant)))
                        .containsExactly(older ? "ibv_reg_mr_iova" : "ibv_reg_mr_iova2");
            }
        }
    }

    @Test
    void theRegistrationMacrosChooseAsTheCompilerDoesForConstants() {
        registration(
                "macro_ibv_reg_mr_constant",
                "ibv_reg_mr",
                Verbs.IBV_ACCESS_REMOTE_READ(),
                "ibv_reg_mr");
        registration("macro_ibv_reg_mr_optional", "ibv_reg_mr", OPTIONAL, "ibv_reg_mr_iova2");
        registration("macro_ibv_reg_mr", "ibv_reg_mr", OPTIONAL, "ibv_reg_mr_iova2");
        registration(
                "macro_ibv_reg_mr_iova_constant",
                "ibv_reg_mr_iova",
                Verbs.IBV_ACCESS_REMOTE_READ(),
                "ibv_reg_mr_iova");
        registration(
                "macro_ibv_reg_mr_iova_optional", "ibv_reg_mr_iova", OPTIONAL, "ibv_reg_mr_iova2");
    }

    private void registration(String wrapper, String macro, int access, String expected) {
        long pd = oracle.object("struct ibv_pd *");
        long addr = oracle.object("some memory");
        long[] arguments =
                macro.endsWith("iova")
                        ? new long[] {pd, addr, 0x1_0000_0001L, 0x77, access}
                        : new long[] {pd, addr, 0x1_0000_0001L, access};
        Oracle.Outcome outcome =
                oracle.compare(wrapper, macro, Scenario.answering(4096), arguments, arguments);
        assertThat(calls(outcome)).containsExactly(expected);
    }

    // rdma_cm

    @Test
    void receivesGoToTheSharedQueueOfAnIdThatHasOne() {
        Scenario own = Scenario.answering(0);
        Scenario shared = own.on("a shared receive queue", Circumstances::sharedReceives);

        assertThat(calls(compare("rdma_post_recvv", own)))
                .containsExactly("ibv_context_ops.post_recv");
        assertThat(calls(compare("rdma_post_recvv", shared)))
                .containsExactly("ibv_context_ops.post_srq_recv");
        assertThat(calls(compareWith("rdma_post_recv", shared, 3, 100)))
                .containsExactly("ibv_context_ops.post_srq_recv");
    }

    @Test
    void whatIsSentWithoutARegionHasNoKey() {
        for (String inline : List.of("rdma_post_send", "rdma_post_write", "rdma_post_ud_send")) {
            assertThat(compareWith(inline, Scenario.answering(0), 4, 0).log()).contains(" 0]");
        }
    }

    @Test
    void aRefusedRequestIsMinusOneAndErrno() {
        for (String inline :
                List.of("rdma_post_sendv", "rdma_post_readv", "rdma_post_recvv", "rdma_dereg_mr")) {
            Oracle.Outcome outcome = compare(inline, Scenario.answering(Posix.ENOMEM()));

            assertThat(outcome.result()).as(inline).isEqualTo(-1);
            assertThat(outcome.errno()).as(inline).isEqualTo(Posix.ENOMEM());
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"rdma_get_send_comp", "rdma_get_recv_comp"})
    void waitingForACompletionPollsArmsPollsAndSleeps(String inline) {
        String poll = "ibv_context_ops.poll_cq";
        String arm = "ibv_context_ops.req_notify_cq";

        assertThat(calls(compare(inline, Scenario.answering(1)))).containsExactly(poll);
        assertThat(calls(compare(inline, Scenario.answering(0, 0, 1))))
                .containsExactly(poll, arm, poll);
        assertThat(calls(compare(inline, Scenario.answering(0, 0, 0, 0, 0, 0, 0, 0, 1))))
                .containsExactly(
                        poll,
                        arm,
                        poll,
                        "ibv_get_cq_event",
                        "ibv_ack_cq_events",
                        poll,
                        arm,
                        poll,
                        "ibv_get_cq_event",
                        "ibv_ack_cq_events",
                        poll);
    }

    @ParameterizedTest
    @ValueSource(strings = {"rdma_get_send_comp", "rdma_get_recv_comp"})
    void waitingForACompletionEndsWithTheFirstFailure(String inline) {
        assertThat(compare(inline, Scenario.answering(-5)).result()).isEqualTo(-1);
        assertThat(compare(inline, Scenario.answering(0, Posix.EIO())).errno())
                .isEqualTo(Posix.EIO());
        assertThat(compare(inline, Scenario.answering(0, 0, -5)).result()).isEqualTo(-1);

        Oracle.Outcome noEvent =
                compare(inline, Scenario.answering(0, 0, 0, -1).failingWith(Posix.EAGAIN()));
        assertThat(noEvent.result()).isEqualTo(-1);
        assertThat(noEvent.errno()).isEqualTo(Posix.EAGAIN());
    }

    // What only calculates

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 0xff, 0x123456ff, 0x7fffffff, -1, -256})
    void theNextKeyDiffersInItsLowestByte(int rkey) {
        int next = (int) oracle.compare("ibv_inc_rkey", Scenario.answering(0), rkey).result();
        assertThat(next ^ rkey).isBetween(1, 0xff);
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 0x3fff, 0x4000, 0xfffff, 0xabcde, -1})
    void aFlowLabelIsFoldedIntoTheDynamicPorts(int flowLabel) {
        long port =
                oracle.compare("ibv_flow_label_to_udp_sport", Scenario.answering(0), flowLabel)
                        .result();
        assertThat(port).isBetween(0xc000L, 0xffffL);
    }

    @Test
    void aQueuePairTypeIsSupportedWhenItsBitIsSet() {
        for (int type :
                List.of(Verbs.IBV_QPT_RC(), Verbs.IBV_QPT_UD(), Verbs.IBV_QPT_RAW_PACKET(), 31)) {
            for (int caps : List.of(0, -1, 1 << type, ~(1 << type))) {
                oracle.compare("ibv_is_qpt_supported", Scenario.answering(0), caps, type);
            }
        }
    }

    @Test
    void addressesAreComparedByteByByteAsUnsigned() {
        int[][] addresses = {
            {0, 0, 0, 0},
            {0, 0, 0, 1 << 24},
            {0, 0, 0, 1},
            {0x80, 0, 0, 0},
            {0x7f, 0, 0, 0},
            {-1, -1, -1, -1},
            {1, 0, 0, 1 << 24},
        };
        long first = oracle.object("an address");
        long second = oracle.object("another address");
        for (int[] a : addresses) {
            Scenario one = Scenario.answering(0).on(Arrays.toString(a), world -> set(first, a));
            oracle.compare("ib_addr_any", one, first);
            oracle.compare("ib_addr_loopback", one, first);
            oracle.compare("ib_addr_set", one, second, a[0], a[1], a[2], a[3]);
            for (int[] b : addresses) {
                Scenario two = one.on(Arrays.toString(b), world -> set(second, b));
                oracle.compare("ib_addr_cmp", two, first, second);
            }
        }
    }

    private static void set(long address, int[] words) {
        IbAddress.ib_addr_set(address, words[0], words[1], words[2], words[3]);
    }
}
