package org.verbs4j.examples;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.verbs4j.Gid;
import org.verbs4j.Mtu;
import org.verbs4j.QueuePairEndpoint;

import java.nio.charset.StandardCharsets;

class PingPongEndpointTest {
    private static final String WIRE = "001a:000011:0d1272:00000000000000000000ffff0a4d0001\0";
    private static final PingPongEndpoint ENDPOINT =
            new PingPongEndpoint(0x1a, 0x11, 0x0d1272, new Gid(0, 0xffff_0a4d_0001L));

    @Test
    void isTheFiftyTwoBytesOfTheCTools() {
        byte[] encoded = ENDPOINT.encode();

        assertThat(new String(encoded, StandardCharsets.US_ASCII)).isEqualTo(WIRE);
        assertThat(encoded).hasSize(PingPongEndpoint.ENCODED_LENGTH);
    }

    @Test
    void comesBackFromTheWire() {
        assertThat(decode(WIRE)).isEqualTo(ENDPOINT);
        assertThat(decode("ffff:ffffff:ffffff:fe80000000000000ffffffffffffffff\0"))
                .isEqualTo(
                        new PingPongEndpoint(
                                0xffff, 0xffffff, 0xffffff, new Gid(0xfe80L << 48, -1)));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "GET / HTTP/1.1\r\nHost: example.org\r\nAccept: */*\r\n\r\nxx",
                "001a:000011:0d1272:00000000000000000000ffff0a4d0001x",
                "001a-000011-0d1272-00000000000000000000ffff0a4d0001\0",
                "001a:000011:0d1272:00000000000000000000ffff0a4d000g\0",
                "001a:000011:0d1272:+0000000000000000000ffff0a4d0001\0",
                "001a:000011:0d1272:\0",
                "",
            })
    void refusesAnythingElseAndShowsIt(String bytes) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> decode(bytes))
                .withMessageContaining("not an address of a ping-pong")
                .withMessageMatching("\\p{Print}*");
    }

    @Test
    void readsLikeTheLineOfTheCTools() {
        assertThat(ENDPOINT)
                .hasToString("LID 0x001a, QPN 0x000011, PSN 0x0d1272, GID ::ffff:10.77.0.1");
    }

    @Test
    void hasNoGidWhereTheInterfaceIdIsZero() {
        QueuePairEndpoint plain =
                new PingPongEndpoint(3, 0x11, 7, new Gid(0xfe80L << 48, 0))
                        .toQueuePairEndpoint(Mtu.BYTES_1024);

        assertThat(plain.gid()).isNull();
        assertThat(PingPongEndpoint.of(plain))
                .isEqualTo(new PingPongEndpoint(3, 0x11, 7, new Gid(0, 0)));
        assertThat(PingPongEndpoint.of(ENDPOINT.toQueuePairEndpoint(Mtu.BYTES_1024)))
                .isEqualTo(ENDPOINT);
    }

    private static PingPongEndpoint decode(String text) {
        return PingPongEndpoint.decode(text.getBytes(StandardCharsets.ISO_8859_1));
    }
}
