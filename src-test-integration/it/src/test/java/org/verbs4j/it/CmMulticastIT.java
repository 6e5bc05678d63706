package org.verbs4j.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.verbs4j.UdQueuePair;
import org.verbs4j.bindings.Posix;
import org.verbs4j.cm.ConnectionEvent;
import org.verbs4j.cm.ConnectionException;
import org.verbs4j.cm.ConnectionId;
import org.verbs4j.cm.EventChannel;
import org.verbs4j.cm.Multicast;
import org.verbs4j.cm.MulticastGroup;
import org.verbs4j.cm.PortSpace;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.concurrent.TimeUnit;

/** Multicast groups joined through the connection manager. */
@Timeout(value = 3, unit = TimeUnit.MINUTES)
class CmMulticastIT {
    private static final Duration LIMIT = CmPlace.limit(10);
    private static final InetAddress GROUP = InetAddress.ofLiteral("239.77.0.1");
    private static final InetAddress OTHER = InetAddress.ofLiteral("239.77.0.2");

    private static Multicast here() {
        return Multicast.at(CmPlace.addresses().getFirst());
    }

    @Test
    void everyMemberGetsWhatOneSends() throws Exception {
        try (Multicast multicast = here();
                CmDatagramSide one = new CmDatagramSide(multicast.context());
                CmDatagramSide two = new CmDatagramSide(multicast.context());
                CmDatagramSide sender = new CmDatagramSide(multicast.context());
                MulticastGroup first = multicast.join(one.pair, GROUP, LIMIT);
                MulticastGroup second = multicast.join(two.pair, GROUP, LIMIT);
                MulticastGroup toSend = multicast.joinToSend(sender.pair, GROUP, LIMIT)) {
            assertThat(toSend.destination().queuePairNumber())
                    .isEqualTo(UdQueuePair.MULTICAST_QUEUE_PAIR);
            assertThat(toSend.destination().queueKey()).isEqualTo(0x01234567);
            assertThat(first.address()).isEqualTo(GROUP);
            assertThat(second).hasToString("multicast group 239.77.0.1");
            one.receive(1);
            two.receive(1);
            sender.receive(1);
            sender.post(toSend.address(sender.datagram("to all")));
            assertThat(one.received()).isEqualTo("to all");
            assertThat(two.received()).isEqualTo("to all");
            assertThat(sender.hasNothing()).isTrue();
        }
    }

    @Test
    void whoHasLeftGetsNothingMore() throws Exception {
        try (Multicast multicast = here();
                CmDatagramSide stays = new CmDatagramSide(multicast.context());
                CmDatagramSide leaves = new CmDatagramSide(multicast.context());
                MulticastGroup group = multicast.join(stays.pair, GROUP, LIMIT)) {
            leaves.receive(1);
            stays.receive(1);
            MulticastGroup left = multicast.join(leaves.pair, GROUP, LIMIT);
            assertThatThrownBy(multicast::close)
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("239.77.0.1");
            assertThatThrownBy(leaves.pair::close)
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("leave these multicast groups first");
            left.close();
            left.close();
            stays.post(group.address(stays.datagram("still here")));
            assertThat(stays.received()).isEqualTo("still here");
            assertThat(leaves.hasNothing()).isTrue();
        }
    }

    @Test
    void oneIdJoinsSeveralGroupsAndTheyAreKeptApart() throws Exception {
        try (Multicast multicast = here();
                CmDatagramSide one = new CmDatagramSide(multicast.context());
                CmDatagramSide two = new CmDatagramSide(multicast.context());
                MulticastGroup first = multicast.join(one.pair, GROUP, LIMIT);
                MulticastGroup second = multicast.join(two.pair, OTHER, LIMIT)) {
            one.receive(1);
            two.receive(1);
            two.post(second.address(two.datagram("other")));
            assertThat(two.received()).isEqualTo("other");
            assertThat(one.hasNothing()).isTrue();
            two.receive(2);
            one.post(first.address(one.datagram("first")));
            assertThat(one.received()).isEqualTo("first");
            assertThat(two.hasNothing()).isTrue();
        }
    }

    @Test
    void joiningEndsOnFailureTimeOutInterruptAndClose() throws Exception {
        Multicast multicast = here();
        try (CmDatagramSide side = new CmDatagramSide(multicast.context())) {
            side.pair.moveToError();
            assertThatThrownBy(() -> multicast.join(side.pair, GROUP, LIMIT))
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("reset it, or take a new one");
            side.pair.reset();
            Waits.until("a join whose time is over", () -> isLate(multicast, side));
            Thread.currentThread().interrupt();
            assertThatThrownBy(() -> multicast.join(side.pair, GROUP, LIMIT))
                    .isInstanceOf(InterruptedException.class);
            Waiting joining =
                    Waiting.start(
                            false,
                            () -> {
                                while (true) {
                                    multicast.join(side.pair, GROUP, LIMIT).close();
                                }
                            });
            Waits.until("a moment between two groups", () -> isClosed(multicast));
            assertThat(joining.end()).isInstanceOf(IllegalStateException.class);
            assertThatThrownBy(() -> multicast.join(side.pair, GROUP, LIMIT))
                    .isInstanceOf(IllegalStateException.class);
        } finally {
            multicast.close();
        }
    }

    @Test
    void whatIsNoGroupHereIsRefusedByName() throws Exception {
        try (Multicast multicast = here();
                CmDatagramSide side = new CmDatagramSide(multicast.context())) {
            InetAddress unicast = CmPlace.addresses().getFirst();
            assertThatThrownBy(() -> multicast.join(side.pair, unicast, LIMIT))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("is not a multicast address");
            assertThatThrownBy(
                            () ->
                                    multicast.joinToSend(
                                            side.pair, InetAddress.ofLiteral("ff0e::1"), LIMIT))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("ff0e:0:0:0:0:0:0:1 is of another family");
        }
    }

    /** The connection manager of Linux 6.1 has none on RoCE v2. */
    @Test
    void aGroupOfIpv6IsSaidToBeMissing() throws Exception {
        InetAddress group = InetAddress.ofLiteral("ff02::77");
        try (Multicast multicast = Multicast.at(CmPlace.linkLocal());
                CmDatagramSide side = new CmDatagramSide(multicast.context())) {
            assertThatThrownBy(() -> multicast.join(side.pair, group, LIMIT))
                    .isInstanceOf(ConnectionException.class)
                    .hasMessageContaining("ENOTSUPP (not supported")
                    .hasMessageContaining("for IPv4 only");
        }
    }

    /** The device counts it once, so that who leaves first would silence the other one. */
    @Test
    void aQueuePairJoinsAGroupOnce() throws Exception {
        try (Multicast multicast = here();
                CmDatagramSide side = new CmDatagramSide(multicast.context());
                MulticastGroup group = multicast.join(side.pair, GROUP, LIMIT)) {
            assertThatThrownBy(() -> multicast.join(side.pair, GROUP, LIMIT))
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("has joined 239.77.0.1 already");
            side.receive(1);
            side.post(group.address(side.datagram("still here")));
            assertThat(side.received()).isEqualTo("still here");
        }
    }

    /** The network may be quicker than no time at all. */
    private static boolean isLate(Multicast multicast, CmDatagramSide side) {
        try {
            multicast.join(side.pair, GROUP, Duration.ZERO).close();
            return false;
        } catch (ConnectionException e) {
            assertThat(e).hasMessageContaining("has not answered within 0 ms");
            return true;
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    private static boolean isClosed(Multicast multicast) {
        try {
            multicast.close();
            return true;
        } catch (IllegalStateException e) {
            return false;
        }
    }

    @Test
    void anAddressWithoutDeviceIsExplained() {
        assertThatThrownBy(() -> Multicast.at(InetAddress.ofLiteral("127.0.0.1")))
                .isInstanceOf(ConnectionException.class)
                .hasMessageContaining("RDMA addresses of this machine are");
        assertThatThrownBy(() -> Multicast.at(InetAddress.ofLiteral("192.0.2.7")))
                .isInstanceOf(ConnectionException.class)
                .hasMessageContaining("is not an address of this machine");
    }

    @Test
    @Holds("82")
    void leavingTwiceIsAnError() throws Exception {
        try (EventChannel channel = EventChannel.open();
                ConnectionId id = channel.newId(PortSpace.UDP)) {
            assertThatThrownBy(() -> id.joinMulticast(GROUP))
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("has no device");
            id.bind(new InetSocketAddress(CmPlace.addresses().getFirst(), 0));
            id.joinMulticast(GROUP);
            var joined = (ConnectionEvent.MulticastJoined) channel.await(LIMIT);
            assertThat(joined.group()).isEqualTo(GROUP);
            assertThat(joined.destination().way().route().destination().toInetAddress())
                    .isEqualTo(GROUP);
            id.leaveMulticast(GROUP);
            assertThatThrownBy(() -> id.leaveMulticast(GROUP))
                    .isInstanceOfSatisfying(
                            ConnectionException.class,
                            e -> assertThat(e.errno()).isEqualTo(Posix.EADDRNOTAVAIL()))
                    .hasMessageContaining("has not been joined");
            id.joinMulticast(GROUP);
            id.joinMulticastToSend(OTHER);
            assertThat(channel.await(LIMIT)).isInstanceOf(ConnectionEvent.MulticastJoined.class);
            assertThat(channel.await(LIMIT)).isInstanceOf(ConnectionEvent.MulticastJoined.class);
        } // with two groups joined
    }

    @Test
    void anIdForConnectionsCannotJoin() {
        try (EventChannel channel = EventChannel.open();
                ConnectionId id = channel.newId()) {
            id.bind(CmPlace.anyPort());
            assertThatThrownBy(() -> id.joinMulticast(GROUP))
                    .isInstanceOfSatisfying(
                            ConnectionException.class,
                            e -> assertThat(e.errno()).isEqualTo(Posix.EINVAL()))
                    .hasMessageContaining("is the id for datagrams");
        }
    }
}
