package org.verbs4j.examples;

import org.verbs4j.CompletionQueue;
import org.verbs4j.ProtectionDomain;
import org.verbs4j.RcQueuePair;

import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

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

    @Option(
            names = {"-o", "--odp"},
            description = "use on demand paging (not offered yet)")
    private boolean onDemandPaging;

    @Option(
            names = {"-O", "--iodp"},
            description = "use implicit on demand paging (not offered yet)")
    private boolean implicitOnDemandPaging;

    @Option(
            names = {"-P", "--prefetch"},
            description = "prefetch an ODP MR (not offered yet)")
    private boolean prefetch;

    @Option(
            names = {"-t", "--ts"},
            description = "get CQE with timestamp (not offered yet)")
    private boolean timestamps;

    @Option(
            names = {"-j", "--dm"},
            description = "use device memory (not offered yet)")
    private boolean deviceMemory;

    @Option(
            names = {"-N", "--new_send"},
            description = "use new post send WR API (not offered yet)")
    private boolean newSend;

    @Override
    PingPongOptions options() {
        return options;
    }

    @Override
    void refuseWhatIsMissing() {
        refuse(onDemandPaging, "-o", "on-demand paging");
        refuse(implicitOnDemandPaging, "-O", "implicit on-demand paging");
        refuse(prefetch, "-P", "prefetching on-demand memory (ibv_advise_mr)");
        refuse(timestamps, "-t", "completion timestamps (ibv_create_cq_ex)");
        refuse(deviceMemory, "-j", "device memory (ibv_alloc_dm)");
        refuse(newSend, "-N", "the ibv_wr_* way of posting");
    }

    @Override
    void requirePossible(PortChoice port) {
        port.requireFit(options.size, options.mtu);
    }

    @Override
    PingPongEnds newEnds(ProtectionDomain domain, CompletionQueue queue, PortChoice port) {
        RcQueuePair pair =
                prepare(domain.newRcQueuePair(queue, queue), port)
                        .maxReceiveRequests(options.receiveDepth)
                        .build();
        return new ConnectedEnds(List.of(pair), pair, options);
    }
}
