package org.verbs4j.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.verbs4j.Access;
import org.verbs4j.CompletionQueue;
import org.verbs4j.ConnectOptions;
import org.verbs4j.MemoryRegion;
import org.verbs4j.PostException;
import org.verbs4j.ReceiveBatch;
import org.verbs4j.ReceiveRequest;
import org.verbs4j.RemoteBuffer;
import org.verbs4j.Send;
import org.verbs4j.SendBatch;
import org.verbs4j.VerbsException;
import org.verbs4j.Write;
import org.verbs4j.bindings.Posix;
import org.verbs4j.bindings.ibv_recv_wr;
import org.verbs4j.bindings.ibv_send_wr;

import java.util.Arrays;

/** What is refused when it is filled in or posted, and what is said then. */
class PostingIT {
    private static final int REQUESTS = 4;

    private RdmaPair pair;
    private RdmaPair.Side left;
    private RdmaPair.Side right;

    @BeforeEach
    void open() {
        pair =
                RdmaPair.onOneDevice(
                        builder -> builder.maxSendRequests(REQUESTS).maxReceiveRequests(REQUESTS));
        left = pair.left;
        right = pair.right;
    }

    @AfterEach
    void close() {
        pair.close();
    }

    private void connect() {
        pair.connect(ConnectOptions.defaults());
    }

    @Test
    @Holds({"43", "45"})
    void aSendBeforeReadyToSendIsRefusedAndNeverSent() {
        Send send = left.pair.newSend().id(1).from(left.memory, 0, 8);
        assertThatThrownBy(() -> left.pair.post(send))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("is in INIT: it can send from READY_TO_SEND on");
        right.pair.moveToReadyToReceive(left.pair.endpoint(), ConnectOptions.defaults());
        assertThatThrownBy(() -> right.pair.post(right.pair.newSend().from(right.memory, 0, 8)))
                .isInstanceOf(IllegalStateException.class);
        right.pair.moveToReadyToSend(ConnectOptions.defaults());
        left.pair.connect(right.pair.endpoint());

        right.receive(7, 0, 64);
        assertThat(left.run(left.pair.newSend().id(2).from(left.memory, 0, 8)).id()).isEqualTo(2);
        right.next();
        assertThat(left.idle()).isTrue();
    }

    @Test
    @Holds("44")
    void aReceiveInResetIsRefused() {
        left.pair.reset();
        assertThatThrownBy(() -> left.receive(1, 0, 8))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("is in RESET: it can receive from INIT on");
    }

    @Test
    @Holds({"45", "46"})
    void aFullReceiveQueueMakesOfferAnswerAndPostThrow() {
        ReceiveRequest receive = right.pair.newReceive().into(right.memory, 0, 8);
        int accepted = 0;
        while (right.pair.offer(receive)) {
            accepted++;
        }
        assertThat(accepted).isEqualTo(right.pair.maxReceiveRequests());
        assertThatThrownBy(() -> right.pair.post(receive))
                .isInstanceOfSatisfying(
                        PostException.class,
                        e -> {
                            assertThat(e.acceptedCount()).isZero();
                            assertThat(e.errno()).isEqualTo(Posix.ENOMEM());
                            assertThat(e.verb()).isEqualTo("ibv_post_recv");
                        })
                .hasMessageContaining("is full with " + accepted + " requests");
    }

    @Test
    void aQueuePairWithoutACompletionQueueIsRefused() {
        assertThatThrownBy(() -> left.domain.newRcQueuePair(none(), left.queue))
                .isInstanceOf(NullPointerException.class)
                .hasMessageContaining("sendQueue");
        assertThatThrownBy(() -> left.domain.newUdQueuePair(left.queue, none()))
                .isInstanceOf(NullPointerException.class)
                .hasMessageContaining("receiveQueue");
    }

    /** What C would crash on. */
    @SuppressWarnings("NullAway") // on purpose
    private static CompletionQueue none() {
        return null;
    }

    @Test
    void aBatchThatDoesNotFitTellsHowManyWereAccepted() {
        int most = right.pair.maxReceiveRequests();
        right.receive(1, 0, 8);
        right.receive(2, 0, 8);
        ReceiveBatch batch = right.pair.newReceiveBatch(most);
        for (int i = 0; i < most; i++) {
            batch.add(right.pair.newReceive().id(i).into(right.memory, 0, 8));
        }
        assertThat(right.pair.offer(batch)).isEqualTo(most - 2);
        assertThatThrownBy(() -> right.pair.post(batch))
                .isInstanceOfSatisfying(
                        PostException.class, e -> assertThat(e.acceptedCount()).isZero());
    }

    @Test
    @Holds("49")
    void aBatchWithAWrongRequestIsUnderWayUpToIt() {
        connect();
        Write wrong =
                left.pair
                        .newWrite()
                        .id(1)
                        .from(left.memory, 0, 1000)
                        .to(right.memory.remote(), 0)
                        .inline(true);
        SendBatch batch =
                left.pair
                        .newSendBatch(3)
                        .add(
                                left.pair
                                        .newWrite()
                                        .id(0)
                                        .from(left.memory, 0, 8)
                                        .to(right.memory.remote(), 0))
                        .add(wrong)
                        .add(
                                left.pair
                                        .newWrite()
                                        .id(2)
                                        .from(left.memory, 0, 8)
                                        .to(right.memory.remote(), 0));
        assertThatThrownBy(() -> left.pair.post(batch))
                .isInstanceOfSatisfying(
                        PostException.class, e -> assertThat(e.acceptedCount()).isEqualTo(1))
                .hasMessageContaining("Write request 1 of 1000 bytes");
        assertThat(left.next().id()).isZero();
        assertThat(left.idle()).isTrue();
    }

    @Test
    @Holds("48")
    void inlineDataBeyondTheLimitIsRefusedWithTheLimit() {
        connect();
        int limit = left.pair.maxInlineData();
        Send send = left.pair.newSend().from(left.memory, 0, limit + 1).inline(true);
        assertThatThrownBy(() -> left.pair.post(send))
                .isInstanceOf(PostException.class)
                .hasMessageContaining("can up to " + limit + " bytes");
        assertThatThrownBy(() -> left.pair.offer(send)).isInstanceOf(PostException.class);
    }

    @Test
    @Holds("47")
    void tooManyPartsAreRefusedWithTheLimit() {
        assertThatThrownBy(
                        () ->
                                left.pair
                                        .newSend()
                                        .from(parts(left.memory, left.pair.maxSendSge() + 1)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("maxSendSge");
        assertThatThrownBy(
                        () ->
                                left.pair
                                        .newReceive()
                                        .into(parts(left.memory, left.pair.maxReceiveSge() + 1)))
                .isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    @Holds("47")
    void morePartsThanTheQueuePairHasAreInvalid() {
        connect();
        Send send = left.pair.newSend().from(left.memory, 0, 8);
        ibv_send_wr.num_sge(send.handle(), left.pair.maxSendSge() + 100);
        invalid(() -> left.pair.post(send));
        ReceiveRequest receive = left.pair.newReceive().into(left.memory, 0, 8);
        ibv_recv_wr.num_sge(receive.handle(), left.pair.maxReceiveSge() + 100);
        invalid(() -> left.pair.post(receive));
    }

    private static void invalid(ThrowingCallable post) {
        assertThatThrownBy(post)
                .isInstanceOfSatisfying(
                        PostException.class, e -> assertThat(e.errno()).isEqualTo(Posix.EINVAL()));
    }

    @Test
    @Holds("46")
    void aFullSendQueueRefusesAtTheCapacityThatTheDeviceTells() {
        connect();
        right.pair.close();
        Send send = left.pair.newSend().from(left.memory, 0, 8);
        int accepted = 0;
        while (left.pair.offer(send)) {
            accepted++;
        }
        assertThat(accepted).isEqualTo(left.pair.maxSendRequests());
        assertThatThrownBy(() -> left.pair.post(send))
                .isInstanceOfSatisfying(
                        PostException.class, e -> assertThat(e.errno()).isEqualTo(Posix.ENOMEM()));
    }

    private static org.verbs4j.MemorySlice[] parts(MemoryRegion region, int count) {
        org.verbs4j.MemorySlice[] parts = new org.verbs4j.MemorySlice[count];
        Arrays.fill(parts, region.slice(0, 1));
        return parts;
    }

    @Test
    void aMessageBeyondThePortsMaximumIsRefusedWithTheMaximum() {
        long most = left.pair.maxMessageSize();
        try (MemoryRegion large = left.domain.allocate(most + 1, Access.LOCAL_WRITE)) {
            assertThatThrownBy(() -> left.pair.newSend().from(large, 0, most + 1))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("maximum of " + most + " bytes");
            left.pair.newSend().from(large, 0, most);
        } catch (VerbsException e) {
            org.junit.jupiter.api.Assumptions.abort(
                    "no memory for " + most + " bytes: " + e.getMessage());
        }
    }

    @Test
    void partsOutsideOfTheirRegionAreRefused() {
        assertThatThrownBy(() -> left.pair.newSend().from(left.memory, RdmaPair.MEMORY - 8, 9))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("outside of the memory region");
        RemoteBuffer remote = right.memory.remote(0, 64);
        assertThatThrownBy(() -> left.pair.newWrite().to(remote, 65))
                .isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> left.pair.newFetchAndAdd().at(remote, 4))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("not aligned to 8 bytes");
        assertThatThrownBy(() -> left.pair.newFetchAndAdd().at(remote, 64))
                .isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void aRequestIsPostedWhereItWasMade() {
        connect();
        Send foreign = right.pair.newSend().from(right.memory, 0, 8);
        assertThatThrownBy(() -> left.pair.post(foreign))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("a request is posted where it was made");
        ReceiveRequest receive = right.pair.newReceive().into(right.memory, 0, 8);
        assertThatThrownBy(() -> left.pair.post(receive))
                .isInstanceOf(IllegalArgumentException.class);
        SendBatch batch = left.pair.newSendBatch(1);
        assertThatThrownBy(() -> batch.add(foreign)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> right.pair.post(batch))
                .isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void aRequestIsInOneBatchOnceAndNotPostedAloneMeanwhile() {
        connect();
        Write write =
                left.pair.newWrite().id(5).from(left.memory, 0, 8).to(right.memory.remote(), 0);
        SendBatch batch = left.pair.newSendBatch(2).add(write);
        assertThatThrownBy(() -> batch.add(write)).isInstanceOf(IllegalStateException.class);
        assertThatThrownBy(() -> left.pair.post(write)).isInstanceOf(IllegalStateException.class);
        assertThat(batch.get(0)).isSameAs(write);
        batch.clear();
        assertThat(batch.size()).isZero();
        left.pair.post(batch);
        assertThat(left.run(write).id()).isEqualTo(5);
    }

    @Test
    void inlineDataOfAClosedRegionIsRefusedBecauseTheProcessorWouldReadIt() {
        connect();
        MemoryRegion gone = left.domain.allocate(1 << 20, Access.LOCAL_WRITE);
        Send send = left.pair.newSend().from(gone, 0, 8).inline(true);
        Send second = left.pair.newSend().inline(true).from(gone.slice(0, 8));
        SendBatch batch = left.pair.newSendBatch(1).add(second);
        gone.close();
        assertThatThrownBy(() -> left.pair.post(send)).isInstanceOf(IllegalStateException.class);
        assertThatThrownBy(() -> left.pair.post(batch)).isInstanceOf(IllegalStateException.class);
    }

    @Test
    @Holds("16")
    void aRequestOnAClosedRegionFailsWithoutTouchingMemory() {
        connect();
        MemoryRegion gone = left.domain.allocate(1 << 20, Access.LOCAL_WRITE);
        Write write = left.pair.newWrite().id(1).from(gone, 0, 8).to(right.memory.remote(), 0);
        gone.close();
        Done done = left.run(write);
        Conformance.fact("16").requireStatus("sender", done.status());
        assertThat(done.id()).isEqualTo(1);
    }

    @Test
    @Holds("G8")
    void readsThatCouldNeverCompleteAreRefused() {
        pair.connect(ConnectOptions.defaults().withReads(0, 1));
        assertThatThrownBy(() -> left.pair.newRead())
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("maxInitiatedReads 0");
        assertThatThrownBy(() -> left.pair.newFetchAndAdd())
                .isInstanceOf(IllegalStateException.class);
    }

    @Test
    @Holds("G8")
    void connectingWithoutReadsIsRefusedWhenReadsAreMadeAlready() {
        left.pair.newRead();
        assertThatThrownBy(
                        () ->
                                left.pair.connect(
                                        right.pair.endpoint(),
                                        ConnectOptions.defaults().withReads(0, 0)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("maxInitiatedReads is 0");
    }
}
