package org.verbs4j.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.verbs4j.Access;
import org.verbs4j.ConnectOptions;
import org.verbs4j.MemoryRegion;
import org.verbs4j.QueuePairState;
import org.verbs4j.RemoteBuffer;
import org.verbs4j.WorkCompletionException;
import org.verbs4j.WorkCompletions;
import org.verbs4j.WorkStatus;

/** Requests that fail on the way or at the peer. */
class FailureIT {
    private RdmaPair pair;
    private RdmaPair.Side left;
    private RdmaPair.Side right;

    @BeforeEach
    void open() {
        pair = RdmaPair.onOneDevice(builder -> {});
        left = pair.left;
        right = pair.right;
    }

    @AfterEach
    void close() {
        pair.close();
    }

    @Test
    @Holds({"42", "67"})
    void aWrongKeyIsARemoteAccessErrorAndLaterRequestsAreFlushed() {
        pair.connect(ConnectOptions.defaults());
        RemoteBuffer there = right.memory.remote();
        RemoteBuffer wrong =
                new RemoteBuffer(there.address(), there.length(), there.rkey() ^ 0x5555_0000);
        Done done = left.run(left.pair.newWrite().id(1).from(left.memory, 0, 8).to(wrong, 0));
        assertThat(done.status()).isEqualTo(WorkStatus.REMOTE_ACCESS_ERROR);
        assertThat(done.status().origin()).isEqualTo(WorkStatus.Origin.REMOTE);
        assertThat(done.pair()).isEqualTo(left.pair.number());
        Done next = left.run(left.pair.newWrite().id(2).from(left.memory, 0, 8).to(there, 0));
        assertThat(next.status()).isEqualTo(WorkStatus.FLUSHED);
        assertThat(next.status().origin()).isEqualTo(WorkStatus.Origin.EARLIER_FAILURE);
        assertThat(next.pair()).isEqualTo(left.pair.number());
        assertThat(left.pair.state()).isEqualTo(QueuePairState.READY_TO_SEND);
        assertThat(left.pair.queryState()).isEqualTo(QueuePairState.ERROR);
    }

    @Test
    void aFailureIsAnExceptionWithTheRequestTheQueuePairAndAHint() {
        pair.connect(ConnectOptions.defaults());
        try (MemoryRegion secret = right.domain.allocate(4096, Access.LOCAL_WRITE)) {
            RemoteBuffer forbidden = new RemoteBuffer(secret.address(), 4096, secret.lkey());
            left.pair.post(left.pair.newRead().id(77).from(forbidden, 0).into(left.memory, 0, 8));
            WorkCompletions completions = WorkCompletions.allocate(1);
            Waits.until("the failure", () -> left.queue.poll(completions) == 1);
            assertThatThrownBy(() -> completions.get(0).requireSuccess())
                    .isInstanceOfSatisfying(
                            WorkCompletionException.class,
                            e -> {
                                assertThat(e.wrId()).isEqualTo(77);
                                assertThat(e.queuePairNumber()).isEqualTo(left.pair.number());
                                assertThat(e.status()).isNotEqualTo(WorkStatus.SUCCESS);
                                assertThat(e.hint()).isNotBlank();
                            })
                    .hasMessageContaining("request 77 on queue pair " + left.pair.number());
        }
    }

    @Test
    @Holds("70")
    void aPeerWithoutReceivesIsToldApartFromOneThatDoesNotAnswer() {
        pair.connect(ConnectOptions.defaults().withRetries(7, 1));
        Done done = left.run(left.pair.newSend().from(left.memory, 0, 8));
        assertThat(done.status()).isEqualTo(WorkStatus.RNR_RETRY_EXCEEDED);
        assertThat(done.status().hint()).contains("receive");
    }

    @Test
    @Holds({"71", "G7"})
    void aPeerThatIsGoneEndsTheRetries() {
        pair.connect(ConnectOptions.defaults().withTimeout(8).withRetries(1, 1));
        right.pair.close();
        Done done =
                left.run(left.pair.newWrite().from(left.memory, 0, 8).to(right.memory.remote(), 0));
        assertThat(done.status()).isEqualTo(WorkStatus.RETRY_EXCEEDED);
        assertThat(done.status().origin()).isEqualTo(WorkStatus.Origin.TRANSPORT);
    }
}
