package org.verbs4j.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.verbs4j.Access;
import org.verbs4j.AddressVector;
import org.verbs4j.ConnectOptions;
import org.verbs4j.Gid;
import org.verbs4j.GidEntry;
import org.verbs4j.Mtu;
import org.verbs4j.QueuePairAttributes;
import org.verbs4j.QueuePairEndpoint;
import org.verbs4j.QueuePairState;
import org.verbs4j.QueuePairTransitionException;
import org.verbs4j.RcQueuePair;
import org.verbs4j.VerbsException;
import org.verbs4j.WorkStatus;
import org.verbs4j.bindings.Posix;
import org.verbs4j.bindings.Verbs;
import org.verbs4j.bindings.ibv_qp_attr;
import org.verbs4j.bindings.ibv_qp_init_attr;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/**
 * Transitions of reliable connected queue pairs, and the diagnosis of those that the kernel
 * refuses.
 */
class StateMachineIT {
    private RdmaPair pair;
    private RcQueuePair left;
    private RcQueuePair right;

    @BeforeEach
    void open() {
        pair = RdmaPair.onOneDevice(builder -> {});
        left = pair.left.pair;
        right = pair.right.pair;
    }

    @AfterEach
    void close() {
        pair.close();
    }

    private static QueuePairTransitionException refused(ThrowingCallable change) {
        Throwable thrown = catchThrowable(change);
        assertThat(thrown).isInstanceOf(QueuePairTransitionException.class);
        return (QueuePairTransitionException) thrown;
    }

    private QueuePairAttributes readyToReceive(AddressVector way) {
        return new QueuePairAttributes()
                .state(QueuePairState.READY_TO_RECEIVE)
                .addressVector(way)
                .pathMtu(Mtu.BYTES_1024)
                .destinationQueuePair(right.number())
                .receiveSequence(1)
                .maxAcceptedReads(1)
                .minRnrTimer(12);
    }

    private AddressVector.GlobalRoute route(Gid destination, int sourceIndex) {
        return new AddressVector.GlobalRoute(destination, sourceIndex, 0, 64, 0);
    }

    private GidEntry local() {
        return pair.left.context.activePort().routableGid().orElseThrow();
    }

    @Test
    void aNewQueuePairIsInInitAndConnectsToReadyToSend() {
        assertThat(left.state()).isEqualTo(QueuePairState.INIT);
        assertThat(left.queryState()).isEqualTo(QueuePairState.INIT);
        pair.connect(ConnectOptions.defaults());
        assertThat(left.state()).isEqualTo(QueuePairState.READY_TO_SEND);
        assertThat(left.queryState()).isEqualTo(QueuePairState.READY_TO_SEND);
    }

    @Test
    @Holds("42")
    void whatWasSetIsReadBack() {
        pair.connect(
                ConnectOptions.defaults()
                        .withPathMtu(Mtu.BYTES_512)
                        .withTimeout(13)
                        .withRetries(3, 5)
                        .withMinRnrTimer(9)
                        .withReads(2, 4));
        QueuePairAttributes read = left.query();
        assertThat(read.pathMtu()).isEqualTo(Mtu.BYTES_512);
        assertThat(read.timeout()).isEqualTo(13);
        assertThat(read.retryCount()).isEqualTo(3);
        assertThat(read.rnrRetryCount()).isEqualTo(5);
        assertThat(read.minRnrTimer()).isEqualTo(9);
        assertThat(read.maxInitiatedReads()).isEqualTo(2);
        assertThat(read.maxAcceptedReads()).isEqualTo(4);
        assertThat(read.destinationQueuePair()).isEqualTo(right.number());
        assertThat(read.allows(Access.REMOTE_WRITE)).isTrue();
        assertThat(read.port()).isEqualTo(1);
        assertThat(read.addressVector()).isNotNull();
        assertThat(read.addressVector().route().destination()).isEqualTo(right.endpoint().gid());
    }

    @Test
    @Holds("33")
    void capacitiesAreThoseThatTheDeviceGave() {
        assertThat(left.maxSendRequests()).isGreaterThanOrEqualTo(128);
        assertThat(left.maxReceiveRequests()).isGreaterThanOrEqualTo(128);
        assertThat(left.maxInlineData()).isGreaterThanOrEqualTo(64);
        assertThat(left.endpoint().packetSequence()).isBetween(0, 0xffffff);
    }

    @Test
    @Holds("33")
    void capacitiesBeyondTheDeviceAreRefusedWithItsLimit() {
        int most = pair.left.context.attributes().maxSge();
        assertThatThrownBy(
                        () ->
                                pair.left
                                        .domain
                                        .newRcQueuePair(pair.left.queue, pair.left.queue)
                                        .maxSendSge(most + 1)
                                        .build())
                .isInstanceOf(VerbsException.class)
                .hasMessageContaining("ibv_create_qp: EINVAL")
                .hasMessageContaining("maxSendSge exceeds the device's " + most);
        assertThatThrownBy(
                        () ->
                                pair.left
                                        .domain
                                        .newRcQueuePair(pair.left.queue, pair.left.queue)
                                        .maxInlineData(1 << 20)
                                        .build())
                .isInstanceOf(VerbsException.class)
                .hasMessageContaining("maxInlineData is probably too large");
    }

    @Test
    void aQueuePairMixesNoContexts() {
        assertThatThrownBy(() -> pair.left.domain.newRcQueuePair(pair.left.queue, pair.right.queue))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("another context");
    }

    @Test
    @Holds("35")
    void aMissingAttributeIsNamed() {
        left.reset();
        QueuePairTransitionException e =
                refused(
                        () ->
                                left.modify(
                                        new QueuePairAttributes()
                                                .state(QueuePairState.INIT)
                                                .port(1)));
        assertThat(e.from()).isEqualTo(QueuePairState.RESET);
        assertThat(e.to()).isEqualTo(QueuePairState.INIT);
        assertThat(e.missingAttributes())
                .containsExactlyInAnyOrder("IBV_QP_PKEY_INDEX", "IBV_QP_ACCESS_FLAGS");
        assertThat(e).hasMessageContaining("it needs IBV_QP_ACCESS_FLAGS, IBV_QP_PKEY_INDEX");
        assertThat(left.state()).isEqualTo(QueuePairState.RESET);
    }

    @Test
    @Holds("36")
    void anAttributeThatDoesNotBelongThereIsNamed() {
        QueuePairAttributes tooMuch =
                readyToReceive(AddressVector.of(right.endpoint(), local())).retryCount(7);
        QueuePairTransitionException e = refused(() -> left.modify(tooMuch));
        assertThat(e.disallowedAttributes()).containsExactly("IBV_QP_RETRY_CNT");
        assertThat(e.missingAttributes()).isEmpty();
    }

    @Test
    @Holds("37")
    void aTransitionThatDoesNotExistIsCalledSo() {
        left.reset();
        assertThat(refused(() -> left.moveToReadyToSend(ConnectOptions.defaults())))
                .hasMessageContaining(
                        "cannot go from RESET to READY_TO_SEND: there is no such transition");
        assertThat(refused(left::moveToError)).hasMessageContaining("there is no such transition");
    }

    @Test
    @Holds("38")
    void anAddressVectorWithoutGlobalRouteIsExplained() {
        assertThat(refused(() -> left.modify(readyToReceive(new AddressVector(1, 0, 0, null)))))
                .hasMessageContaining("no global route");
    }

    @Test
    @Holds("38")
    void anEmptyGidIndexIsExplainedWithTheUsableOnes() {
        AddressVector way = new AddressVector(1, 0, 0, route(local().gid(), 200));
        assertThat(refused(() -> left.modify(readyToReceive(way))))
                .hasMessageContaining("GID index 200 is empty; usable indexes:")
                .hasMessageContaining(local().gid().toString());
    }

    @Test
    void gidsOfDifferentFamiliesAreExplained() {
        GidEntry linkLocal =
                pair.left.context.activePort().gidTable().stream()
                        .filter(entry -> entry.gid().isLinkLocal())
                        .findFirst()
                        .orElseThrow();
        AddressVector way = new AddressVector(1, 0, 0, route(local().gid(), linkLocal.index()));
        assertThat(refused(() -> left.modify(readyToReceive(way))))
                .hasMessageContaining("not of one family");
    }

    @Test
    @Holds("39")
    void aValueOutOfRangeIsToldWithTheAttributesThatWereSet() {
        left.moveToReadyToReceive(right.endpoint(), ConnectOptions.defaults());
        assertThat(
                        refused(
                                () ->
                                        left.modify(
                                                new QueuePairAttributes()
                                                        .state(QueuePairState.READY_TO_SEND)
                                                        .timeout(32)
                                                        .retryCount(7)
                                                        .rnrRetryCount(7)
                                                        .sendSequence(1)
                                                        .maxInitiatedReads(1))))
                .hasMessageContaining("out of the device's range")
                .hasMessageContaining("IBV_QP_TIMEOUT");
    }

    @Test
    @Holds("38")
    void aPeerWhoseAddressDoesNotAnswerIsNamed() {
        QueuePairEndpoint nobody =
                new QueuePairEndpoint(17, 0, 0, Mtu.BYTES_1024, Gid.parse("10.77.0.200"));
        assertThat(refused(() -> left.connect(nobody))).hasMessageContaining("10.77.0.200");
        assertThat(left.state()).isEqualTo(QueuePairState.INIT);
    }

    @Test
    @Holds("38")
    void aZeroGidOfThePeerIsExplained() {
        AddressVector way = new AddressVector(1, 0, 0, route(new Gid(0, 0), local().index()));
        assertThat(refused(() -> left.modify(readyToReceive(way))).errno())
                .isEqualTo(Posix.EINVAL());
    }

    @Test
    @Holds("39")
    void valuesOutOfRangeAreInvalid() {
        left.reset();
        for (int port : new int[] {0, 2}) {
            invalid(
                    new QueuePairAttributes()
                            .state(QueuePairState.INIT)
                            .partitionKeyIndex(0)
                            .port(port)
                            .remoteAccess());
        }
        left.moveToInit();
        left.moveToReadyToReceive(right.endpoint(), ConnectOptions.defaults());
        invalid(readyToSend().timeout(32));
        invalid(readyToSend().maxInitiatedReads(129));
        invalid(readyToSend().currentState(QueuePairState.INIT));
        left.modify(readyToSend());
        assertThat(left.queryState()).isEqualTo(QueuePairState.READY_TO_SEND);
    }

    private QueuePairAttributes readyToSend() {
        return new QueuePairAttributes()
                .state(QueuePairState.READY_TO_SEND)
                .timeout(14)
                .retryCount(7)
                .rnrRetryCount(7)
                .sendSequence(1)
                .maxInitiatedReads(1);
    }

    private void invalid(QueuePairAttributes attributes) {
        assertThat(refused(() -> left.modify(attributes)).errno()).isEqualTo(Posix.EINVAL());
    }

    @Test
    @Holds("39")
    void anMtuThatIsNotThereIsInvalid() {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment attr = arena.allocate(ibv_qp_attr.layout());
            MemorySegment init = arena.allocate(ibv_qp_init_attr.layout());
            int mask = readyToReceive(AddressVector.of(right.endpoint(), local())).mask();
            left.moveToReadyToReceive(right.endpoint(), ConnectOptions.defaults());
            assertThat(Verbs.ibv_query_qp(left.handle(), attr, mask, init)).isZero();
            left.reset();
            left.moveToInit();
            ibv_qp_attr.path_mtu(attr, Verbs.IBV_MTU_4096() + 1);
            assertThat(Verbs.ibv_modify_qp(left.handle(), attr, mask)).isEqualTo(Posix.EINVAL());
            ibv_qp_attr.path_mtu(attr, Verbs.IBV_MTU_1024());
            assertThat(Verbs.ibv_modify_qp(left.handle(), attr, mask)).isZero();
        }
    }

    @Test
    void aPeerWithoutGidIsRefusedOnEthernet() {
        assertThatThrownBy(
                        () -> left.connect(new QueuePairEndpoint(17, 0, 0, Mtu.BYTES_1024, null)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("has no GID");
    }

    @Test
    void aBadGidIndexIsRefusedWhenTheQueuePairIsBuilt() {
        assertThatThrownBy(
                        () ->
                                pair.left
                                        .domain
                                        .newRcQueuePair(pair.left.queue, pair.left.queue)
                                        .gidIndex(99)
                                        .build())
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("no GID at index 99")
                .hasMessageContaining("usable indexes");
    }

    @Test
    @Holds({"40", "72"})
    void anErrorFlushesEverythingAndTheQueuePairCanBeUsedAgain() {
        pair.connect(ConnectOptions.defaults());
        pair.right.receive(1, 0, 8);
        pair.right.receive(2, 0, 8);
        right.moveToError();
        assertThat(pair.right.next(2)).extracting(Done::status).containsOnly(WorkStatus.FLUSHED);
        assertThat(right.queryState()).isEqualTo(QueuePairState.ERROR);
        left.reset();
        right.reset();
        pair.connect(ConnectOptions.defaults());
        pair.right.receive(3, 0, 8);
        assertThat(pair.left.run(left.newSend().from(pair.left.memory, 0, 8)).status())
                .isEqualTo(WorkStatus.SUCCESS);
        assertThat(pair.right.next().id()).isEqualTo(3);
    }
}
