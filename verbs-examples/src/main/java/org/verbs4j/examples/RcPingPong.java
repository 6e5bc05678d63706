package org.verbs4j.examples;

import org.jspecify.annotations.Nullable;
import org.verbs4j.CompletionChannel;
import org.verbs4j.CompletionQueue;
import org.verbs4j.DeviceContext;
import org.verbs4j.ProtectionDomain;
import org.verbs4j.RcQueuePair;
import org.verbs4j.SendOperation;

import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

import java.util.List;

/**
 * {@code ibv_rc_pingpong} of rdma-core 44: its flags, its output, and either side of its wire
 * exchange.
 */
@Command(
        name = "rc-pingpong",
        mixinStandardHelpOptions = true,
        versionProvider = Main.Version.class,
        sortOptions = false,
        description = "Plays ping-pong over a reliable connection, as ibv_rc_pingpong does.")
final class RcPingPong extends PingPong {
    @Mixin private final ConnectedPingPongOptions options = new ConnectedPingPongOptions();

    @Mixin private final RarePingPongOptions rare = new RarePingPongOptions();

    @Override
    PingPongOptions options() {
        return options;
    }

    @Override
    void requireOptions() {
        rare.requirePossible();
    }

    @Override
    void requireDevice(DeviceContext context) {
        rare.requireDevice(context, options.size);
    }

    @Override
    void requirePossible(PortChoice port) {
        port.requireFit(options.size, options.mtu);
    }

    @Override
    PingPongEnds newEnds(ProtectionDomain domain, CompletionQueue queue, PortChoice port) {
        RcQueuePair.Builder builder =
                prepare(domain.newRcQueuePair(queue, queue), port)
                        .maxReceiveRequests(options.receiveDepth);
        if (rare.newSend) {
            return ExtendedEnds.of(builder.extendedSends(SendOperation.SEND).build(), options);
        }
        RcQueuePair pair = builder.build();
        return new ConnectedEnds(List.of(pair), pair, options);
    }

    @Override
    PingPongBuffer newBuffer(ProtectionDomain domain, long size) {
        return rare.newBuffer(this, domain, size);
    }

    @Override
    PingPongQueue newQueue(
            DeviceContext context, int capacity, @Nullable CompletionChannel channel, int atOnce) {
        return rare.timestamps
                ? PingPongQueue.stamped(context, capacity, channel, atOnce)
                : super.newQueue(context, capacity, channel, atOnce);
    }

    @Override
    @Nullable ClockCycles newClockCycles(DeviceContext context) {
        return rare.timestamps
                ? new ClockCycles(context.attributes().clock().timestampMask())
                : null;
    }
}
