package org.verbs4j.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.verbs4j.AddressHandle;
import org.verbs4j.AddressVector;
import org.verbs4j.Gid;
import org.verbs4j.GlobalRoutingHeader;
import org.verbs4j.ProtectionDomain;
import org.verbs4j.QueuePairState;
import org.verbs4j.Send;
import org.verbs4j.SendBatch;
import org.verbs4j.UdQueuePair;
import org.verbs4j.VerbsException;
import org.verbs4j.WorkCompletion;
import org.verbs4j.WorkCompletions;
import org.verbs4j.WorkStatus;
import org.verbs4j.bindings.Posix;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.MulticastSocket;
import java.util.concurrent.atomic.AtomicBoolean;

/** Datagrams and address handles. */
class UdQueuePairIT {
    private static final int HEADER = UdQueuePair.GLOBAL_ROUTING_HEADER_LENGTH;
    private static final int KEY = 0x11223344;
    private static final long INBOX = 4096;

    private final OpenDevice device = new OpenDevice();
    private UdQueuePair left;
    private UdQueuePair right;
    private AddressHandle way;

    @BeforeEach
    void open() {
        left = pair();
        right = pair();
        left.activate();
        right.activate();
        way = device.keep(device.domain.newAddressHandle(device.loopback()));
    }

    @AfterEach
    void close() {
        device.close();
    }

    private UdQueuePair pair() {
        return device.keep(
                device.domain
                        .newUdQueuePair(device.sends, device.receives)
                        .maxInlineData(64)
                        .queueKey(KEY)
                        .build());
    }

    private Send datagram(int key) {
        return left.newSend().id(1).from(device.memory, 0, 5).to(way, right.number(), key);
    }

    @Test
    @Holds("60")
    void aDatagramArrivesBehindTheHeaderThatTellsItsSender() {
        device.receive(right, 7, INBOX, 1024);
        device.put(0, "hello");
        assertThat(device.run(left, datagram(KEY).immediate(42)).status())
                .isEqualTo(WorkStatus.SUCCESS);
        Done done = device.received();
        assertThat(done.id()).isEqualTo(7);
        assertThat(done.length()).isEqualTo(HEADER + 5);
        assertThat(done.immediate()).isEqualTo(42);
        assertThat(device.get(INBOX + HEADER, 5)).isEqualTo("hello");
        GlobalRoutingHeader header =
                GlobalRoutingHeader.of(device.memory.segment().asSlice(INBOX, HEADER));
        assertThat(header.source()).isEqualTo(device.gid().gid());
        assertThat(header.destination()).isEqualTo(device.gid().gid());
        assertThat(header.hopLimit()).isEqualTo(64);
    }

    @Test
    @Holds("61")
    void theWayBackIsFoundInTheCompletion() {
        device.receive(right, 7, INBOX, 1024);
        device.run(left, datagram(KEY));
        WorkCompletions completions = WorkCompletions.allocate(1);
        Waits.until("the datagram", () -> device.receives.poll(completions) == 1);
        WorkCompletion completion = completions.get(0);
        assertThat(completion.hasGlobalRoutingHeader()).isTrue();
        assertThat(completion.sourceQueuePairNumber()).isEqualTo(left.number());

        AddressVector vector =
                AddressVector.ofSender(
                        device.port(), completion, device.memory.segment().asSlice(INBOX));
        assertThat(vector.route()).isNotNull();
        assertThat(vector.route().destination()).isEqualTo(device.gid().gid());
        assertThat(vector.route().sourceGidIndex()).isEqualTo(device.gid().index());
        AddressHandle back =
                device.keep(
                        device.domain.newAddressHandle(
                                device.port(), completion, device.memory.segment().asSlice(INBOX)));
        device.receive(left, 8, INBOX, 1024);
        device.put(0, "reply");
        device.run(
                right,
                right.newSend()
                        .from(device.memory, 0, 5)
                        .to(back, completion.sourceQueuePairNumber(), KEY));
        assertThat(device.received().id()).isEqualTo(8);
        assertThat(device.get(INBOX + HEADER, 5)).isEqualTo("reply");
    }

    @Test
    @Holds("G2")
    void aWrongKeyAndAnUnknownNumberAreDroppedInSilence() {
        device.receive(right, 7, INBOX, 1024);
        assertThat(device.run(left, datagram(KEY + 1)).status()).isEqualTo(WorkStatus.SUCCESS);
        assertThat(device.run(left, datagram(KEY).to(way, 0xfffff0, KEY)).status())
                .isEqualTo(WorkStatus.SUCCESS);
        device.run(left, datagram(KEY).immediate(3));
        assertThat(device.received().immediate()).isEqualTo(3);
        assertThat(device.idle(device.receives)).isTrue();
    }

    @Test
    @Holds("G3")
    void aDatagramLongerThanThePacketIsRefusedInsteadOfLost() {
        long most = device.port().attributes().activeMtu().bytes();
        assertThat(left.maxMessageSize()).isEqualTo(most);
        assertThatThrownBy(() -> left.newSend().from(device.memory, 0, most + 1))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("exceeds")
                .hasMessageContaining(Long.toString(most));
        device.receive(right, 1, INBOX, most + HEADER);
        device.run(left, left.newSend().from(device.memory, 0, most).to(way, right.number(), KEY));
        assertThat(device.received().length()).isEqualTo(most + HEADER);
    }

    @Test
    @Holds("G3")
    void aDatagramLongerThanThePacketIsLostInSilenceWhereTheDeviceIsAsked() {
        int most = device.port().attributes().activeMtu().bytes();
        device.receive(right, 1, INBOX, 2L * most);
        Done done = device.run(left, RawRequest.length(datagram(KEY), most + 1));
        Conformance.fact("G3").requireStatus("sender", done.status());
        assertThat(device.idle(device.receives)).isTrue();
    }

    @Test
    @Holds("G4")
    void aDatagramLongerThanItsReceiveBreaksTheReceiver() {
        Fact fact = Conformance.fact("G4");
        assumeTrue(fact.expectation().startsWith("receiver"), fact::expectation);
        device.receive(right, 7, INBOX, HEADER + 4);
        device.run(left, datagram(KEY));
        Done done = device.received();
        fact.requireStatus("receiver", done.status());
        assertThat(done.id()).isEqualTo(7);
        assertThat(right.queryState()).isEqualTo(QueuePairState.ERROR);
    }

    @Test
    @Holds("63")
    void aDatagramToAMulticastGroupArrivesWhereTheInterfaceIsAMember() throws Exception {
        String address = "239.1.2.4";
        Gid group = Gid.parse(address);
        AddressVector.GlobalRoute route =
                new AddressVector.GlobalRoute(group, device.gid().index(), 0, 64, 0);
        AddressHandle toAll =
                device.keep(
                        device.domain.newAddressHandle(
                                new AddressVector(device.port().number(), 0, 0, route)));
        try (MulticastSocket member = new MulticastSocket()) {
            member.joinGroup(
                    new InetSocketAddress(InetAddress.getByName(address), 0),
                    device.gid().networkInterface().orElseThrow());
            right.joinMulticast(group, 0);
            try {
                device.receive(right, 9, INBOX, 1024);
                device.put(0, "to all");
                device.run(
                        left,
                        left.newSend()
                                .from(device.memory, 0, 6)
                                .to(toAll, UdQueuePair.MULTICAST_QUEUE_PAIR, KEY));
                Done done = device.received();
                Conformance.fact("63").requireStatus("receiver", done.status());
                assertThat(done.id()).isEqualTo(9);
                assertThat(device.get(INBOX + HEADER, 6)).isEqualTo("to all");
            } finally {
                right.leaveMulticast(group, 0);
            }
        }
    }

    @Test
    void aSendWithoutDestinationIsRefused() {
        Send send = left.newSend().from(device.memory, 0, 5);
        assertThatThrownBy(() -> left.post(send))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("has no destination: give it one with to(...)");
        SendBatch batch = left.newSendBatch(2).add(datagram(KEY)).add(send);
        assertThatThrownBy(() -> left.post(batch))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("has no destination");
        assertThat(device.idle(device.sends)).isTrue();
    }

    @Test
    void aClosedAddressHandleIsRefusedWhereCWouldReadFreedMemory() {
        AddressHandle closed = device.domain.newAddressHandle(device.loopback());
        Send send = datagram(KEY).to(closed, right.number(), KEY);
        Send inline = datagram(KEY).to(closed, right.number(), KEY).inline(true);
        closed.close();
        closed.close();
        assertThatThrownBy(() -> left.post(send))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("is closed");
        assertThatThrownBy(() -> left.post(left.newSendBatch(1).add(inline)))
                .isInstanceOf(IllegalStateException.class);
        assertThatThrownBy(() -> datagram(KEY).to(closed, 1, 1))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("is closed");
        assertThat(device.run(left, datagram(KEY)).status()).isEqualTo(WorkStatus.SUCCESS);
    }

    @Test
    void anAddressHandleMayBeClosedWhileAnotherThreadSends() throws Exception {
        AtomicBoolean refused = new AtomicBoolean();
        AddressHandle shared = device.domain.newAddressHandle(device.loopback());
        Send send = datagram(KEY).signaled(false).to(shared, 0xfffff0, KEY);
        Thread sender =
                Thread.ofPlatform()
                        .start(
                                () -> {
                                    try {
                                        while (true) {
                                            left.offer(send);
                                        }
                                    } catch (IllegalStateException e) {
                                        refused.set(true);
                                    }
                                });
        Thread.sleep(5);
        shared.close();
        Waits.join(sender);
        assertThat(refused).isTrue();
    }

    @Test
    void anAddressHandleOfAnotherDomainIsRefused() {
        try (ProtectionDomain other = device.context.newProtectionDomain();
                AddressHandle foreign = other.newAddressHandle(device.loopback())) {
            assertThatThrownBy(() -> datagram(KEY).to(foreign, 1, 1))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("another protection domain");
            assertThatThrownBy(other::close)
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("address handle for");
        }
    }

    @Test
    void aWayThatCannotBeIsExplained() {
        assertThatThrownBy(() -> device.domain.newAddressHandle(new AddressVector(1, 0, 0, null)))
                .isInstanceOf(VerbsException.class)
                .hasMessageContaining("ibv_create_ah: EINVAL")
                .hasMessageContaining("no global route");
        AddressVector empty =
                new AddressVector(
                        1, 0, 0, new AddressVector.GlobalRoute(device.gid().gid(), 200, 0, 64, 0));
        assertThatThrownBy(() -> device.domain.newAddressHandle(empty))
                .isInstanceOf(VerbsException.class)
                .hasMessageContaining("GID index 200 is empty; usable indexes:");
        assertThatThrownBy(
                        () ->
                                device.domain.newAddressHandle(
                                        new AddressVector(9, 0, 0, device.loopback().route())))
                .isInstanceOf(VerbsException.class)
                .hasMessageContaining("has no port 9");
    }

    @Test
    void inlineDatagramsAndBatchesArrive() {
        device.receive(right, 1, INBOX, 1024);
        device.receive(right, 2, INBOX + 2048, 1024);
        device.put(0, "first");
        device.put(100, "other");
        left.post(
                left.newSendBatch(2)
                        .add(datagram(KEY).inline(true))
                        .add(
                                left.newSend()
                                        .from(device.memory, 100, 5)
                                        .to(way, right.number(), KEY)));
        assertThat(device.next(device.receives, 2)).extracting(Done::id).containsExactly(1L, 2L);
        assertThat(device.get(INBOX + HEADER, 5)).isEqualTo("first");
        assertThat(device.get(INBOX + 2048 + HEADER, 5)).isEqualTo("other");
    }

    @Test
    void aMulticastGroupIsJoinedTwiceAndLeftOnceAndKeepsItOpen() {
        Gid group = Gid.parse("239.1.2.3");
        assertThat(right.joinMulticast(group, 0)).isTrue();
        assertThat(right.joinMulticast(group, 0)).isFalse();
        assertThatThrownBy(right::close)
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("still attached to")
                .hasMessageContaining("leave these multicast groups first");
        right.leaveMulticast(group, 0);
        assertThatThrownBy(() -> right.leaveMulticast(group, 0))
                .isInstanceOf(VerbsException.class)
                .hasMessageContaining("has not been joined");
        assertThatThrownBy(() -> right.joinMulticast(device.gid().gid(), 0))
                .isInstanceOfSatisfying(
                        VerbsException.class,
                        e -> {
                            assertThat(e.verb()).isEqualTo("ibv_attach_mcast");
                            assertThat(e.errno()).isEqualTo(Posix.EINVAL());
                        })
                .hasMessageContaining("is not a multicast GID");
    }

    @Test
    void itIsResetAndActivatedAgain() {
        left.reset();
        left.activate();
        assertThat(left.queryState()).isEqualTo(QueuePairState.READY_TO_SEND);
        assertThat(left.query().queueKey()).isEqualTo(KEY);
        assertThat(device.run(left, datagram(KEY)).status()).isEqualTo(WorkStatus.SUCCESS);
    }
}
