package org.verbs4j.examples;

import org.jspecify.annotations.Nullable;
import org.verbs4j.Mtu;

import picocli.CommandLine.IModelTransformer;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Option;

import java.nio.file.Path;
import java.util.EnumSet;
import java.util.Set;

/**
 * What the tools of perftest take, letter for letter and with the defaults of version 4.5, and what
 * ours have beyond. Of these a tool has those that {@link Fit} leaves it: one that makes no sense
 * for a tool is unknown there.
 */
final class PerfOptions extends PeerOptions {
    /** Reads and atomics under way, and the inline size, when nobody asks for any. */
    static final int UP_TO_THE_DEVICE = -1;

    /** Receives of a send test without {@code -r}. */
    static final int USUAL_RECEIVE_DEPTH = 512;

    static final int USUAL_MODERATION = 100;

    private final PerfVerb verb;
    private final boolean bandwidth;

    @Option(
            names = {"-x", "--gid-index"},
            paramLabel = "<index>",
            converter = CNumbers.GidIndex.class,
            description =
                    "use GID with this index (default: none on InfiniBand, the routable one on"
                            + " RoCE)")
    int gidIndex = -1;

    @Option(
            names = {"-s", "--size"},
            paramLabel = "<size>",
            converter = PerfNumbers.Size.class,
            description =
                    "size of message to exchange, also as 4K or 1M (default ${DEFAULT-VALUE})")
    long size;

    @Option(
            names = {"-a", "--all"},
            description = "run sizes from 2 till 2^23; of datagrams, till the MTU")
    boolean all;

    @Option(
            names = {"-n", "--iters"},
            paramLabel = "<iters>",
            converter = PerfNumbers.Iterations.class,
            description = "number of exchanges, at least 5 (default ${DEFAULT-VALUE})")
    int iterations;

    @Option(
            names = {"-D", "--duration"},
            paramLabel = "<seconds>",
            converter = CNumbers.Count.class,
            description = "run for so many seconds instead")
    int seconds;

    @Option(
            names = {"-f", "--margin"},
            paramLabel = "<seconds>",
            converter = PerfNumbers.OrNone.class,
            description = "of -D, do not measure so many at each end (default a quarter)")
    int margin = -1;

    @Option(
            names = {"-c", "--connection"},
            paramLabel = "<type>",
            description = "connection type: RC, UC (send, write) or UD (send) (default RC)")
    PerfTransport transport = PerfTransport.RC;

    @Option(
            names = {"-m", "--mtu"},
            paramLabel = "<mtu>",
            converter = PathMtu.class,
            description = "path MTU, of which the smaller of both sides holds (default active MTU)")
    @Nullable Mtu mtu;

    @Option(
            names = {"-t", "--tx-depth"},
            paramLabel = "<dep>",
            converter = PerfNumbers.SendDepth.class,
            description = "size of the send queue (default ${DEFAULT-VALUE})")
    int sendDepth;

    @Option(
            names = {"-r", "--rx-depth"},
            paramLabel = "<dep>",
            converter = PerfNumbers.To16384.class,
            description = "size of the receive queue (default ${DEFAULT-VALUE})")
    int receiveDepth = USUAL_RECEIVE_DEPTH;

    @Option(
            names = {"-q", "--qp"},
            paramLabel = "<num>",
            converter = PerfNumbers.To16384.class,
            description = "number of queue pairs (default 1)")
    int pairs = 1;

    @Option(
            names = {"-Q", "--cq-mod"},
            paramLabel = "<num>",
            converter = PerfNumbers.Moderation.class,
            description = "one completion for so many sends (default 100, of large messages 1)")
    int moderation;

    @Option(
            names = {"-l", "--post_list"},
            paramLabel = "<size>",
            converter = PerfNumbers.SendDepth.class,
            description = "post lists of so many sends (default one by one)")
    int postList = 1;

    @Option(
            names = {"-b", "--bidirectional"},
            description = "measure both directions at once")
    boolean duplex;

    @Option(
            names = {"-N", "--noPeak"},
            description = "no peak bandwidth (default with it up to 20000 exchanges)")
    boolean noPeak;

    @Option(
            names = {"-I", "--inline_size"},
            paramLabel = "<size>",
            converter = PerfNumbers.Inline.class,
            description = "send messages up to so many bytes inline (default as perftest)")
    int inline = UP_TO_THE_DEVICE;

    @Option(
            names = {"-o", "--outs"},
            paramLabel = "<num>",
            converter = PerfNumbers.Outstanding.class,
            description = "reads or atomics under way (default what the device can)")
    int outstanding = UP_TO_THE_DEVICE;

    @Option(
            names = {"-A", "--atomic_type"},
            paramLabel = "<type>",
            description = "${COMPLETION-CANDIDATES} (default ${DEFAULT-VALUE})")
    Atomic atomic = Atomic.FETCH_AND_ADD;

    @Option(
            names = {"-e", "--events"},
            description = "sleep on CQ events (default poll)")
    boolean events;

    @Option(
            names = {"-R", "--rdma_cm"},
            description = "connect the queue pairs by rdma_cm, which has no UC, and talk over it")
    boolean rdmaCm;

    @Option(
            names = {"-u", "--qp-timeout"},
            paramLabel = "<timeout>",
            converter = PerfNumbers.AckTimeout.class,
            description = "acknowledgement time-out, 4 usec * 2^timeout (default 14)")
    int ackTimeout = 14;

    @Option(
            names = {"-S", "--sl"},
            paramLabel = "<sl>",
            converter = CNumbers.ServiceLevel.class,
            description = "service level (default 0)")
    int serviceLevel;

    @Option(
            names = {"-F", "--CPU-freq"},
            description = "no warning when the processor may change its frequency")
    boolean anyFrequency;

    @Option(
            names = "--report_gbits",
            description = "report Gbit/s (10^9 bits) instead of MB/s (2^20 bytes)")
    boolean gigabits;

    @Option(
            names = "--histogram",
            paramLabel = "<file>",
            description =
                    "write all percentiles as HdrHistogram does; with -a a file for each size")
    @Nullable Path histogram;

    @Option(
            names = "--plot",
            paramLabel = "<file>",
            description = "draw latency over percentile as SVG, with -a all sizes in one picture")
    @Nullable Path plot;

    @Option(names = "--json", paramLabel = "<file>", description = "write the results as JSON")
    @Nullable Path json;

    @Option(
            names = "--progress",
            negatable = true,
            description = "tell each second how far it is (default on a terminal)")
    @Nullable Boolean progress;

    @Option(
            names = "--warm-up",
            paramLabel = "<iters>",
            converter = PerfNumbers.OrNone.class,
            description =
                    "exchanges of this process with itself before it meets the peer, within 2 s, so"
                            + " that the JIT has done its work (default ${DEFAULT-VALUE}; 0: none)")
    int warmUp = 20_000;

    @Option(
            names = "--run-timeout",
            paramLabel = "<seconds>",
            converter = CNumbers.Count.class,
            description = "how long a server that has nothing to do waits (default 3600)")
    int runSeconds = 3600;

    /** The atomic operation. */
    enum Atomic {
        /** {@code IBV_WR_ATOMIC_CMP_AND_SWP}. */
        CMP_AND_SWAP,
        /** {@code IBV_WR_ATOMIC_FETCH_AND_ADD}. */
        FETCH_AND_ADD
    }

    PerfOptions(PerfVerb verb, boolean bandwidth) {
        this.verb = verb;
        this.bandwidth = bandwidth;
        this.size = usualSize();
        this.iterations = bandwidth && verb == PerfVerb.WRITE ? 5000 : 1000;
        this.sendDepth = bandwidth ? 128 : 1;
    }

    /** Bytes of a message without {@code -s}. */
    long usualSize() {
        return verb == PerfVerb.ATOMIC ? Long.BYTES : bandwidth ? 65_536 : 2;
    }

    PerfVerb verb() {
        return verb;
    }

    boolean isBandwidth() {
        return bandwidth;
    }

    /** What is not of this tool. */
    private Set<Letter> foreign() {
        Set<Letter> foreign = EnumSet.noneOf(Letter.class);
        for (Letter letter : Letter.values()) {
            if (!letter.isOf(verb, bandwidth)) {
                foreign.add(letter);
            }
        }
        return foreign;
    }

    /** Options that not every tool has. */
    private enum Letter {
        SIZE("-s"),
        ALL("-a"),
        CONNECTION("-c"),
        RECEIVES("-r"),
        PAIRS("-q"),
        MODERATION("-Q"),
        LIST("-l"),
        DUPLEX("-b"),
        NO_PEAK("-N"),
        INLINE("-I"),
        OUTSTANDING("-o"),
        ATOMIC("-A"),
        EVENTS("-e"),
        GIGABITS("--report_gbits"),
        HISTOGRAM("--histogram"),
        PLOT("--plot");

        private final String option;

        Letter(String option) {
            this.option = option;
        }

        private boolean isOf(PerfVerb verb, boolean bandwidth) {
            return switch (this) {
                case SIZE, ALL -> verb != PerfVerb.ATOMIC;
                case CONNECTION, INLINE -> !verb.isRoundTrip();
                case RECEIVES -> verb == PerfVerb.SEND;
                case PAIRS, MODERATION, LIST, DUPLEX, NO_PEAK, GIGABITS -> bandwidth;
                case OUTSTANDING -> verb.isRoundTrip();
                case ATOMIC -> verb == PerfVerb.ATOMIC;
                case EVENTS -> verb != PerfVerb.WRITE;
                case HISTOGRAM, PLOT -> !bandwidth;
            };
        }
    }

    /** Takes away from a tool the options that are not its own. */
    static final class Fit implements IModelTransformer {
        @Override
        public CommandSpec transform(CommandSpec spec) {
            PerfTool tool = (PerfTool) spec.userObject();
            for (Letter letter : tool.options().foreign()) {
                OptionSpec option = spec.findOption(letter.option);
                spec.remove(option);
            }
            return spec;
        }
    }
}
