package org.verbs4j.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.verbs4j.AddressHandle;
import org.verbs4j.ExtendedSender;
import org.verbs4j.SendOperation;
import org.verbs4j.UdQueuePair;

/** The {@code ibv_wr_*} functions on unconnected queue pairs. */
class ExtendedDatagramIT {
    private static final int HEADER = UdQueuePair.GLOBAL_ROUTING_HEADER_LENGTH;
    private static final int KEY = 0x11223344;
    private static final long INBOX = 4096;

    private final OpenDevice device = new OpenDevice();
    private UdQueuePair left;
    private UdQueuePair right;
    private ExtendedSender sender;

    @BeforeEach
    void open() {
        left = pair();
        right = pair();
        left.activate();
        right.activate();
        sender = left.newExtendedSender();
    }

    @AfterEach
    void close() {
        device.close();
    }

    private UdQueuePair pair() {
        return device.keep(
                device.domain
                        .newUdQueuePair(device.sends, device.receives)
                        .queueKey(KEY)
                        .extendedSends(SendOperation.SEND, SendOperation.SEND_WITH_IMMEDIATE)
                        .build());
    }

    @Test
    void aDatagramArrives() {
        AddressHandle way = device.keep(device.domain.newAddressHandle(device.loopback()));
        device.receive(right, 7, INBOX, 1024);
        device.put(0, "hello");
        sender.sendWithImmediate(42).part(device.memory, 0, 5).to(way, right.number(), KEY);
        sender.post();
        Done done = device.received();
        assertThat(done.id()).isEqualTo(7);
        assertThat(done.length()).isEqualTo(HEADER + 5);
        assertThat(done.immediate()).isEqualTo(42);
        assertThat(device.get(INBOX + HEADER, 5)).isEqualTo("hello");
    }

    @Test
    void aDatagramWithoutADestinationOrWithOneThatIsClosedIsRefused() {
        sender.send().part(device.memory, 0, 5);
        assertThatThrownBy(sender::post)
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("has no destination");
        sender.clear();
        AddressHandle way = device.domain.newAddressHandle(device.loopback());
        sender.send().part(device.memory, 0, 5).to(way, right.number(), KEY);
        way.close();
        assertThatThrownBy(sender::post)
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("is closed");
        assertThatThrownBy(() -> sender.send().to(way, right.number(), KEY))
                .isInstanceOf(IllegalStateException.class);
    }
}
