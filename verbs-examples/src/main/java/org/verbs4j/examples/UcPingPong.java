package org.verbs4j.examples;

import org.verbs4j.CompletionQueue;
import org.verbs4j.ProtectionDomain;
import org.verbs4j.UcQueuePair;

import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

import java.util.List;

/**
 * {@code ibv_uc_pingpong} of rdma-core 44: its flags, its output, and either side of its wire
 * exchange.
 */
@Command(
        name = "uc-pingpong",
        mixinStandardHelpOptions = true,
        versionProvider = Main.Version.class,
        sortOptions = false,
        description = "Plays ping-pong over an unreliable connection, as ibv_uc_pingpong does.")
final class UcPingPong extends PingPong {
    @Mixin private final ConnectedPingPongOptions options = new ConnectedPingPongOptions();

    @Override
    PingPongOptions options() {
        return options;
    }

    @Override
    void requirePossible(PortChoice port) {
        port.requireFit(options.size, options.mtu);
    }

    @Override
    PingPongEnds newEnds(ProtectionDomain domain, CompletionQueue queue, PortChoice port) {
        UcQueuePair pair =
                prepare(domain.newUcQueuePair(queue, queue), port)
                        .maxReceiveRequests(options.receiveDepth)
                        .build();
        return new ConnectedEnds(List.of(pair), pair, options);
    }
}
