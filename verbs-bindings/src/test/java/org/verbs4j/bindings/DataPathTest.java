package org.verbs4j.bindings;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import org.junit.jupiter.api.Test;

import java.util.function.LongUnaryOperator;

/** The hot calls, plain and critical, against the C inline of the same name. */
class DataPathTest {
    private final Oracle oracle = Oracle.get();
    private final long context = oracle.object("struct ibv_context *");

    private interface Call {
        int apply(long function, long... arguments);
    }

    private void agree(String inline, LongUnaryOperator pointer, Call plain, Call critical) {
        long[] arguments = oracle.arguments(oracle.inline(inline));
        for (int answer : new int[] {0, 3, -1}) {
            Scenario scenario = Scenario.answering(answer);
            Oracle.Outcome c = oracle.inC("oracle_" + inline, scenario, arguments);
            for (Call call : new Call[] {plain, critical}) {
                oracle.reset(scenario);
                assertThat(call.apply(pointer.applyAsLong(context), arguments)).isEqualTo(answer);
                assertThat(oracle.log()).isEqualTo(c.log());
            }
        }
    }

    @Test
    void pollingIsTheSamePlainAndCritical() {
        agree(
                "ibv_poll_cq",
                DataPath::pollCqFunction,
                (f, a) -> DataPath.pollCq(f, a[0], (int) a[1], a[2]),
                (f, a) -> DataPath.pollCqCritical(f, a[0], (int) a[1], a[2]));
    }

    @Test
    void requestingNotificationIsTheSamePlainAndCritical() {
        agree(
                "ibv_req_notify_cq",
                DataPath::reqNotifyCqFunction,
                (f, a) -> DataPath.reqNotifyCq(f, a[0], (int) a[1]),
                (f, a) -> DataPath.reqNotifyCqCritical(f, a[0], (int) a[1]));
    }

    @Test
    void postingSendsIsTheSamePlainAndCritical() {
        agree(
                "ibv_post_send",
                DataPath::postSendFunction,
                (f, a) -> DataPath.postSend(f, a[0], a[1], a[2]),
                (f, a) -> DataPath.postSendCritical(f, a[0], a[1], a[2]));
    }

    @Test
    void postingReceivesIsTheSamePlainAndCritical() {
        agree(
                "ibv_post_recv",
                DataPath::postRecvFunction,
                (f, a) -> DataPath.postRecv(f, a[0], a[1], a[2]),
                (f, a) -> DataPath.postRecvCritical(f, a[0], a[1], a[2]));
    }

    @Test
    void postingSharedReceivesIsTheSamePlainAndCritical() {
        agree(
                "ibv_post_srq_recv",
                DataPath::postSrqRecvFunction,
                (f, a) -> DataPath.postSrqRecv(f, a[0], a[1], a[2]),
                (f, a) -> DataPath.postSrqRecvCritical(f, a[0], a[1], a[2]));
    }

    @Test
    void aNullFunctionIsRefusedWhereCWouldCrash() {
        assertThatIllegalArgumentException().isThrownBy(() -> DataPath.pollCq(0, 0, 0, 0));
        assertThatIllegalArgumentException().isThrownBy(() -> DataPath.pollCqCritical(0, 0, 0, 0));
        assertThatIllegalArgumentException().isThrownBy(() -> DataPath.postSend(0, 0, 0, 0));
        assertThatIllegalArgumentException()
                .isThrownBy(() -> DataPath.postRecvCritical(0, 0, 0, 0));
        assertThatIllegalArgumentException()
                .isThrownBy(() -> DataPath.reqNotifyCqCritical(0, 0, 0));
    }

    @Test
    void anExtendedOperationThatWasNotAskedForIsRefusedWhereCWouldCrash() {
        long qp = oracle.object("struct ibv_qp_ex *");
        oracle.reset(
                Scenario.answering(0)
                        .on(
                                "without wr_rdma_read",
                                Circumstances.pointer(
                                        "struct ibv_qp_ex *", ibv_qp_ex.wr_rdma_read$offset(), 0)));
        assertThatIllegalArgumentException()
                .isThrownBy(() -> ExtendedQueuePair.ibv_wr_rdma_read(qp, 1, 2));
    }
}
