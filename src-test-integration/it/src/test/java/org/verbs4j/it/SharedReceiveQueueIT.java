package org.verbs4j.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.verbs4j.PostException;
import org.verbs4j.ProtectionDomain;
import org.verbs4j.RcQueuePair;
import org.verbs4j.ReceiveBatch;
import org.verbs4j.ReceiveRequest;
import org.verbs4j.SharedReceiveQueue;
import org.verbs4j.UdQueuePair;
import org.verbs4j.UnsupportedVerbException;
import org.verbs4j.bindings.Posix;

/** Receives that several queue pairs share. */
class SharedReceiveQueueIT {
    private static final int REQUESTS = 10;

    private final OpenDevice device = new OpenDevice();
    private SharedReceiveQueue shared;
    private RcQueuePair sender;
    private RcQueuePair receiver;

    @BeforeEach
    void open() {
        shared = device.keep(device.domain.newSharedReceiveQueue(REQUESTS, 2));
        sender = device.keep(device.domain.newRcQueuePair(device.sends, device.sends).build());
        receiver = sharing();
        connect(sender, receiver);
    }

    private RcQueuePair sharing() {
        return device.keep(
                device.domain
                        .newRcQueuePair(device.sends, device.receives)
                        .sharedReceiveQueue(shared)
                        .build());
    }

    private static void connect(RcQueuePair one, RcQueuePair other) {
        one.connect(other.endpoint());
        other.connect(one.endpoint());
    }

    @AfterEach
    void close() {
        device.close();
    }

    @Test
    void queuePairsOfSeveralPeersTakeFromOneQueue() {
        RcQueuePair otherSender =
                device.keep(device.domain.newRcQueuePair(device.sends, device.sends).build());
        RcQueuePair otherReceiver = sharing();
        connect(otherSender, otherReceiver);
        device.receive(shared, 1, 1024, 64);
        device.receive(shared, 2, 2048, 64);
        device.run(sender, sender.newSend().from(device.memory, 0, 8));
        Done first = device.received();
        device.run(otherSender, otherSender.newSend().from(device.memory, 0, 8));
        Done second = device.received();
        assertThat(first.id()).isEqualTo(1);
        assertThat(first.pair()).isEqualTo(receiver.number());
        assertThat(second.id()).isEqualTo(2);
        assertThat(second.pair()).isEqualTo(otherReceiver.number());
    }

    @Test
    void itTellsWhatItReallyHolds() {
        assertThat(shared.maxReceiveRequests()).isGreaterThanOrEqualTo(REQUESTS);
        assertThat(shared.maxReceiveSge()).isGreaterThanOrEqualTo(2);
        assertThat(shared.query().maxRequests()).isEqualTo(shared.maxReceiveRequests());
        assertThat(receiver.maxReceiveRequests()).isZero();
    }

    @Test
    @Holds("46")
    void whenItIsFullOfferAnswersAndPostThrows() {
        ReceiveRequest receive = shared.newReceive().into(device.memory, 0, 8);
        int accepted = 0;
        while (shared.offer(receive)) {
            accepted++;
        }
        assertThat(accepted).isEqualTo(shared.maxReceiveRequests());
        assertThatThrownBy(() -> shared.post(receive))
                .isInstanceOfSatisfying(
                        PostException.class,
                        e -> {
                            assertThat(e.errno()).isEqualTo(Posix.ENOMEM());
                            assertThat(e.verb()).isEqualTo("ibv_post_srq_recv");
                        })
                .hasMessageContaining("is full with " + accepted + " requests");
    }

    @Test
    void aBatchIsPostedAsFarAsItFits() {
        int most = shared.maxReceiveRequests();
        device.receive(shared, 100, 0, 8);
        ReceiveBatch batch = shared.newReceiveBatch(most);
        for (int i = 0; i < most; i++) {
            batch.add(shared.newReceive().id(i).into(device.memory, 0, 8));
        }
        assertThat(shared.offer(batch)).isEqualTo(most - 1);
    }

    @Test
    @Holds("50")
    void aQueuePairThatSharesTakesNoReceivesItself() {
        assertThatThrownBy(receiver::newReceive)
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("takes its receives from shared receive queue of")
                .hasMessageContaining("make and post them there");
        assertThatThrownBy(() -> receiver.newReceiveBatch(1))
                .isInstanceOf(IllegalStateException.class);
        ReceiveRequest elsewhere = shared.newReceive();
        assertThatThrownBy(() -> receiver.post(elsewhere))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("a request is posted where it was made");
    }

    @Test
    @Holds("62")
    void theLimitIsOneShot() {
        for (int i = 0; i < 4; i++) {
            device.receive(shared, i, 1024, 64);
        }
        shared.armLimit(4);
        assertThat(shared.query().limit()).isEqualTo(4);
        device.run(sender, sender.newSend().from(device.memory, 0, 8));
        device.received();
        Waits.until("the limit event", () -> shared.query().limit() == 0);
        assertThatThrownBy(() -> shared.armLimit(shared.maxReceiveRequests() + 1))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("limit is");
    }

    @Test
    void itGrowsAndKeepsWhatIsPosted() {
        device.receive(shared, 1, 1024, 64);
        shared.resize(100);
        assertThat(shared.maxReceiveRequests()).isGreaterThanOrEqualTo(100);
        device.receive(shared, 2, 2048, 64);
        device.run(sender, sender.newSend().from(device.memory, 0, 8));
        assertThat(device.received().id()).isEqualTo(1);
        device.run(sender, sender.newSend().from(device.memory, 0, 8));
        assertThat(device.received().id()).isEqualTo(2);
    }

    @Test
    @Holds("10")
    void itCannotBeClosedUnderAQueuePair() {
        assertThatThrownBy(shared::close)
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("still used by queue pair " + receiver.number());
        device.receive(shared, 1, 1024, 64);
        device.run(sender, sender.newSend().from(device.memory, 0, 8));
        assertThat(device.received().id()).isEqualTo(1);
    }

    @Test
    void aClosedOneTakesNothing() {
        SharedReceiveQueue closed = device.domain.newSharedReceiveQueue(1, 1);
        ReceiveRequest receive = closed.newReceive().into(device.memory, 0, 8);
        closed.close();
        closed.close();
        assertThatThrownBy(() -> closed.post(receive))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("is closed");
        assertThatThrownBy(closed::query).isInstanceOf(IllegalStateException.class);
    }

    @Test
    void ofAnotherDomainItIsRefused() {
        try (ProtectionDomain other = device.context.newProtectionDomain()) {
            assertThatThrownBy(
                            () ->
                                    other.newRcQueuePair(device.sends, device.receives)
                                            .sharedReceiveQueue(shared))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("another protection domain");
        }
    }

    @Test
    void datagramsShareReceivesToo() {
        UdQueuePair first = datagrams();
        UdQueuePair second = datagrams();
        device.receive(shared, 1, 4096, 1024);
        device.run(
                first,
                first.newSend()
                        .from(device.memory, 0, 5)
                        .to(
                                device.keep(device.domain.newAddressHandle(device.loopback())),
                                second.number(),
                                second.queueKey()));
        assertThat(device.received().pair()).isEqualTo(second.number());
    }

    private UdQueuePair datagrams() {
        UdQueuePair pair =
                device.keep(
                        device.domain
                                .newUdQueuePair(device.sends, device.receives)
                                .sharedReceiveQueue(shared)
                                .build());
        pair.activate();
        return pair;
    }

    @Test
    void onlyOneOfAnXrcDomainHasANumber() {
        assertThatThrownBy(shared::number)
                .isInstanceOf(UnsupportedVerbException.class)
                .hasMessageContaining("ibv_get_srq_num")
                .hasMessageContaining("not of an XRC domain");
    }
}
