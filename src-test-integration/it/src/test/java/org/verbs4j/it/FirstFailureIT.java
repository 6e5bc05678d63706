package org.verbs4j.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.verbs4j.ConnectOptions;
import org.verbs4j.WorkCompletionException;
import org.verbs4j.WorkCompletions;
import org.verbs4j.WorkStatus;

/** A flushed request tells what had failed before it. */
class FirstFailureIT {
    private RdmaPair pair;
    private RdmaPair.Side left;

    @BeforeEach
    void open() {
        pair = RdmaPair.onOneDevice();
        left = pair.left;
    }

    @AfterEach
    void close() {
        pair.close();
    }

    private WorkCompletions failAndFlush() {
        left.pair.post(
                left.pair
                        .newWrite()
                        .id(41)
                        .from(left.memory, 0, 8)
                        .to(pair.right.memory.remote().address(), 0x7777));
        left.pair.post(
                left.pair
                        .newWrite()
                        .id(42)
                        .from(left.memory, 0, 8)
                        .to(pair.right.memory.remote(), 0));
        WorkCompletions completions = WorkCompletions.allocate(1);
        Waits.until("the failure", () -> left.queue.poll(completions) == 1);
        return completions;
    }

    @Test
    void theFlushedRequestTellsTheFirstFailure() {
        WorkCompletions completions = failAndFlush();
        assertThat(left.pair.firstFailure()).isEmpty();
        assertThat(completions.get(0).isSuccess()).isFalse();
        assertThat(left.pair.firstFailure())
                .hasValueSatisfying(
                        failure -> {
                            assertThat(failure.wrId()).isEqualTo(41);
                            assertThat(failure.status()).isEqualTo(WorkStatus.REMOTE_ACCESS_ERROR);
                        });
        Waits.until("the flush", () -> left.queue.poll(completions) == 1);
        assertThatThrownBy(() -> completions.get(0).requireSuccess())
                .isInstanceOfSatisfying(
                        WorkCompletionException.class,
                        e -> {
                            assertThat(e.status()).isEqualTo(WorkStatus.FLUSHED);
                            assertThat(e.wrId()).isEqualTo(42);
                            assertThat(e.firstFailure()).isEqualTo(left.pair.firstFailure());
                        })
                .hasMessageContaining("The queue pair's first failure was request 41 with");
    }

    @Test
    void theFirstFailureItselfTellsNoOther() {
        WorkCompletions completions = failAndFlush();
        assertThatThrownBy(() -> completions.get(0).requireSuccess())
                .isInstanceOf(WorkCompletionException.class)
                .hasMessageContaining("request 41")
                .hasMessageNotContaining("first failure");
    }

    @Test
    void afterAResetItIsForgotten() {
        WorkCompletions completions = failAndFlush();
        assertThat(completions.get(0).status()).isEqualTo(WorkStatus.REMOTE_ACCESS_ERROR);
        left.next(1);
        left.pair.reset();
        assertThat(left.pair.firstFailure()).isEmpty();
        pair.right.pair.reset();
        pair.connect(ConnectOptions.defaults());
        left.pair.moveToError();
        left.pair.post(left.pair.newSend().from(left.memory, 0, 8));
        Waits.until("the flush", () -> left.queue.poll(completions) == 1);
        assertThatThrownBy(() -> completions.get(0).requireSuccess())
                .hasMessageNotContaining("first failure");
    }
}
