package org.verbs4j.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.verbs4j.CompletionChannel;
import org.verbs4j.CompletionField;
import org.verbs4j.ConnectOptions;
import org.verbs4j.DeviceContext;
import org.verbs4j.Devices;
import org.verbs4j.ExtendedCompletion;
import org.verbs4j.ExtendedCompletionQueue;
import org.verbs4j.ExtendedCompletions;
import org.verbs4j.MemoryRegion;
import org.verbs4j.ProtectionDomain;
import org.verbs4j.RcQueuePair;
import org.verbs4j.UnsupportedVerbException;
import org.verbs4j.WorkCompletion;
import org.verbs4j.WorkCompletionException;
import org.verbs4j.WorkCompletions;
import org.verbs4j.WorkOpcode;
import org.verbs4j.WorkStatus;

import java.time.Duration;
import java.util.function.LongSupplier;

/** Extended completion queues: what they tell, and what cannot be done wrong. Item 32. */
class ExtendedCompletionIT {
    private DeviceContext context;
    private CompletionChannel channel;
    private ProtectionDomain domain;
    private MemoryRegion memory;
    private ExtendedCompletionQueue queue;
    private RcQueuePair self;
    private final ExtendedCompletions completions = ExtendedCompletions.allocate(64);

    @BeforeEach
    void open() {
        context = Devices.first().open();
        channel = context.newCompletionChannel();
        domain = context.newProtectionDomain();
        memory = domain.allocate(4096, RdmaPair.ALL);
        queue =
                context.newExtendedCompletionQueue(64)
                        .fields(
                                CompletionField.BYTE_LENGTH,
                                CompletionField.IMMEDIATE,
                                CompletionField.QUEUE_PAIR_NUMBER,
                                CompletionField.SOURCE_QUEUE_PAIR)
                        .channel(channel, 0)
                        .build();
        self = domain.newRcQueuePair(queue.queue(), queue.queue()).build();
        self.connect(self.endpoint(), ConnectOptions.defaults());
    }

    @AfterEach
    void close() {
        self.close();
        queue.close();
        memory.close();
        domain.close();
        channel.close();
        context.close();
    }

    private void message(long id) {
        self.post(self.newReceive().id(id).into(memory, 0, 64));
        self.post(self.newSend().id(id + 1).immediate(0x01020304).from(memory, 64, 5));
    }

    @Test
    @Holds("32")
    void theFieldsAskedForAreThere() {
        message(10);
        boolean[] seen = new boolean[2];
        Waits.until(
                "both completions",
                () -> {
                    int taken = queue.poll(completions);
                    for (int i = 0; i < taken; i++) {
                        ExtendedCompletion completion = completions.get(i);
                        completion.requireSuccess();
                        assertThat(completion.status()).isEqualTo(WorkStatus.SUCCESS);
                        assertThat(completion.queuePairNumber()).isEqualTo(self.number());
                        if (completion.wrId() == 10) {
                            assertThat(completion.opcode()).isEqualTo(WorkOpcode.RECEIVE);
                            assertThat(completion.byteLength()).isEqualTo(5);
                            assertThat(completion.hasImmediate()).isTrue();
                            assertThat(completion.immediate()).isEqualTo(0x01020304);
                            assertThat(completion.hasInvalidatedKey()).isFalse();
                            assertThat(completion.vendorError()).isZero();
                            seen[0] = true;
                        } else {
                            assertThat(completion.wrId()).isEqualTo(11);
                            assertThat(completion.opcode()).isEqualTo(WorkOpcode.SEND);
                            seen[1] = true;
                        }
                    }
                    return seen[0] && seen[1];
                });
    }

    @Test
    @Holds("32")
    void anEmptyQueueGivesNothing() {
        assertThat(queue.poll(completions)).isZero();
        assertThat(completions.size()).isZero();
        assertThatThrownBy(() -> completions.get(0)).isInstanceOf(IndexOutOfBoundsException.class);
    }

    /** The provider's own way to the next completion invents 63 of them, measured with 44. */
    @Test
    void pollingToTheEndInventsNothing() {
        for (int round = 0; round < 20; round++) {
            for (int i = 0; i < 3; i++) {
                message(2L * i);
            }
            int[] total = {0};
            Waits.until(
                    "six completions",
                    () -> {
                        total[0] += queue.poll(completions);
                        return total[0] >= 6;
                    });
            assertThat(total[0]).isEqualTo(6);
            assertThat(queue.poll(completions)).isZero();
        }
    }

    @Test
    void aPollTakesAsMuchAsThereIsRoomFor() {
        message(1);
        message(3);
        ExtendedCompletions three = ExtendedCompletions.allocate(3);
        int[] total = {0};
        Waits.until(
                "four completions",
                () -> {
                    int taken = queue.poll(three);
                    assertThat(taken).isBetween(0, 3).isEqualTo(three.size());
                    total[0] += taken;
                    return total[0] == 4;
                });
    }

    @Test
    @Holds("32")
    void aFieldThatWasNotAskedForIsRefusedInOneSentence() {
        message(1);
        Waits.until("a completion", () -> queue.poll(completions) > 0);
        ExtendedCompletion completion = completions.get(0);
        LongSupplier[] others = {
            completion::timestamp,
            completion::wallClockNanos,
            completion::flowTag,
            completion::vlan,
            completion::sourceLid,
            completion::serviceLevel,
            completion::destinationPathBits,
            completion::tag,
            completion::tagData
        };
        for (LongSupplier other : others) {
            assertThatThrownBy(other::getAsLong)
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("was not asked for when the queue was made")
                    .hasMessageContaining("Builder.fields");
        }
    }

    @Test
    void aFailureTellsNumberStatusAndQueuePair() {
        self.post(self.newReceive().id(7).into(memory, 0, 64));
        self.moveToError();
        // Some kernels look at what was posted before only when something else is posted.
        self.post(self.newReceive().id(8).into(memory, 0, 64));
        Waits.until("a completion", () -> queue.poll(completions) > 0);
        ExtendedCompletion completion = completions.get(0);
        assertThat(completion.wrId()).isEqualTo(7);
        assertThat(completion.status()).isEqualTo(WorkStatus.FLUSHED);
        assertThat(completion.queuePairNumber()).isEqualTo(self.number());
        assertThat(completion.byteLength()).isZero();
        assertThatThrownBy(completion::requireSuccess)
                .isInstanceOf(WorkCompletionException.class)
                .hasMessageContaining("" + self.number());
    }

    @Test
    void waitingArmsAndPolls() throws InterruptedException {
        assertThat(queue.await(completions, Duration.ofMillis(20))).isZero();
        message(1);
        assertThat(queue.await(completions, Waits.LIMIT)).isPositive();
    }

    @Test
    void theClassicPollWorksToo() {
        message(5);
        WorkCompletions classic = WorkCompletions.allocate(4);
        Waits.until("a completion", () -> queue.queue().poll(classic) > 0);
        WorkCompletion completion = classic.get(0);
        assertThat(completion.isSuccess()).isTrue();
        assertThat(completion.queuePairNumber()).isEqualTo(self.number());
    }

    @Test
    void closingWhileInUseNamesTheQueuePairAndAClosedQueueIsNotPolled() {
        assertThatThrownBy(queue::close)
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining(self.toString());
        ExtendedCompletionQueue other = context.newExtendedCompletionQueue(8).build();
        other.close();
        other.close();
        assertThatThrownBy(() -> other.poll(completions))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("is closed");
    }

    @ParameterizedTest
    @EnumSource(
            names = {"TIMESTAMP", "WALL_CLOCK", "VLAN", "FLOW_TAG", "TAG_MATCHING"},
            value = CompletionField.class)
    void aFieldThatSoftRoceDoesNotHaveIsUnsupported(CompletionField field) {
        assertThatThrownBy(() -> context.newExtendedCompletionQueue(8).fields(field).build())
                .isInstanceOf(UnsupportedVerbException.class)
                .hasMessageContaining("ibv_create_cq_ex")
                .hasMessageContaining(field.name())
                .hasMessageContaining("the provider " + context.provider());
    }

    @Test
    void optionsThatSoftRoceHasAndHasNot() {
        context.newExtendedCompletionQueue(8)
                .fields(
                        CompletionField.SOURCE_LID,
                        CompletionField.SERVICE_LEVEL,
                        CompletionField.DESTINATION_PATH_BITS)
                .singleThreaded()
                .build()
                .close();
        assertThatThrownBy(() -> context.newExtendedCompletionQueue(8).ignoreOverrun().build())
                .isInstanceOf(UnsupportedVerbException.class)
                .hasMessageContaining("ignoreOverrun");
    }

    @Test
    void softRoceHasNoClock() {
        assertThatThrownBy(context::clock)
                .isInstanceOf(UnsupportedVerbException.class)
                .hasMessageContaining("does not stamp completions");
    }
}
