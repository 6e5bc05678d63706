package org.verbs4j.examples;

import org.verbs4j.CompletionQueue;
import org.verbs4j.DeviceAttributes;
import org.verbs4j.DeviceContext;
import org.verbs4j.ProtectionDomain;
import org.verbs4j.RcQueuePair;
import org.verbs4j.SharedReceiveQueue;
import org.verbs4j.bindings.Verbs;

import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

import java.util.ArrayList;
import java.util.List;

/**
 * {@code ibv_srq_pingpong} of rdma-core 44: its flags, its output, and either side of its wire
 * exchange.
 */
@Command(
        name = "srq-pingpong",
        mixinStandardHelpOptions = true,
        versionProvider = Main.Version.class,
        sortOptions = false,
        description = {
            "Plays ping-pong over several reliable connections that share one receive queue, as"
                    + " ibv_srq_pingpong does.",
            "The number of exchanges is that of all connections together."
        })
final class SrqPingPong extends PingPong {
    @Mixin private final ConnectedPingPongOptions options = new ConnectedPingPongOptions();

    @Option(
            names = {"-q", "--num-qp"},
            paramLabel = "<num>",
            converter = CNumbers.QueuePairs.class,
            description = "number of QPs to use (default 16)")
    private int queuePairs = 16;

    @Option(
            names = {"-o", "--odp"},
            description = "use on demand paging")
    private boolean onDemandPaging;

    @Override
    PingPongOptions options() {
        return options;
    }

    @Override
    void requireDevice(DeviceContext context) {
        if (onDemandPaging) {
            int all =
                    Verbs.IBV_ODP_SUPPORT_SEND()
                            | Verbs.IBV_ODP_SUPPORT_RECV()
                            | Verbs.IBV_ODP_SUPPORT_SRQ_RECV();
            DeviceAttributes device = context.attributes();
            RarePingPongOptions.requireOnDemandPaging(
                    device, device.onDemandPaging().rc(), all, "RC send, receive and srq");
        }
    }

    @Override
    PingPongBuffer newBuffer(ProtectionDomain domain, long size) {
        return onDemandPaging
                ? PingPongBuffer.onDemand(domain, size)
                : super.newBuffer(domain, size);
    }

    @Override
    void requirePossible(PortChoice port) {
        port.requireFit(options.size, options.mtu);
        if (queuePairs > options.receiveDepth) {
            throw new ToolFailure(
                    "a depth of %d receives is too small for %d queue pairs, which need one each"
                            .formatted(options.receiveDepth, queuePairs));
        }
    }

    @Override
    int pairs() {
        return queuePairs;
    }

    @Override
    int records() {
        return PingPongExchange.SHARED;
    }

    @Override
    int maxReceives(DeviceAttributes device) {
        return device.queues().maxSharedReceiveRequests();
    }

    /** The C tool has zeros here, so that its check of marked pages finds nothing. */
    @Override
    byte filler() {
        return 0;
    }

    @Override
    PingPongEnds newEnds(ProtectionDomain domain, CompletionQueue queue, PortChoice port) {
        List<RcQueuePair> pairs = new ArrayList<>();
        SharedReceiveQueue shared = domain.newSharedReceiveQueue(options.receiveDepth, 1);
        PingPongEnds ends = new ConnectedEnds(pairs, shared, options);
        try {
            for (int i = 0; i < queuePairs; i++) {
                pairs.add(
                        prepare(domain.newRcQueuePair(queue, queue), port)
                                .sharedReceiveQueue(shared)
                                .build());
            }
            return ends;
        } catch (RuntimeException e) { // such as too many queue pairs for the device
            ends.close();
            throw e;
        }
    }
}
