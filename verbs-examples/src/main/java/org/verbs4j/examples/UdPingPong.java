package org.verbs4j.examples;

import org.verbs4j.CompletionQueue;
import org.verbs4j.ProtectionDomain;
import org.verbs4j.UdQueuePair;

import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/**
 * {@code ibv_ud_pingpong} of rdma-core 44: its flags, its output, and either side of its wire
 * exchange.
 */
@Command(
        name = "ud-pingpong",
        mixinStandardHelpOptions = true,
        versionProvider = Main.Version.class,
        sortOptions = false,
        description = "Plays ping-pong by datagrams, as ibv_ud_pingpong does.")
final class UdPingPong extends PingPong {
    /** The usage text of the C tool says 2048, its code has this. */
    private static final long DEFAULT_SIZE = 1024;

    @Mixin private final PingPongOptions options = new PingPongOptions(DEFAULT_SIZE);

    @Override
    PingPongOptions options() {
        return options;
    }

    @Override
    void requirePossible(PortChoice port) {
        int mtu = port.attributes().activeMtu().bytes();
        if (options.size > mtu) {
            throw new ToolFailure(
                    "a datagram of %d bytes is too long for %s, whose active MTU is %d"
                            .formatted(options.size, port.name(), mtu));
        }
    }

    @Override
    PingPongEnds newEnds(ProtectionDomain domain, CompletionQueue queue, PortChoice port) {
        UdQueuePair pair =
                prepare(domain.newUdQueuePair(queue, queue), port)
                        .maxReceiveRequests(options.receiveDepth)
                        .queueKey(DatagramEnds.QUEUE_KEY)
                        .build();
        return new DatagramEnds(domain, pair, port, options.serviceLevel);
    }

    @Override
    int headroom() {
        return UdQueuePair.GLOBAL_ROUTING_HEADER_LENGTH;
    }

    /** The C tool writes a colon here, and in this line only. */
    @Override
    String localAddress(PingPongEndpoint local) {
        return super.localAddress(local).replace(", GID", ": GID");
    }
}
