package org.verbs4j.examples;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.verbs4j.examples.ScriptedPeer.receives;
import static org.verbs4j.examples.ScriptedPeer.sends;
import static org.verbs4j.examples.ScriptedPeer.waitsForTheEnd;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.verbs4j.Gid;
import org.verbs4j.Mtu;

import java.nio.charset.StandardCharsets;
import java.time.Duration;

/** The exchange of {@code ibv_xsrq_pingpong}, byte by byte over real sockets. */
@Timeout(60)
class XrcExchangeTest {
    private static final Duration GENEROUS = Duration.ofSeconds(30);
    private static final String WIRE =
            "001a:000011:000012:0d1272:000007:00000000000000000000ffff0a4d0001\0";
    private static final XrcEndpoint HERE =
            new XrcEndpoint(0x1a, 0x11, 0x12, 0x0d1272, 7, new Gid(0, 0xffff_0a4d_0001L));
    private static final XrcEndpoint THERE =
            new XrcEndpoint(0, 0x21, 0x22, 0xabcdef, 0xffffff, new Gid(0, 0xffff_0a4d_0002L));
    private static final byte[] END = {'E', 'N', 'D', 0};

    private final ScriptedPeer peer = new ScriptedPeer();

    @AfterEach
    void stopThePeer() {
        peer.close();
    }

    @Test
    void anEndpointIsTheSixtySixBytesOfTheCTool() {
        assertThat(new String(HERE.encode(), StandardCharsets.US_ASCII)).isEqualTo(WIRE);
        assertThat(HERE.encode()).hasSize(66);
        assertThat(XrcEndpoint.decode(HERE.encode())).isEqualTo(HERE);
    }

    @Test
    void anEndpointReadsLikeTheLineOfTheCTool() {
        assertThat(HERE.line("local"))
                .isEqualTo(
                        "   local: LID 001a, QPN RECV 000011 SEND 000012, PSN 0d1272, SRQN 000007,"
                                + " GID ::ffff:10.77.0.1");
        assertThat(HERE.line("remote")).startsWith("  remote: LID 001a");
    }

    @Test
    void eachQueuePairMeetsItsOpposite() {
        assertThat(HERE.senderEnd(Mtu.BYTES_1024).queuePairNumber()).isEqualTo(0x12);
        assertThat(HERE.receiverEnd(Mtu.BYTES_1024).queuePairNumber()).isEqualTo(0x11);
        assertThat(HERE.receiverEnd(Mtu.BYTES_1024).packetSequence()).isEqualTo(0x0d1272);
        assertThat(HERE.receiverEnd(Mtu.BYTES_1024).gid()).isEqualTo(HERE.gid());
        assertThat(new XrcEndpoint(3, 1, 2, 4, 5, Gid.zero()).senderEnd(Mtu.BYTES_1024).gid())
                .isNull();
    }

    @Test
    void theClientSpeaksFirstAndLeavesLast() throws Exception {
        XrcEndpoint remote =
                peer.asServer(
                        receives(HERE.encode())
                                .then(sends(THERE.encode()))
                                .then(receives(END))
                                .then(sends(END))
                                .then(waitsForTheEnd()),
                        port -> {
                            try (XrcExchange exchange =
                                    new XrcExchange(
                                            new PeerPort(port, GENEROUS).connect("127.0.0.1"))) {
                                exchange.send(HERE);
                                XrcEndpoint there = exchange.receive();
                                exchange.sendEnd();
                                exchange.receiveEnd();
                                return there;
                            }
                        });

        assertThat(remote).isEqualTo(THERE);
    }

    @Test
    void garbageAndAnotherEndAreNamed() {
        assertThatExceptionOfType(ToolFailure.class)
                .isThrownBy(() -> serve("GET / HTTP/1.1\r\n".repeat(5)))
                .withMessageStartingWith("the client 127.0.0.1 sent something else: not an address")
                .withMessageContaining("GET / HTTP");
        assertThatExceptionOfType(ToolFailure.class)
                .isThrownBy(() -> serve(WIRE + "ENDE"))
                .withMessage("the client 127.0.0.1 did not end the game with \"END\"");
        assertThatExceptionOfType(ToolFailure.class)
                .isThrownBy(() -> serve(WIRE))
                .withMessageContaining("closed the connection after 0 of 4 bytes");
    }

    private void serve(String said) throws Exception {
        peer.asClient(
                sends(said),
                port -> {
                    PeerPort here = new PeerPort(port, GENEROUS);
                    try (PeerPort.Listener listener = here.listen();
                            XrcExchange exchange = new XrcExchange(listener.accept(GENEROUS))) {
                        XrcEndpoint there = exchange.receive();
                        exchange.receiveEnd();
                        return there;
                    }
                });
    }
}
