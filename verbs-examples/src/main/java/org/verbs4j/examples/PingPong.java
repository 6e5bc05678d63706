package org.verbs4j.examples;

import org.jspecify.annotations.Nullable;
import org.verbs4j.CompletionChannel;
import org.verbs4j.CompletionQueue;
import org.verbs4j.DeviceAttributes;
import org.verbs4j.DeviceContext;
import org.verbs4j.ProtectionDomain;
import org.verbs4j.QueuePairBuilder;
import org.verbs4j.bindings.Posix;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.List;
import java.util.stream.IntStream;

/**
 * What the ping-pong tools of rdma-core have in common: from the command line to the last line of
 * output. A tool adds its queue pairs, and where it differs.
 */
abstract class PingPong extends Tool {
    /** What the buffer of most tools holds before anything arrived. */
    private static final byte FILLER = 0x7b;

    /** One send and one receive are the most that can end between two polls. */
    private static final int COMPLETIONS_OF_A_PAIR = 2;

    /** What was asked for. */
    abstract PingPongOptions options();

    /** Refuses options that exclude each other. */
    void requireOptions() {}

    /** Refuses what the device cannot do. */
    void requireDevice(DeviceContext context) {}

    /** Refuses what the port cannot do. */
    abstract void requirePossible(PortChoice port);

    /** Makes the queue pairs, in INIT. */
    abstract PingPongEnds newEnds(ProtectionDomain domain, CompletionQueue queue, PortChoice port);

    /** Makes the memory of the messages. */
    PingPongBuffer newBuffer(ProtectionDomain domain, long size) {
        return PingPongBuffer.pinned(domain, size);
    }

    /**
     * Makes the queue that everything completes into.
     *
     * @param atOnce how many completions are taken together
     */
    PingPongQueue newQueue(
            DeviceContext context, int capacity, @Nullable CompletionChannel channel, int atOnce) {
        return PingPongQueue.plain(context, capacity, channel, atOnce);
    }

    /** Collects the time stamps of receives; null when there are none. */
    @Nullable ClockCycles newClockCycles(DeviceContext context) {
        return null;
    }

    /** How many queue pairs that will be. */
    int pairs() {
        return 1;
    }

    /** How many endpoints cross. */
    int records() {
        return 1;
    }

    /** How many receives the queue of this tool may hold. */
    int maxReceives(DeviceAttributes device) {
        return device.maxQueuePairRequests();
    }

    /** Bytes that the device writes in front of what arrives. */
    int headroom() {
        return 0;
    }

    byte filler() {
        return FILLER;
    }

    String localAddress(PingPongEndpoint local) {
        return "  local address:  " + local;
    }

    @Override
    final void run() throws InterruptedException {
        requireOptions();
        PingPongOptions options = options();
        try (DeviceContext context = PortChoice.device(options.device).open()) {
            requireDevice(context);
            PortChoice port = PortChoice.of(context, options.devicePort, options.gidIndex);
            requirePossible(port);
            requireDepth(context.attributes());
            play(context, port, options);
        }
    }

    /** The completion queue holds every receive and one send of each queue pair. */
    private void requireDepth(DeviceAttributes device) {
        int most = Math.min(maxReceives(device), device.maxCompletions() - pairs());
        if (options().receiveDepth > most) {
            throw new ToolFailure(
                    "a depth of %d receives is too much for the device, which takes %d"
                            .formatted(options().receiveDepth, most));
        }
    }

    private void play(DeviceContext context, PortChoice port, PingPongOptions options)
            throws InterruptedException {
        try (ProtectionDomain domain = context.newProtectionDomain();
                PingPongBuffer buffer = newBuffer(domain, headroom() + options.size);
                @Nullable CompletionChannel channel =
                        options.events ? context.newCompletionChannel() : null;
                PingPongQueue queue =
                        newQueue(
                                context,
                                options.receiveDepth + pairs(),
                                channel,
                                COMPLETIONS_OF_A_PAIR * pairs());
                PingPongEnds ends = newEnds(domain, queue.queue(), port)) {
            buffer.memory().fill(filler());
            MemorySegment message = buffer.memory().asSlice(headroom());
            ClockCycles cycles = newClockCycles(context);
            PingPongLoop loop = new PingPongLoop(ends, queue, buffer, headroom(), options, cycles);
            loop.prepare();

            connect(ends, loop);
            if (options.isClient()) {
                if (options.validate) {
                    markPages(message);
                }
                buffer.toDevice();
                loop.serve();
            }
            long start = System.nanoTime();
            loop.run(options.iterations);
            PingPongReport report =
                    new PingPongReport(options.size, options.iterations, System.nanoTime() - start);

            print(report.throughput());
            print(report.latency());
            if (cycles != null) {
                cycles.lines().forEach(this::print);
            }
            if (!options.isClient() && options.validate) {
                buffer.fromDevice();
                checkPages(message);
            }
        }
    }

    /** Sets what all queue pairs of ping-pongs have; the receives are the tool's. */
    final <B extends QueuePairBuilder<B>> B prepare(B builder, PortChoice port) {
        builder.port(port.port().number()).maxSendRequests(1).maxSendSge(1).maxReceiveSge(1);
        port.gid().ifPresent(builder::gid);
        return builder;
    }

    /**
     * The server's queue pairs are connected before its client hears of them, the client's after.
     */
    private void connect(PingPongEnds ends, PingPongLoop loop) {
        PingPongOptions options = options();
        List<PingPongEndpoint> local =
                ends.pairs().stream().map(pair -> PingPongEndpoint.of(pair.endpoint())).toList();
        local.forEach(end -> print(localAddress(end)));
        PingPongExchange exchange =
                new PingPongExchange(
                        new PeerPort(options.tcpPort, options.silenceLimit()), records());
        String host = options.host;
        List<PingPongEndpoint> remote =
                host == null
                        ? exchange.asServer(
                                local, options.acceptLimit(), client -> connect(ends, loop, client))
                        : exchange.asClient(host, local);
        remote.forEach(end -> print("  remote address: " + end));
        if (host != null) {
            connect(ends, loop, remote);
        }
    }

    private static void connect(
            PingPongEnds ends, PingPongLoop loop, List<PingPongEndpoint> remote) {
        IntStream.range(0, remote.size())
                .forEach(i -> ends.connect(i, remote.get(i), loop.send(i)));
    }

    /**
     * As in the C tools, what is written into each page is its number modulo sizeof(char): always
     * 0, which differs from the {@link #FILLER}.
     */
    private static void markPages(MemorySegment message) {
        long page = pageSize();
        for (long at = 0; at < message.byteSize(); at += page) {
            message.set(ValueLayout.JAVA_BYTE, at, (byte) 0);
        }
    }

    private void checkPages(MemorySegment message) {
        long page = pageSize();
        for (long at = 0; at < message.byteSize(); at += page) {
            if (message.get(ValueLayout.JAVA_BYTE, at) != 0) {
                print("invalid data in page " + at / page);
            }
        }
    }

    private static long pageSize() {
        return Posix.sysconf(Posix._SC_PAGESIZE());
    }
}
