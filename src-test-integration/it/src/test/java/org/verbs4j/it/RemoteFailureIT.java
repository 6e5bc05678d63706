package org.verbs4j.it;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.verbs4j.Access;
import org.verbs4j.ConnectOptions;
import org.verbs4j.MemoryRegion;
import org.verbs4j.Mtu;
import org.verbs4j.QueuePairEndpoint;
import org.verbs4j.QueuePairState;
import org.verbs4j.ReceiveRequest;
import org.verbs4j.RemoteBuffer;
import org.verbs4j.SendBatch;
import org.verbs4j.WorkStatus;
import org.verbs4j.Write;

import java.time.Duration;
import java.util.function.BiFunction;

/** Requests that fail at the peer, or because nothing comes from there. */
class RemoteFailureIT {
    private static final int WRONG_INDEX = 0x5555_0000;

    /** Patient enough for a busy machine where the peer does answer. */
    private static final ConnectOptions OPTIONS = ConnectOptions.defaults();

    private static final ConnectOptions IMPATIENT = OPTIONS.withTimeout(8).withRetries(1, 1);

    private static void require(String fact, String side, WorkStatus status) {
        Conformance.fact(fact).requireStatus(side, status);
    }

    private static Write write(RdmaPair pair, RemoteBuffer to) {
        return pair.left.pair.newWrite().from(pair.left.memory, 0, 8).to(to, 0);
    }

    /** A send into a receive that cannot take it fails on both sides. */
    private static void failingReceive(
            String fact, BiFunction<RdmaPair.Side, MemoryRegion, ReceiveRequest> receive) {
        try (RdmaPair pair = RdmaPair.onOneDevice();
                MemoryRegion readOnly = pair.right.domain.allocate(64)) {
            pair.right.pair.post(receive.apply(pair.right, readOnly));
            Done sent = pair.left.run(pair.left.pair.newSend().from(pair.left.memory, 0, 64));
            Done received = pair.right.next();
            require(fact, "sender", sent.status());
            require(fact, "receiver", received.status());
            assertThat(received.id()).isEqualTo(3);
        }
    }

    @Test
    @Holds("66a")
    void aReceiveWithAWrongKeyFailsOnBothSides() {
        failingReceive(
                "66a",
                (right, _) ->
                        RawRequest.lkey(
                                right.pair.newReceive().id(3).into(right.memory, 0, 64),
                                right.memory.lkey() ^ WRONG_INDEX));
    }

    @Test
    @Holds("66a")
    void aReceiveIntoMemoryThatIsNotWritableFailsOnBothSides() {
        failingReceive(
                "66a", (right, readOnly) -> right.pair.newReceive().id(3).into(readOnly, 0, 64));
    }

    @Test
    @Holds("66b")
    void aReceiveThatIsTooShortFailsOnBothSides() {
        failingReceive(
                "66b", (right, _) -> right.pair.newReceive().id(3).into(right.memory, 0, 63));
    }

    @Test
    @Holds("67")
    void aPlaceOutsideOfTheRegionFailsAndBreaksBothQueuePairs() {
        try (RdmaPair pair = RdmaPair.onOneDevice()) {
            RemoteBuffer there = pair.right.memory.remote();
            RemoteBuffer beyond =
                    new RemoteBuffer(there.address() + there.length() - 4, 8, there.rkey());
            require("67", "sender", pair.left.run(write(pair, beyond)).status());
            assertThat(pair.left.pair.queryState()).isEqualTo(QueuePairState.ERROR);
            assertThat(pair.right.pair.queryState()).isEqualTo(QueuePairState.ERROR);
        }
    }

    @Test
    @Holds("67")
    void anAccessThatTheRegionForbidsFails() {
        try (RdmaPair pair = RdmaPair.onOneDevice();
                MemoryRegion readable =
                        pair.right.domain.allocate(64, Access.LOCAL_WRITE, Access.REMOTE_READ)) {
            require("67", "sender", pair.left.run(write(pair, readable.remote())).status());
        }
    }

    @Test
    @Holds("68")
    void anAccessThatTheQueuePairForbidsFails() {
        try (RdmaPair pair = RdmaPair.onOneDevice(builder -> builder.remoteAccess())) {
            pair.connect(OPTIONS);
            require(
                    "68",
                    "sender",
                    pair.left.run(write(pair, pair.right.memory.remote())).status());
        }
    }

    @Test
    @Holds("68")
    void aReadThatThePeerDoesNotAcceptFails() {
        try (RdmaPair pair = RdmaPair.onOneDevice(_ -> {})) {
            pair.left.pair.connect(pair.right.pair.endpoint(), OPTIONS);
            pair.right.pair.connect(pair.left.pair.endpoint(), OPTIONS.withReads(1, 0));
            Done done =
                    pair.left.run(
                            pair.left
                                    .pair
                                    .newRead()
                                    .from(pair.right.memory.remote(), 0)
                                    .into(pair.left.memory, 0, 8));
            require("68", "sender", done.status());
        }
    }

    @Test
    @Holds("68")
    void anotherPathMtuFails() {
        try (RdmaPair pair = RdmaPair.onOneDevice(_ -> {})) {
            pair.left.pair.connect(pair.right.pair.endpoint(), OPTIONS.withPathMtu(Mtu.BYTES_512));
            pair.right.pair.connect(pair.left.pair.endpoint(), OPTIONS.withPathMtu(Mtu.BYTES_1024));
            Write long_ =
                    pair.left
                            .pair
                            .newWrite()
                            .from(pair.left.memory, 0, 4096)
                            .to(pair.right.memory.remote(), 0);
            require("68", "sender", pair.left.run(long_).status());
        }
    }

    @Test
    @Holds("70")
    void aPeerWithoutReceivesEndsTheRetries() {
        for (int retries = 0; retries <= 2; retries++) {
            try (RdmaPair pair = RdmaPair.onOneDevice(_ -> {})) {
                pair.connect(OPTIONS.withRetries(7, retries));
                Done done = pair.left.run(pair.left.pair.newSend().from(pair.left.memory, 0, 8));
                require("70", "sender", done.status());
            }
        }
    }

    @Test
    @Holds("71")
    void aPeerThatIsGoneEndsTheRetriesAfterATimeOutEach() {
        Duration timeout = Duration.ofNanos(4096L << 14);
        for (int retries = 0; retries <= 2; retries++) {
            try (RdmaPair pair = RdmaPair.onOneDevice(_ -> {})) {
                pair.connect(OPTIONS.withTimeout(14).withRetries(retries, 7));
                RemoteBuffer there = pair.right.memory.remote();
                pair.right.pair.close();
                long start = System.nanoTime();
                require("71", "sender", pair.left.run(write(pair, there)).status());
                assertThat(System.nanoTime() - start)
                        .isGreaterThan(timeout.multipliedBy(retries + 1).toNanos() * 9 / 10);
            }
        }
    }

    @Test
    @Holds("G7")
    void aPeerInErrorDoesNotAnswer() {
        try (RdmaPair pair = RdmaPair.onOneDevice(_ -> {}).connect(IMPATIENT)) {
            pair.right.pair.moveToError();
            require(
                    "G7",
                    "sender",
                    pair.left.run(write(pair, pair.right.memory.remote())).status());
        }
    }

    @Test
    @Holds("G7")
    void aPeerThatExpectsAnotherPacketNumberDoesNotAnswer() {
        try (RdmaPair pair = RdmaPair.onOneDevice(_ -> {})) {
            QueuePairEndpoint left = pair.left.pair.endpoint();
            QueuePairEndpoint other =
                    new QueuePairEndpoint(
                            left.queuePairNumber(),
                            (left.packetSequence() - 1000) & 0xff_ffff,
                            left.lid(),
                            left.mtu(),
                            left.gid());
            pair.left.pair.connect(pair.right.pair.endpoint(), IMPATIENT);
            pair.right.pair.connect(other, IMPATIENT);
            require(
                    "G7",
                    "sender",
                    pair.left.run(write(pair, pair.right.memory.remote())).status());
        }
    }

    @Test
    @Holds("G9")
    void afterTheFirstFailureEverythingIsFlushed() {
        try (RdmaPair pair = RdmaPair.onOneDevice()) {
            RemoteBuffer there = pair.right.memory.remote();
            RemoteBuffer wrong =
                    new RemoteBuffer(there.address(), there.length(), there.rkey() ^ WRONG_INDEX);
            SendBatch batch =
                    pair.left
                            .pair
                            .newSendBatch(4)
                            .add(write(pair, there))
                            .add(write(pair, wrong))
                            .add(write(pair, there))
                            .add(write(pair, there));
            pair.left.pair.post(batch);
            assertThat(pair.left.next(4))
                    .extracting(Done::status)
                    .containsExactly(
                            WorkStatus.SUCCESS,
                            WorkStatus.REMOTE_ACCESS_ERROR,
                            WorkStatus.FLUSHED,
                            WorkStatus.FLUSHED);
        }
    }

    @Test
    @Holds("72")
    void whatIsPostedInErrorIsFlushedSignaledOrNot() {
        try (RdmaPair pair = RdmaPair.onOneDevice()) {
            pair.left.receive(20, 0, 8);
            pair.left.receive(21, 0, 8);
            pair.left.pair.moveToError();
            for (Done done : pair.left.next(2)) {
                require("72", "receiver", done.status());
                assertThat(done.id()).isIn(20L, 21L);
            }
            for (int id = 0; id < 4; id++) {
                pair.left.pair.post(
                        write(pair, pair.right.memory.remote()).id(id).signaled(id % 2 == 0));
            }
            for (Done done : pair.left.next(4)) {
                require("72", "sender", done.status());
                assertThat(done.id()).isBetween(0L, 3L);
                assertThat(done.pair()).isEqualTo(pair.left.pair.number());
            }
        }
    }
}
