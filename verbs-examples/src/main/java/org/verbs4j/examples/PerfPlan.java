package org.verbs4j.examples;

import org.verbs4j.DeviceAttributes;
import org.verbs4j.DeviceContext;
import org.verbs4j.TransportType;

import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;

import java.util.List;
import java.util.stream.LongStream;

/**
 * What a run of a perftest tool comes to: the options with what they say about each other, by the
 * rules of version 4.5, so that both sides count alike.
 *
 * @param options what was asked for
 * @param isClient this side's part
 * @param size bytes of a message; of the largest with {@code -a}
 * @param iterations messages of a queue pair; 0 when {@code -D} limits the time instead
 * @param sendDepth sends under way on a queue pair
 * @param receiveDepth receives posted ahead on a queue pair
 * @param moderation sends to a completion
 * @param peak whether the best stretch of a bandwidth test is looked for
 */
record PerfPlan(
        PerfOptions options,
        boolean isClient,
        long size,
        int iterations,
        int sendDepth,
        int receiveDepth,
        int moderation,
        boolean peak) {
    /** The largest message of {@code -a}. */
    private static final long LARGEST = 1 << 23;

    /** Above, a completion for many messages would say too little about the bandwidth. */
    private static final long LARGEST_MODERATED = 8192;

    /** Datagrams get a receive each, up to this. */
    private static final int UNRELIABLE_RECEIVES = 16_000;

    /** Looking for the peak takes time that grows with the square. */
    private static final int PEAK_ITERATIONS = 20_000;

    static PerfPlan of(PerfOptions options, CommandSpec spec) {
        requireSense(options, spec);
        boolean timed = options.seconds > 0;
        int iterations = timed ? 0 : options.iterations;
        int sends = timed ? options.sendDepth : Math.min(options.sendDepth, iterations);
        boolean peak =
                options.isBandwidth()
                        && !timed
                        && !options.noPeak
                        && (long) iterations * options.pairs <= PEAK_ITERATIONS
                        && (options.verb() != PerfVerb.SEND
                                || options.isClient()
                                || options.duplex);
        return new PerfPlan(
                options,
                options.isClient(),
                options.all ? LARGEST : options.size,
                iterations,
                sends,
                receives(options, iterations),
                moderation(options, sends),
                peak);
    }

    private static void requireSense(PerfOptions options, CommandSpec spec) {
        boolean timed = options.seconds > 0;
        refuse(spec, timed && options.events, "-D does not go with -e");
        refuse(spec, timed && options.all, "-D does not go with -a");
        refuse(
                spec,
                timed && (options.histogram != null || options.plot != null),
                "-D measures an average only: --histogram and --plot need -n");
        refuse(
                spec,
                timed && options.seconds <= 2L * margin(options),
                "-D has to be more than twice -f");
        refuse(spec, !timed && options.margin >= 0, "-f goes with -D only");
        refuse(
                spec,
                !options.isClient()
                        && !options.isBandwidth()
                        && options.verb().isRoundTrip()
                        && (options.histogram != null
                                || options.plot != null
                                || options.json != null),
                "the server measures nothing: give --histogram, --plot and --json to the client");
        refuse(
                spec,
                options.rdmaCm && options.transport == PerfTransport.UC,
                "-R does not go with -c UC: rdma_cm has no unreliable connections");
        refuse(
                spec,
                options.verb() == PerfVerb.WRITE && options.transport == PerfTransport.UD,
                "datagrams cannot write: -c is RC or UC");
        refuse(
                spec,
                !timed && options.iterations % options.postList != 0,
                "-n has to be a multiple of -l");
        refuse(
                spec,
                options.postList > 1
                        && options.moderation > 0
                        && options.postList % options.moderation != 0,
                "-l has to be a multiple of -Q");
        refuse(
                spec,
                options.postList > Math.max(1, options.sendDepth),
                "-l must not be more than -t");
    }

    private static void refuse(CommandSpec spec, boolean wrong, String sentence) {
        if (wrong) {
            throw new ParameterException(spec.commandLine(), sentence);
        }
    }

    private static int receives(PerfOptions options, int iterations) {
        boolean timed = iterations == 0;
        int depth = options.receiveDepth;
        if (!timed) {
            depth = Math.min(depth, iterations);
            if (options.transport != PerfTransport.RC
                    && options.receiveDepth == PerfOptions.USUAL_RECEIVE_DEPTH) {
                depth = Math.min(iterations, UNRELIABLE_RECEIVES);
            }
        }
        return options.all ? depth : depth + depth % 2;
    }

    private static int moderation(PerfOptions options, int sendDepth) {
        if (options.postList > 1 && options.moderation == 0) {
            return options.postList;
        }
        boolean large =
                options.size > LARGEST_MODERATED
                        && options.transport != PerfTransport.UD
                        && !options.all
                        && !options.events;
        int usual = large ? 1 : PerfOptions.USUAL_MODERATION;
        return Math.min(options.moderation == 0 ? usual : options.moderation, sendDepth);
    }

    private static int margin(PerfOptions options) {
        return options.margin >= 0 ? options.margin : options.seconds / 4;
    }

    PerfVerb verb() {
        return options.verb();
    }

    PerfTransport transport() {
        return options.transport;
    }

    boolean isTimed() {
        return iterations == 0;
    }

    /** Seconds at each end of {@code -D} that do not count. */
    int margin() {
        return margin(options);
    }

    /** Whether this side posts requests. */
    boolean sends() {
        return isClient || options.duplex || (!options.isBandwidth() && !verb().isRoundTrip());
    }

    /** Whether this side takes messages. */
    boolean receives() {
        return verb() == PerfVerb.SEND && (!isClient || options.duplex || !options.isBandwidth());
    }

    /** The sizes to measure, one after the other. */
    List<Long> sizes() {
        return options.all
                ? LongStream.iterate(2, bytes -> bytes <= size, bytes -> bytes * 2).boxed().toList()
                : List.of(size);
    }

    /** This plan when no message is longer than that. */
    PerfPlan upTo(long most) {
        return new PerfPlan(
                options,
                isClient,
                Math.min(size, most),
                iterations,
                sendDepth,
                receiveDepth,
                moderation,
                peak);
    }

    /** A few messages on one queue pair of this process with another. */
    PerfPlan warmUp(boolean asClient, int count) {
        int receives = Math.min(receiveDepth, count);
        int sends = Math.min(sendDepth, count);
        return new PerfPlan(
                options,
                asClient,
                Math.min(size, PerfPath.USUAL_PAGE),
                count,
                sends,
                receives,
                Math.min(moderation, sends),
                peak);
    }

    /** Refuses what the device cannot hold. */
    void requirePossible(PortChoice port, DeviceContext context) {
        if (context.device().transport() == TransportType.IWARP
                && verb() == PerfVerb.SEND
                && options.isBandwidth()) {
            throw new ToolFailure(
                    context.device().name()
                            + " is iWARP, over which ib_send_bw counts receives by writes of its"
                            + " own, which this tool does not know: use write-bw");
        }
        DeviceAttributes device = context.attributes();
        if (size > port.attributes().maxMessageSize()) {
            port.requireFit(size, port.attributes().activeMtu());
        }
        if (options.mtu != null) {
            port.requireFit(0, options.mtu);
        }
        requireDepth("sends", sendDepth, device);
        requireDepth("receives", receiveDepth, device);
    }

    private void requireDepth(String what, int depth, DeviceAttributes device) {
        int most = Math.min(device.maxQueuePairRequests(), device.maxCompletions() / options.pairs);
        if (depth > most) {
            throw new ToolFailure(
                    "a depth of %d %s on each of %d queue pairs is too much for the device, which takes %d"
                            .formatted(depth, what, options.pairs, most));
        }
    }
}
