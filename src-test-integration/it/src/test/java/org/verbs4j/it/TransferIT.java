package org.verbs4j.it;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;
import org.verbs4j.ConnectOptions;
import org.verbs4j.MemorySlice;
import org.verbs4j.ReceiveBatch;
import org.verbs4j.RemoteBuffer;
import org.verbs4j.SendBatch;
import org.verbs4j.WorkOpcode;
import org.verbs4j.WorkStatus;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.List;

/** What arrives, between two queue pairs of one device and between two devices. */
@ParameterizedClass
@EnumSource
class TransferIT {
    enum Path {
        ONE_DEVICE,
        TWO_DEVICES
    }

    @Parameter Path path;

    private RdmaPair pair;
    private RdmaPair.Side left;
    private RdmaPair.Side right;

    @BeforeEach
    void connect() {
        pair = path == Path.ONE_DEVICE ? RdmaPair.onOneDevice() : RdmaPair.onTwoDevices();
        left = pair.left;
        right = pair.right;
    }

    @AfterEach
    void close() {
        pair.close();
    }

    private static MemorySegment part(RdmaPair.Side side, long offset, long length) {
        return side.memory.segment().asSlice(offset, length);
    }

    private static void assertEqual(
            RdmaPair.Side a, long from, RdmaPair.Side b, long to, long length) {
        assertThat(part(a, from, length).mismatch(part(b, to, length))).isEqualTo(-1);
    }

    @Test
    @Holds("51")
    void aSendFillsTheReceiveAndTellsItsLength() {
        left.fill(0, 1000, 1);
        right.receive(7, 5000, 2000);
        Done sent = left.run(left.pair.newSend().id(-5).from(left.memory, 0, 1000));
        assertThat(sent.id()).isEqualTo(-5);
        assertThat(sent.status()).isEqualTo(WorkStatus.SUCCESS);
        assertThat(sent.opcode()).isEqualTo(WorkOpcode.SEND);
        assertThat(sent.pair()).isEqualTo(left.pair.number());
        Done received = right.next();
        assertThat(received.id()).isEqualTo(7);
        assertThat(received.opcode()).isEqualTo(WorkOpcode.RECEIVE);
        assertThat(received.length()).isEqualTo(1000);
        assertThat(received.hasImmediate()).isFalse();
        assertEqual(left, 0, right, 5000, 1000);
    }

    @Test
    void aMessageOfOneMebibyteArrivesWhole() {
        left.fill(0, 1 << 20, 2);
        right.receive(1, 0, 1 << 20);
        left.run(left.pair.newSend().from(left.memory, 0, 1 << 20));
        assertThat(right.next().length()).isEqualTo(1 << 20);
        assertEqual(left, 0, right, 0, 1 << 20);
    }

    @Test
    @Holds("51")
    void anImmediateArrivesInHostOrder() {
        right.receive(1, 0, 64);
        left.run(left.pair.newSend().from(left.memory, 0, 4).immediate(0x01020304));
        Done received = right.next();
        assertThat(received.hasImmediate()).isTrue();
        assertThat(received.immediate()).isEqualTo(0x01020304);

        right.receive(2, 0, 64);
        left.run(left.pair.newSend().from(left.memory, 0, 4).immediate(7).plain());
        assertThat(right.next().hasImmediate()).isFalse();
    }

    @Test
    @Holds("55")
    void anEmptyMessageArrives() {
        right.pair.post(right.pair.newReceive().id(9).empty());
        left.run(left.pair.newSend().from(left.memory, 0, 0).immediate(42));
        Done received = right.next();
        assertThat(received.length()).isZero();
        assertThat(received.immediate()).isEqualTo(42);
    }

    @Test
    @Holds("55")
    void anEmptyWriteAndAnEmptyReadSucceed() {
        RemoteBuffer there = right.memory.remote();
        Done written = left.run(left.pair.newWrite().from(left.memory, 0, 0).to(there, 0));
        assertThat(written.status()).isEqualTo(WorkStatus.SUCCESS);
        Done read = left.run(left.pair.newRead().from(there, 0).into(left.memory, 0, 0));
        assertThat(read.status()).isEqualTo(WorkStatus.SUCCESS);
        assertThat(read.length()).isZero();
    }

    @Test
    @Holds("52")
    void aWriteChangesTheOthersMemoryAndNothingElse() {
        left.fill(0, 100_000, 3);
        RemoteBuffer target = right.memory.remote();
        Done written =
                left.run(left.pair.newWrite().from(left.memory, 0, 100_000).to(target, 1_000_000));
        assertThat(written.opcode()).isEqualTo(WorkOpcode.WRITE);
        assertThat(written.status()).isEqualTo(WorkStatus.SUCCESS);
        assertEqual(left, 0, right, 1_000_000, 100_000);
        assertThat(right.memory.segment().get(ValueLayout.JAVA_BYTE, 999_999)).isZero();
        assertThat(right.memory.segment().get(ValueLayout.JAVA_BYTE, 1_100_000)).isZero();
        assertThat(right.idle()).isTrue();
    }

    @Test
    @Holds("52")
    void aWriteWithImmediateUsesUpAReceive() {
        left.fill(0, 500, 4);
        right.pair.post(right.pair.newReceive().id(3).empty());
        left.run(
                left.pair
                        .newWrite()
                        .from(left.memory, 0, 500)
                        .to(right.memory.remote(), 0)
                        .immediate(0xcafe));
        Done received = right.next();
        assertThat(received.opcode()).isEqualTo(WorkOpcode.RECEIVE_WRITE_IMMEDIATE);
        assertThat(received.immediate()).isEqualTo(0xcafe);
        assertThat(received.length()).isEqualTo(500);
        assertEqual(left, 0, right, 0, 500);
    }

    @Test
    @Holds("53")
    void aReadBringsTheOthersMemory() {
        right.fill(2000, 70_000, 5);
        Done read =
                left.run(
                        left.pair
                                .newRead()
                                .from(right.memory.remote(), 2000)
                                .into(left.memory, 10, 70_000));
        assertThat(read.opcode()).isEqualTo(WorkOpcode.READ);
        assertThat(read.length()).isEqualTo(70_000);
        assertEqual(right, 2000, left, 10, 70_000);
    }

    @Test
    @Holds("54")
    void compareAndSwapReplacesTheExpectedNumberOnlyAndBringsTheOldOne() {
        MemorySegment there = part(right, 64, 8);
        there.set(ValueLayout.JAVA_LONG, 0, 100);
        var request =
                left.pair.newCompareAndSwap().at(right.memory.remote(), 64).into(left.memory, 0);
        Done done = left.run(request.expect(100).swap(200));
        assertThat(done.opcode()).isEqualTo(WorkOpcode.COMPARE_AND_SWAP);
        assertThat(part(left, 0, 8).get(ValueLayout.JAVA_LONG, 0)).isEqualTo(100);
        assertThat(there.get(ValueLayout.JAVA_LONG, 0)).isEqualTo(200);

        left.run(request.expect(100).swap(300));
        assertThat(part(left, 0, 8).get(ValueLayout.JAVA_LONG, 0)).isEqualTo(200);
        assertThat(there.get(ValueLayout.JAVA_LONG, 0)).isEqualTo(200);
    }

    @Test
    @Holds("54")
    void fetchAndAddAddsAndBringsTheOldNumber() {
        MemorySegment there = part(right, 64, 8);
        there.set(ValueLayout.JAVA_LONG, 0, Long.MAX_VALUE);
        var request = left.pair.newFetchAndAdd().at(right.memory.remote(), 64).into(left.memory, 8);
        Done done = left.run(request.add(2));
        assertThat(done.opcode()).isEqualTo(WorkOpcode.FETCH_AND_ADD);
        assertThat(part(left, 8, 8).get(ValueLayout.JAVA_LONG, 0)).isEqualTo(Long.MAX_VALUE);
        assertThat(there.get(ValueLayout.JAVA_LONG, 0)).isEqualTo(Long.MIN_VALUE + 1);
    }

    @Test
    @Holds("58")
    void inlineDataIsFreeWhenPostReturns() {
        left.fill(0, 64, 6);
        byte[] expected = part(left, 0, 64).toArray(ValueLayout.JAVA_BYTE);
        right.receive(1, 0, 64);
        left.pair.post(left.pair.newSend().from(left.memory, 0, 64).inline(true));
        part(left, 0, 64).fill((byte) 0xff);
        left.next();
        right.next();
        assertThat(part(right, 0, 64).toArray(ValueLayout.JAVA_BYTE)).isEqualTo(expected);
    }

    @Test
    void gatheredPartsArriveAsOneMessageAndAreScatteredInOrder() {
        pair.close();
        pair =
                RdmaPair.onOneDevice(builder -> builder.maxSendSge(4).maxReceiveSge(3))
                        .connect(ConnectOptions.defaults());
        left = pair.left;
        right = pair.right;
        left.fill(0, 300, 7);
        MemorySlice empty = left.memory.slice(5, 0);
        right.pair.post(
                right.pair
                        .newReceive()
                        .into(
                                right.memory.slice(1000, 10),
                                right.memory.slice(2000, 150),
                                right.memory.slice(3000, 500)));
        left.run(
                left.pair
                        .newSend()
                        .from(
                                left.memory.slice(0, 100),
                                empty,
                                left.memory.slice(100, 199),
                                left.memory.slice(299, 1)));
        assertThat(right.next().length()).isEqualTo(300);
        assertEqual(left, 0, right, 1000, 10);
        assertEqual(left, 10, right, 2000, 150);
        assertEqual(left, 160, right, 3000, 140);
    }

    @Test
    @Holds("57")
    void anUnsignaledRequestLeavesNoCompletion() {
        left.pair.post(
                left.pair
                        .newWrite()
                        .id(1)
                        .from(left.memory, 0, 8)
                        .to(right.memory.remote(), 0)
                        .signaled(false));
        Done done =
                left.run(
                        left.pair
                                .newWrite()
                                .id(2)
                                .from(left.memory, 0, 8)
                                .to(right.memory.remote(), 8));
        assertThat(done.id()).isEqualTo(2);
        assertThat(left.idle()).isTrue();
    }

    @Test
    @Holds("56")
    void aFencedSendComesAfterTheReadBeforeIt() {
        right.fill(0, 50_000, 8);
        right.receive(1, 100_000, 50_000);
        left.pair.post(
                left.pair
                        .newRead()
                        .from(right.memory.remote(), 0)
                        .into(left.memory, 0, 50_000)
                        .signaled(false));
        left.run(left.pair.newSend().from(left.memory, 0, 50_000).fenced(true));
        right.next();
        assertEqual(right, 0, right, 100_000, 50_000);
    }

    @Test
    void aBatchIsCarriedOutInOrder() {
        left.fill(0, 400, 9);
        ReceiveBatch receives = right.pair.newReceiveBatch(4);
        SendBatch sends = left.pair.newSendBatch(4);
        for (int i = 0; i < 4; i++) {
            receives.add(right.pair.newReceive().id(100 + i).into(right.memory, i * 100L, 100));
            sends.add(left.pair.newSend().id(i).from(left.memory, i * 100L, 100).immediate(i));
        }
        right.pair.post(receives);
        left.pair.post(sends);
        assertThat(left.next(4)).extracting(Done::id).containsExactly(0L, 1L, 2L, 3L);
        List<Done> received = right.next(4);
        assertThat(received).extracting(Done::id).containsExactly(100L, 101L, 102L, 103L);
        assertThat(received).extracting(Done::immediate).containsExactly(0, 1, 2, 3);
        assertEqual(left, 0, right, 0, 400);
    }

    @Test
    void aRequestIsChangedAndPostedAgain() {
        var write = left.pair.newWrite().from(left.memory, 0, 8);
        for (int i = 0; i < 100; i++) {
            left.memory.segment().set(ValueLayout.JAVA_LONG, 0, i);
            assertThat(left.run(write.id(i).to(right.memory.remote(), i * 8L)).id()).isEqualTo(i);
        }
        for (int i = 0; i < 100; i++) {
            assertThat(right.memory.segment().getAtIndex(ValueLayout.JAVA_LONG, i)).isEqualTo(i);
        }
    }
}
