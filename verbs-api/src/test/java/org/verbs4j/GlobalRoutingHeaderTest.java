package org.verbs4j;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;

import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;

class GlobalRoutingHeaderTest {
    private static final Gid SOURCE = Gid.parse("fe80::1");
    private static final Gid DESTINATION = Gid.parse("fe80::2");

    private static ByteBuffer ipv6() {
        ByteBuffer bytes = ByteBuffer.allocate(UdQueuePair.GLOBAL_ROUTING_HEADER_LENGTH);
        bytes.putInt(0, 6 << 28 | 0x68 << 20).put(7, (byte) 64);
        bytes.putLong(8, SOURCE.subnetPrefix()).putLong(16, SOURCE.interfaceId());
        return bytes.putLong(24, DESTINATION.subnetPrefix()).putLong(32, DESTINATION.interfaceId());
    }

    @Test
    void ipv6IsReadFromTheBeginning() {
        assertThat(GlobalRoutingHeader.of(MemorySegment.ofBuffer(ipv6())))
                .isEqualTo(new GlobalRoutingHeader(SOURCE, DESTINATION, 0x68, 64));
    }

    @Test
    void ipv4IsReadFromTheMiddleWhenItsChecksumIsRight() {
        ByteBuffer bytes = ipv6();
        // RFC 1071's way, done by hand: the words sum to 0xffff with the checksum 0x66cf.
        byte[] header = {
            0x45, 0, 0, 0x1c, 0, 0, 0, 0, 64, 17, 0x66, (byte) 0xcf, 10, 0, 0, 1, 10, 0, 0, 2
        };
        bytes.put(20, header);
        assertThat(GlobalRoutingHeader.of(MemorySegment.ofBuffer(bytes)))
                .isEqualTo(
                        new GlobalRoutingHeader(
                                Gid.parse("10.0.0.1"), Gid.parse("10.0.0.2"), 0, 64));
        bytes.put(30, (byte) 0);
        assertThat(GlobalRoutingHeader.of(MemorySegment.ofBuffer(bytes)).source())
                .isNotEqualTo(Gid.parse("10.0.0.1"));
    }

    @Test
    void neitherIsNoHeader() {
        MemorySegment zero = MemorySegment.ofArray(new byte[64]);
        assertThatThrownBy(() -> GlobalRoutingHeader.of(zero))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("no global routing header");
        assertThatThrownBy(() -> GlobalRoutingHeader.of(zero.asSlice(0, 39)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("39");
    }
}
