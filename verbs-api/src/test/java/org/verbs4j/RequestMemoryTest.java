package org.verbs4j;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.verbs4j.FakeDevice.Part;
import org.verbs4j.FakeDevice.Posted;
import org.verbs4j.bindings.Posix;
import org.verbs4j.bindings.Verbs;
import org.verbs4j.bindings.ibv_send_wr;

import java.lang.foreign.MemorySegment;
import java.nio.ByteOrder;

/** What a provider finds in the memory of a request, read through the generated layouts. */
class RequestMemoryTest {
    private final FakeDevice fake = new FakeDevice();
    private final RcQueuePair pair = fake.pair;
    private final MemoryRegion region = fake.region(8192);

    private Posted post(SendRequest request) {
        pair.post(request);
        return fake.posted.getLast();
    }

    private static int network(int value) {
        return ByteOrder.nativeOrder() == ByteOrder.BIG_ENDIAN
                ? value
                : Integer.reverseBytes(value);
    }

    @Test
    void aSendHasItsNumberFlagsAndPart() {
        Posted seen = post(pair.newSend().id(-7).from(region, 100, 50));
        assertThat(seen.id()).isEqualTo(-7);
        assertThat(seen.opcode()).isEqualTo(Verbs.IBV_WR_SEND());
        assertThat(seen.flags()).isEqualTo(Verbs.IBV_SEND_SIGNALED());
        assertThat(seen.parts())
                .containsExactly(new Part(region.address() + 100, 50, region.lkey()));
        assertThat(ibv_send_wr.next(seen.raw()).address()).isZero();
    }

    @Test
    void flagsAreSetAndTakenBackOneByOne() {
        Send send = pair.newSend().from(region, 0, 8);
        assertThat(post(send.fenced(true).solicited(true).inline(true)).flags())
                .isEqualTo(
                        Verbs.IBV_SEND_SIGNALED()
                                | Verbs.IBV_SEND_FENCE()
                                | Verbs.IBV_SEND_SOLICITED()
                                | Verbs.IBV_SEND_INLINE());
        assertThat(post(send.signaled(false).solicited(false).inline(false)).flags())
                .isEqualTo(Verbs.IBV_SEND_FENCE());
    }

    @Test
    void anImmediateIsBigEndianAndCanBeTakenBack() {
        Write write = pair.newWrite().from(region, 0, 8).to(1, 2).immediate(0x01020304);
        Posted seen = post(write);
        assertThat(seen.opcode()).isEqualTo(Verbs.IBV_WR_RDMA_WRITE_WITH_IMM());
        assertThat(ibv_send_wr.imm_data(seen.raw())).isEqualTo(network(0x01020304));
        assertThat(post(write.plain()).opcode()).isEqualTo(Verbs.IBV_WR_RDMA_WRITE());
    }

    @Test
    void writesAndReadsHaveTheRemoteAddressAndKey() {
        RemoteBuffer remote = new RemoteBuffer(0x7000_0000_0000L, 4096, 0xdeadbeef);
        for (SendRequest request :
                new SendRequest[] {
                    pair.newWrite().from(region, 0, 8).to(remote, 16),
                    pair.newRead().into(region, 0, 8).from(remote, 16)
                }) {
            MemorySegment rdma = ibv_send_wr.wr.rdma(ibv_send_wr.wr(post(request).raw()));
            assertThat(ibv_send_wr.wr.rdma.remote_addr(rdma)).isEqualTo(remote.address() + 16);
            assertThat(ibv_send_wr.wr.rdma.rkey(rdma)).isEqualTo(0xdeadbeef);
        }
    }

    @Test
    void atomicsHaveTheirNumbersInHostOrder() {
        RemoteBuffer remote = new RemoteBuffer(0x7000_0000_0000L, 4096, 5);
        Posted swap =
                post(pair.newCompareAndSwap().at(remote, 8).expect(-1).swap(2).into(region, 16));
        MemorySegment atomic = ibv_send_wr.wr.atomic(ibv_send_wr.wr(swap.raw()));
        assertThat(swap.opcode()).isEqualTo(Verbs.IBV_WR_ATOMIC_CMP_AND_SWP());
        assertThat(ibv_send_wr.wr.atomic.remote_addr(atomic)).isEqualTo(remote.address() + 8);
        assertThat(ibv_send_wr.wr.atomic.compare_add(atomic)).isEqualTo(-1);
        assertThat(ibv_send_wr.wr.atomic.swap(atomic)).isEqualTo(2);
        assertThat(ibv_send_wr.wr.atomic.rkey(atomic)).isEqualTo(5);
        assertThat(swap.parts()).containsExactly(new Part(region.address() + 16, 8, region.lkey()));

        Posted add = post(pair.newFetchAndAdd().at(remote, 0).add(-3).into(region, 0));
        assertThat(add.opcode()).isEqualTo(Verbs.IBV_WR_ATOMIC_FETCH_AND_ADD());
        assertThat(
                        ibv_send_wr.wr.atomic.compare_add(
                                ibv_send_wr.wr.atomic(ibv_send_wr.wr(add.raw()))))
                .isEqualTo(-3);
    }

    @Test
    void emptyPartsDoNotCountAndAnEmptyMessageHasNone() {
        Posted seen =
                post(
                        pair.newSend()
                                .from(region.slice(0, 5), region.slice(9, 0), region.slice(20, 7)));
        assertThat(seen.parts()).extracting(Part::length).containsExactly(5, 7);
        assertThat(post(pair.newSend().from(region, 0, 0)).count()).isZero();
        assertThat(post(pair.newSend()).count()).isZero();
    }

    @Test
    void aLengthOfThirtyTwoBitsIsKeptAndALongerOneRefused() {
        MemoryRegion large = fake.imaginary(1L << 40, 1L << 34);
        Posted seen = post(pair.newSend().from(large, 1L << 33, FakeDevice.MAX_MESSAGE));
        assertThat(seen.parts())
                .containsExactly(new Part((1L << 40) + (1L << 33), 1 << 31, large.lkey()));
        assertThatThrownBy(() -> pair.newSend().from(large, 0, FakeDevice.MAX_MESSAGE + 1))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("split it");
        assertThatThrownBy(() -> pair.newReceive().into(large, 0, 1L << 32))
                .isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(
                        () ->
                                pair.newSend()
                                        .from(
                                                large.slice(0, 1L << 30),
                                                large.slice(0, (1L << 30) + 1)))
                .isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void receivesHaveTheirNumberAndParts() {
        pair.post(pair.newReceive().id(4).into(region.slice(0, 10), region.slice(100, 20)));
        assertThat(fake.posted.getLast().id()).isEqualTo(4);
        assertThat(fake.posted.getLast().parts())
                .containsExactly(
                        new Part(region.address(), 10, region.lkey()),
                        new Part(region.address() + 100, 20, region.lkey()));
    }

    @Test
    void aBatchIsOneListInOrderAndComesApartAgain() {
        Send[] sends = new Send[3];
        SendBatch batch = pair.newSendBatch(3);
        for (int i = 0; i < 3; i++) {
            sends[i] = pair.newSend().id(i);
            batch.add(sends[i]);
        }
        pair.post(batch);
        assertThat(fake.posted).extracting(Posted::id).containsExactly(0L, 1L, 2L);
        batch.clear();
        pair.post(sends[0]);
        assertThat(fake.posted).hasSize(4);
        batch.add(sends[2]).add(sends[0]);
        pair.post(batch);
        assertThat(fake.posted).extracting(Posted::id).containsExactly(0L, 1L, 2L, 0L, 2L, 0L);
    }

    @Test
    void aFullQueueIsAnAnswerForOfferAndAnExceptionForPost() {
        fake.failAt = 1;
        fake.errno = Posix.ENOMEM();
        Send send = pair.newSend();
        assertThat(pair.offer(send)).isTrue();
        assertThat(pair.offer(send)).isFalse();
        assertThatThrownBy(() -> pair.post(send))
                .isInstanceOf(PostException.class)
                .hasMessageContaining("is full with 128 requests");
        fake.failAt = -1;
        assertThat(pair.offer(send)).isTrue();
    }

    @Test
    void aBatchThatIsAcceptedInPartTellsWhere() {
        fake.failAt = 2;
        fake.errno = Posix.ENOMEM();
        SendBatch batch =
                pair.newSendBatch(3).add(pair.newSend()).add(pair.newSend()).add(pair.newSend());
        assertThat(pair.offer(batch)).isEqualTo(2);
        fake.failAt = 3;
        assertThatThrownBy(() -> pair.post(batch))
                .isInstanceOfSatisfying(
                        PostException.class, e -> assertThat(e.acceptedCount()).isEqualTo(1))
                .hasMessageContaining("1 of 3 requests were accepted");
    }

    @Test
    void aProviderThatDoesNotSayWhichRequestItWasIsNotBelieved() {
        fake.failAt = 0;
        fake.errno = Posix.ENOMEM();
        pair.offer(pair.newSend());
        fake.namesTheBadOne = false;
        assertThatThrownBy(() -> pair.offer(pair.newSend()))
                .isInstanceOfSatisfying(
                        PostException.class, e -> assertThat(e.acceptedCount()).isEqualTo(-1))
                .hasMessageContaining("reset the queue pair");
    }

    @Test
    void aSendQueueFullOfUnsignaledRequestsSaysThatItStaysFull() {
        fake.failAt = 0;
        fake.errno = Posix.ENOMEM();
        Send silent = pair.newSend().signaled(false);
        String never = "it stays full for ever, so signal one request in every 64";
        assertThatThrownBy(() -> pair.post(silent))
                .isInstanceOf(PostException.class)
                .hasMessageContaining("is full with 128 requests")
                .hasMessageContaining(never);
        assertThatThrownBy(() -> pair.post(pair.newSendBatch(1).add(pair.newSend())))
                .isInstanceOf(PostException.class)
                .hasMessageNotContaining("for ever");
        assertThatThrownBy(
                        () -> pair.post(pair.newSendBatch(1).add(pair.newSend().signaled(false))))
                .isInstanceOf(PostException.class)
                .hasMessageContaining(never);
    }

    @Test
    void aQueuePairInResetTakesNothing() {
        RcQueuePair fresh = fake.newPair();
        assertThatThrownBy(() -> fresh.post(fresh.newSend()))
                .isInstanceOf(IllegalStateException.class)
                .hasMessage(
                        "queue pair 17 on fake0 is in RESET: it can send from READY_TO_SEND on");
        assertThatThrownBy(() -> fresh.post(fresh.newReceive()))
                .isInstanceOf(IllegalStateException.class)
                .hasMessage("queue pair 17 on fake0 is in RESET: it can receive from INIT on");
        assertThat(fake.posted).isEmpty();
    }

    @Test
    void completionsAreReadWhereTheProviderWrote() {
        WorkCompletions completions = WorkCompletions.allocate(2);
        fake.pollResult = 3;
        assertThat(fake.queue.poll(completions)).isEqualTo(2);
        WorkCompletion first = completions.get(0);
        assertThat(first.wrId()).isEqualTo(1000);
        assertThat(first.isSuccess()).isTrue();
        assertThat(first.opcode()).isEqualTo(WorkOpcode.RECEIVE);
        assertThat(first.byteLength()).isEqualTo(0xffff_ffffL);
        assertThat(first.hasImmediate()).isTrue();
        assertThat(first.immediate()).isEqualTo(0x01020304);
        assertThat(first.queuePairNumber()).isEqualTo(17);
        assertThat(first.sourceQueuePairNumber()).isEqualTo(99);
        assertThat(first.hasGlobalRoutingHeader()).isFalse();
        first.requireSuccess();
        assertThatThrownBy(() -> completions.get(1).requireSuccess())
                .isInstanceOf(WorkCompletionException.class)
                .hasMessageStartingWith(
                        "request 1001 on queue pair 17 failed with RETRY_EXCEEDED (status 12,"
                                + " vendor error 0x81): ");
        assertThatThrownBy(() -> completions.get(2)).isInstanceOf(IndexOutOfBoundsException.class);
        assertThat(fake.queue.poll(completions)).isEqualTo(1);
        assertThat(fake.queue.poll(completions)).isZero();
        assertThat(completions.size()).isZero();
    }

    @Test
    void aBrokenQueueIsAnException() {
        WorkCompletions completions = WorkCompletions.allocate(2);
        fake.pollResult = -Posix.EINVAL();
        assertThatThrownBy(() -> fake.queue.poll(completions))
                .isInstanceOf(VerbsException.class)
                .hasMessageContaining("ibv_poll_cq");
        assertThat(completions.size()).isZero();
    }
}
