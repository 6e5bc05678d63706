package org.verbs4j.examples;

import org.jspecify.annotations.Nullable;
import org.verbs4j.Access;
import org.verbs4j.CompletionChannel;
import org.verbs4j.CompletionQueue;
import org.verbs4j.ConnectOptions;
import org.verbs4j.DeviceAttributes;
import org.verbs4j.DeviceContext;
import org.verbs4j.MemoryRegion;
import org.verbs4j.ProtectionDomain;
import org.verbs4j.RcQueuePair;
import org.verbs4j.bindings.Posix;

import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

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
final class RcPingPong extends Tool {
    /** What the buffer holds before anything arrived. */
    private static final byte FILLER = 0x7b;

    @Mixin private final PingPongOptions options = new PingPongOptions();

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
    void run() throws InterruptedException {
        refuseWhatIsMissing();
        try (DeviceContext context = PortChoice.device(options.device).open()) {
            PortChoice port = PortChoice.of(context, options.devicePort, options.gidIndex);
            port.requireFit(options.size, options.mtu);
            requireDepth(context.attributes());
            pingPong(context, port);
        }
    }

    private void refuseWhatIsMissing() {
        refuse(onDemandPaging, "-o", "on-demand paging");
        refuse(implicitOnDemandPaging, "-O", "implicit on-demand paging");
        refuse(prefetch, "-P", "prefetching on-demand memory (ibv_advise_mr)");
        refuse(timestamps, "-t", "completion timestamps (ibv_create_cq_ex)");
        refuse(deviceMemory, "-j", "device memory (ibv_alloc_dm)");
        refuse(newSend, "-N", "the ibv_wr_* way of posting");
    }

    private static void refuse(boolean wanted, String option, String what) {
        if (wanted) {
            throw new ToolFailure(option + " needs " + what + ", which verbs4j does not offer yet");
        }
    }

    /** The completion queue holds every receive and the one send. */
    private void requireDepth(DeviceAttributes device) {
        int most = Math.min(device.maxQueuePairRequests(), device.maxCompletions() - 1);
        if (options.receiveDepth > most) {
            throw new ToolFailure(
                    "a depth of %d receives is too much for the device, which takes %d"
                            .formatted(options.receiveDepth, most));
        }
    }

    private void pingPong(DeviceContext context, PortChoice port) throws InterruptedException {
        try (ProtectionDomain domain = context.newProtectionDomain();
                MemoryRegion buffer = domain.allocate(options.size, Access.LOCAL_WRITE);
                @Nullable CompletionChannel channel =
                        options.events ? context.newCompletionChannel() : null;
                CompletionQueue queue = newQueue(context, channel);
                RcQueuePair pair = newQueuePair(domain, queue, port)) {
            buffer.segment().fill(FILLER);
            PingPongLoop loop =
                    new PingPongLoop(
                            pair,
                            queue,
                            options.events,
                            pair.newSend()
                                    .from(buffer, 0, options.size)
                                    .inline(options.size <= pair.maxInlineData()),
                            pair.newReceive().into(buffer, 0, options.size),
                            options.receiveDepth,
                            options.silenceLimit());
            loop.prepare();

            connect(pair);
            if (isClient()) {
                if (options.validate) {
                    markPages(buffer.segment());
                }
                loop.serve();
            }
            long start = System.nanoTime();
            loop.run(options.iterations);
            PingPongReport report =
                    new PingPongReport(options.size, options.iterations, System.nanoTime() - start);

            print(report.throughput());
            print(report.latency());
            if (!isClient() && options.validate) {
                checkPages(buffer.segment());
            }
        }
    }

    private CompletionQueue newQueue(DeviceContext context, @Nullable CompletionChannel channel) {
        int capacity = options.receiveDepth + 1;
        return channel == null
                ? context.newCompletionQueue(capacity)
                : context.newCompletionQueue(capacity, channel, 0);
    }

    private RcQueuePair newQueuePair(
            ProtectionDomain domain, CompletionQueue queue, PortChoice port) {
        RcQueuePair.Builder builder =
                domain.newRcQueuePair(queue, queue)
                        .port(port.port().number())
                        .maxSendRequests(1)
                        .maxReceiveRequests(options.receiveDepth)
                        .maxSendSge(1)
                        .maxReceiveSge(1);
        port.gid().ifPresent(builder::gid);
        return builder.build();
    }

    private boolean isClient() {
        return options.host != null;
    }

    /** The server's queue pair is connected before its client hears of it, the client's after. */
    private void connect(RcQueuePair pair) {
        PingPongEndpoint local = PingPongEndpoint.of(pair.endpoint());
        print("  local address:  " + local);
        PingPongExchange exchange = new PingPongExchange(options.tcpPort, options.silenceLimit());
        String host = options.host;
        PingPongEndpoint remote =
                host == null
                        ? exchange.asServer(
                                local, options.acceptLimit(), client -> connect(pair, client))
                        : exchange.asClient(host, local);
        print("  remote address: " + remote);
        if (host != null) {
            connect(pair, remote);
        }
    }

    /**
     * The attributes of {@code ibv_rc_pingpong}: a hop limit of 1, one read in each direction,
     * retries for ever.
     */
    private void connect(RcQueuePair pair, PingPongEndpoint remote) {
        pair.connect(
                remote.toQueuePairEndpoint(options.mtu),
                new ConnectOptions(options.mtu, 14, 7, 7, 12, 1, 1, options.serviceLevel, 0, 1));
    }

    /**
     * As in the C tool, what is written into each page is its number modulo sizeof(char): always 0,
     * which differs from the {@link #FILLER}.
     */
    private static void markPages(MemorySegment buffer) {
        long page = pageSize();
        for (long at = 0; at < buffer.byteSize(); at += page) {
            buffer.set(ValueLayout.JAVA_BYTE, at, (byte) 0);
        }
    }

    private void checkPages(MemorySegment buffer) {
        long page = pageSize();
        for (long at = 0; at < buffer.byteSize(); at += page) {
            if (buffer.get(ValueLayout.JAVA_BYTE, at) != 0) {
                print("invalid data in page " + at / page);
            }
        }
    }

    private static long pageSize() {
        return Posix.sysconf(Posix._SC_PAGESIZE());
    }
}
