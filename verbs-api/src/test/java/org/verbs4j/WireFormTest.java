package org.verbs4j;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;

import java.nio.BufferOverflowException;
import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.HexFormat;

/** Byte for byte: a peer may run another version. */
class WireFormTest {
    private static final String REMOTE = "0102030405060708" + "0000000000001000" + "deadbeef";
    private static final RemoteBuffer BUFFER =
            new RemoteBuffer(0x0102030405060708L, 4096, 0xdeadbeef);

    private static final String END =
            "00abcdef"
                    + "00123456"
                    + "ff01"
                    + "05"
                    + "00"
                    + "00000000"
                    + "fe80000000000000"
                    + "00825afffe73e278";
    private static final QueuePairEndpoint ENDPOINT =
            new QueuePairEndpoint(
                    0xabcdef,
                    0x123456,
                    0xff01,
                    Mtu.BYTES_4096,
                    Gid.parse("fe80::82:5aff:fe73:e278"));

    private static ByteBuffer bytes(String hex) {
        return ByteBuffer.wrap(HexFormat.of().parseHex(hex));
    }

    private static String hex(ByteBuffer buffer) {
        byte[] bytes = new byte[buffer.flip().remaining()];
        buffer.get(bytes);
        return HexFormat.of().formatHex(bytes);
    }

    @Test
    void aRemoteBufferIsTwentyBytesBigEndian() {
        ByteBuffer little =
                ByteBuffer.allocate(RemoteBuffer.ENCODED_LENGTH).order(ByteOrder.LITTLE_ENDIAN);
        BUFFER.encode(little);
        assertThat(hex(little)).isEqualTo(REMOTE);
        assertThat(little.order()).isEqualTo(ByteOrder.LITTLE_ENDIAN);
        ByteBuffer source = bytes(REMOTE).order(ByteOrder.LITTLE_ENDIAN);
        assertThat(RemoteBuffer.decode(source)).isEqualTo(BUFFER);
        assertThat(source.order()).isEqualTo(ByteOrder.LITTLE_ENDIAN);
        assertThat(source.hasRemaining()).isFalse();
    }

    @Test
    void anEndpointIsThirtyTwoBytesBigEndian() {
        ByteBuffer target = ByteBuffer.allocateDirect(QueuePairEndpoint.ENCODED_LENGTH);
        ENDPOINT.encode(target);
        assertThat(hex(target)).isEqualTo(END);
        assertThat(QueuePairEndpoint.decode(bytes(END))).isEqualTo(ENDPOINT);
    }

    @Test
    void anEndpointWithoutGidIsAllZeroThere() {
        QueuePairEndpoint without = new QueuePairEndpoint(1, 2, 3, Mtu.BYTES_256, null);
        ByteBuffer target = ByteBuffer.allocate(QueuePairEndpoint.ENCODED_LENGTH);
        without.encode(target);
        assertThat(hex(target)).endsWith("0".repeat(32));
        assertThat(QueuePairEndpoint.decode(target.rewind())).isEqualTo(without);
    }

    @Test
    void bytesThatAreNoEndpointAreRefused() {
        assertThatThrownBy(() -> QueuePairEndpoint.decode(bytes("01" + END.substring(2))))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("queuePairNumber");
        assertThatThrownBy(() -> QueuePairEndpoint.decode(bytes(END.replace("ff0105", "ff0109"))))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("mtu is 9, but must be 1 to 5");
        assertThatThrownBy(() -> QueuePairEndpoint.decode(bytes(END.substring(0, 62))))
                .isInstanceOf(BufferUnderflowException.class);
        assertThatThrownBy(() -> RemoteBuffer.decode(bytes(REMOTE.substring(0, 38))))
                .isInstanceOf(BufferUnderflowException.class);
        assertThatThrownBy(() -> BUFFER.encode(ByteBuffer.allocate(19)))
                .isInstanceOf(BufferOverflowException.class);
        assertThatThrownBy(() -> new RemoteBuffer(0, -1, 0))
                .isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void aPartOfARemoteBufferKeepsWithinIt() {
        assertThat(BUFFER.slice(96, 4000))
                .isEqualTo(new RemoteBuffer(BUFFER.address() + 96, 4000, BUFFER.rkey()));
        assertThatThrownBy(() -> BUFFER.slice(96, 4001))
                .isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> BUFFER.slice(Long.MAX_VALUE, 1))
                .isInstanceOf(IllegalArgumentException.class);
    }
}
