package org.verbs4j.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.verbs4j.Access;
import org.verbs4j.ConnectOptions;
import org.verbs4j.ExtendedSender;
import org.verbs4j.MemoryRegion;
import org.verbs4j.MemoryWindow;
import org.verbs4j.PostException;
import org.verbs4j.ProtectionDomain;
import org.verbs4j.RcQueuePair;
import org.verbs4j.RemoteBuffer;
import org.verbs4j.SendOperation;
import org.verbs4j.UnsupportedVerbException;
import org.verbs4j.WorkOpcode;
import org.verbs4j.WorkStatus;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.charset.StandardCharsets;
import java.util.List;

/** The {@code ibv_wr_*} functions on reliable connected queue pairs. */
class ExtendedSendIT {
    private static final SendOperation[] OF_RC = {
        SendOperation.SEND,
        SendOperation.SEND_WITH_IMMEDIATE,
        SendOperation.SEND_AND_INVALIDATE,
        SendOperation.WRITE,
        SendOperation.WRITE_WITH_IMMEDIATE,
        SendOperation.READ,
        SendOperation.COMPARE_AND_SWAP,
        SendOperation.FETCH_AND_ADD,
        SendOperation.BIND_WINDOW,
        SendOperation.LOCAL_INVALIDATE
    };

    private RdmaPair pair;
    private RdmaPair.Side left;
    private RdmaPair.Side right;
    private ExtendedSender sender;

    @BeforeEach
    void open() {
        pair =
                RdmaPair.onOneDevice(
                                builder ->
                                        builder.extendedSends(OF_RC)
                                                .maxSendSge(3)
                                                .maxSendRequests(16))
                        .connect(ConnectOptions.defaults());
        left = pair.left;
        right = pair.right;
        sender = left.pair.newExtendedSender();
    }

    @AfterEach
    void close() {
        pair.close();
    }

    private static MemorySegment text(Arena arena, String text) {
        return arena.allocateFrom(text, StandardCharsets.US_ASCII);
    }

    private String rightText(long offset) {
        return right.memory.segment().getString(offset, StandardCharsets.US_ASCII);
    }

    @Test
    void aSendArrives() {
        left.memory.segment().setString(0, "hello", StandardCharsets.US_ASCII);
        right.receive(1, 100, 64);
        sender.send().id(2).part(left.memory, 0, 6);
        sender.post();
        assertThat(sender.size()).isZero();
        assertThat(left.next())
                .extracting(Done::id, Done::opcode)
                .containsExactly(2L, WorkOpcode.SEND);
        Done received = right.next();
        assertThat(received.id()).isEqualTo(1);
        assertThat(received.length()).isEqualTo(6);
        assertThat(rightText(100)).isEqualTo("hello");
    }

    @Test
    void anImmediateNumberArrivesInHostOrder() {
        right.receive(1, 100, 64);
        sender.sendWithImmediate(0x01020304);
        sender.post();
        assertThat(left.next().status()).isEqualTo(WorkStatus.SUCCESS);
        Done received = right.next();
        assertThat(received.hasImmediate()).isTrue();
        assertThat(received.immediate()).isEqualTo(0x01020304);
        assertThat(received.length()).isZero();
    }

    @Test
    void aBatchIsPostedInOrderAndOnlySignaledRequestsComplete() {
        left.fill(0, 300, 7);
        RemoteBuffer target = right.memory.remote();
        sender.write(target).id(1).signaled(false).part(left.memory, 0, 100);
        sender.write(target.slice(100, 100)).id(2).signaled(false).part(left.memory, 100, 100);
        sender.write(target.slice(200, 100)).id(3).part(left.memory, 200, 100);
        assertThat(sender.size()).isEqualTo(3);
        sender.post();
        Done done = left.next();
        assertThat(done.id()).isEqualTo(3);
        assertThat(done.opcode()).isEqualTo(WorkOpcode.WRITE);
        assertThat(left.idle()).isTrue();
        assertThat(
                        right.memory
                                .segment()
                                .asSlice(0, 300)
                                .mismatch(left.memory.segment().asSlice(0, 300)))
                .isEqualTo(-1);
    }

    @Test
    void aWriteWithImmediateUsesUpAReceive() {
        right.receive(9, 4096, 64);
        left.memory.segment().setString(0, "with", StandardCharsets.US_ASCII);
        sender.writeWithImmediate(right.memory.remote(0, 64), -7).part(left.memory, 0, 5);
        sender.post();
        assertThat(left.next().status()).isEqualTo(WorkStatus.SUCCESS);
        Done received = right.next();
        assertThat(received.opcode()).isEqualTo(WorkOpcode.RECEIVE_WRITE_IMMEDIATE);
        assertThat(received.immediate()).isEqualTo(-7);
        assertThat(rightText(0)).isEqualTo("with");
    }

    @Test
    void aReadFetches() {
        right.memory.segment().setString(0, "theirs", StandardCharsets.US_ASCII);
        sender.read(right.memory.remote(0, 64)).fenced(true).part(left.memory, 512, 7);
        sender.post();
        assertThat(left.next().opcode()).isEqualTo(WorkOpcode.READ);
        assertThat(left.memory.segment().getString(512, StandardCharsets.US_ASCII))
                .isEqualTo("theirs");
    }

    @Test
    void atomicsGiveTheOldValue() {
        right.memory.segment().set(ValueLayout.JAVA_LONG, 0, 40);
        RemoteBuffer word = right.memory.remote(0, 8);
        sender.fetchAndAdd(word, 2).part(left.memory, 0, 8);
        sender.post();
        assertThat(left.next().opcode()).isEqualTo(WorkOpcode.FETCH_AND_ADD);
        assertThat(left.memory.segment().get(ValueLayout.JAVA_LONG, 0)).isEqualTo(40);
        sender.compareAndSwap(word, 42, 1000).part(left.memory, 8, 8);
        sender.post();
        assertThat(left.next().opcode()).isEqualTo(WorkOpcode.COMPARE_AND_SWAP);
        assertThat(left.memory.segment().get(ValueLayout.JAVA_LONG, 8)).isEqualTo(42);
        assertThat(right.memory.segment().get(ValueLayout.JAVA_LONG, 0)).isEqualTo(1000);
    }

    @Test
    @Holds("69")
    void anUnalignedAtomicIsRefusedByThePeer() {
        sender.fetchAndAdd(right.memory.remote(4, 8), 2).part(left.memory, 0, 8);
        sender.post();
        assertThat(left.next().status()).isEqualTo(WorkStatus.REMOTE_INVALID_REQUEST);
    }

    /** The provider needs the flag, and sends nothing of a list. */
    @Test
    void inlineDataIsCopiedAtOnceAndMayBeSeveralBuffers() {
        right.receive(1, 0, 64);
        right.receive(2, 64, 64);
        try (Arena arena = Arena.ofConfined()) {
            sender.send().inline(text(arena, "one"));
            sender.send()
                    .inline(text(arena, "several").asSlice(0, 7))
                    .inline(text(arena, " buffers"));
        }
        sender.post();
        left.next(2).forEach(done -> assertThat(done.status()).isEqualTo(WorkStatus.SUCCESS));
        List<Done> received = right.next(2);
        assertThat(received).extracting(Done::length).containsExactly(4L, 16L);
        assertThat(rightText(0)).isEqualTo("one");
        assertThat(rightText(64)).isEqualTo("several buffers");
    }

    @Test
    @Holds("48")
    void inlineDataThatIsTooLongIsRefused() {
        int most = left.pair.maxInlineData();
        assertThatThrownBy(() -> sender.send().inline(MemorySegment.ofArray(new byte[most + 1])))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("exceed the " + most)
                .hasMessageContaining("maxInlineData");
    }

    @Test
    void softRoceGetsNoListOfSeveralParts() {
        var request = sender.write(right.memory.remote()).part(left.memory, 0, 10);
        assertThatThrownBy(() -> request.part(left.memory, 10, 20))
                .isInstanceOf(UnsupportedVerbException.class)
                .hasMessageContaining("ibv_wr_set_sge_list")
                .hasMessageContaining("rxe");
    }

    @Test
    void partsAndInlineDataExcludeEachOther() {
        assertThatThrownBy(
                        () ->
                                sender.send()
                                        .part(left.memory, 0, 8)
                                        .inline(MemorySegment.ofArray(new byte[1])))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("has parts");
        assertThatThrownBy(
                        () ->
                                sender.send()
                                        .inline(MemorySegment.ofArray(new byte[1]))
                                        .part(left.memory, 0, 8))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("has inline data");
        assertThatThrownBy(() -> sender.invalidate(1).part(left.memory, 0, 8))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("LOCAL_INVALIDATE has no data");
    }

    @Test
    void aWindowIsBoundWrittenThroughAndInvalidated() {
        try (MemoryRegion region =
                        left.domain.allocate(4096, Access.LOCAL_WRITE, Access.MEMORY_WINDOW_BIND);
                MemoryWindow window = left.domain.newMemoryWindow(MemoryWindow.Type.TYPE_2)) {
            int key = MemoryWindow.nextKey(window.rkey());
            sender.bindWindow(window, key, region.slice(0, 64), Access.REMOTE_WRITE).id(1);
            sender.post();
            assertThat(left.next())
                    .extracting(Done::opcode, Done::status)
                    .containsExactly(WorkOpcode.BIND_WINDOW, WorkStatus.SUCCESS);

            RemoteBuffer open = new RemoteBuffer(region.address(), 64, key);
            right.memory.segment().setString(0, "through", StandardCharsets.US_ASCII);
            ExtendedSender peer = right.pair.newExtendedSender();
            peer.write(open).part(right.memory, 0, 8);
            peer.post();
            assertThat(right.next().status()).isEqualTo(WorkStatus.SUCCESS);
            assertThat(region.segment().getString(0, StandardCharsets.US_ASCII))
                    .isEqualTo("through");

            sender.invalidate(key);
            sender.post();
            assertThat(left.next().opcode()).isEqualTo(WorkOpcode.LOCAL_INVALIDATE);
            peer.write(open).part(right.memory, 0, 8);
            peer.post();
            assertThat(right.next().status()).isEqualTo(WorkStatus.REMOTE_ACCESS_ERROR);
        }
    }

    @Test
    void whatWasNotAskedForIsRefusedInOneSentence() {
        assertThatThrownBy(() -> sender.segmentedSend(MemorySegment.ofArray(new byte[14]), 1000))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("was not made for SEGMENTED_SEND");
        RcQueuePair classic = left.domain.newRcQueuePair(left.queue, left.queue).build();
        assertThatThrownBy(classic::newExtendedSender)
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("extendedSends");
        classic.close();
    }

    @Test
    void segmentedSendsAreUnsupportedOnReliableConnections() {
        assertThatThrownBy(
                        () ->
                                left.domain
                                        .newRcQueuePair(left.queue, left.queue)
                                        .extendedSends(SendOperation.SEGMENTED_SEND)
                                        .build())
                .isInstanceOf(UnsupportedVerbException.class)
                .hasMessageContaining("ibv_create_qp_ex")
                .hasMessageContaining("SEGMENTED_SEND");
    }

    @Test
    void aFullQueueTakesNothingAndTheRequestsStay() {
        int most = left.pair.maxSendRequests();
        RemoteBuffer target = right.memory.remote();
        for (int i = 0; i < most + 1; i++) {
            sender.write(target).id(i).part(left.memory, 0, 8);
        }
        assertThat(sender.offer()).isFalse();
        assertThat(sender.size()).isEqualTo(most + 1);
        assertThatThrownBy(sender::post)
                .isInstanceOfSatisfying(
                        PostException.class, e -> assertThat(e.acceptedCount()).isZero())
                .hasMessageContaining("is full with " + most);
        sender.clear();
        sender.write(target).id(99).part(left.memory, 0, 8);
        assertThat(sender.offer()).isTrue();
        assertThat(left.next().id()).isEqualTo(99);
        assertThat(left.idle()).isTrue();
    }

    @Test
    void nothingIsPostedBeforeTheQueuePairIsReadyOrAfterItIsClosed() {
        RcQueuePair fresh =
                left.domain
                        .newRcQueuePair(left.queue, left.queue)
                        .extendedSends(SendOperation.SEND)
                        .build();
        ExtendedSender early = fresh.newExtendedSender();
        early.send();
        assertThatThrownBy(early::post)
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("it can send from READY_TO_SEND on");
        fresh.close();
        assertThatThrownBy(early::post)
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("is closed");
    }

    @Test
    void aRegionThatIsClosedOrOfAnotherDomainIsRefused() {
        MemoryRegion gone = left.domain.allocate(64);
        sender.write(right.memory.remote()).part(gone, 0, 8);
        gone.close();
        assertThatThrownBy(sender::post)
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("is closed");
        sender.clear();
        try (ProtectionDomain other = left.context.newProtectionDomain();
                MemoryRegion foreign = other.allocate(64)) {
            assertThatThrownBy(() -> sender.send().part(foreign, 0, 8))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("another protection domain");
        }
    }

    @Test
    void classicAndExtendedPostsMix() {
        left.pair.post(
                left.pair.newWrite().id(1).from(left.memory, 0, 8).to(right.memory.remote(), 0));
        sender.write(right.memory.remote()).id(2).part(left.memory, 0, 8);
        sender.post();
        left.pair.post(
                left.pair.newWrite().id(3).from(left.memory, 0, 8).to(right.memory.remote(), 0));
        assertThat(left.next(3)).extracting(Done::id).containsExactly(1L, 2L, 3L);
    }
}
