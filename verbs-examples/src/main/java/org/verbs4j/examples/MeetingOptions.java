package org.verbs4j.examples;

import org.jspecify.annotations.Nullable;

import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

import java.time.Duration;

/**
 * What tools that meet a peer over TCP take, with the letters and defaults of rdma-core. The time
 * limits are ours: the C tools wait for ever.
 */
class MeetingOptions {
    /** What most of the C tools send without {@code -s}. */
    static final long DEFAULT_SIZE = 4096;

    @Option(
            names = {"-p", "--port"},
            paramLabel = "<port>",
            converter = CNumbers.TcpPort.class,
            description = "listen on/connect to port <port> (default 18515)")
    int tcpPort = 18515;

    @Option(
            names = {"-d", "--ib-dev"},
            paramLabel = "<dev>",
            description = "use IB device <dev> (default first device found)")
    @Nullable String device;

    @Option(
            names = {"-i", "--ib-port"},
            paramLabel = "<port>",
            converter = CNumbers.DevicePort.class,
            description = "use port <port> of IB device (default 1)")
    int devicePort = 1;

    @Option(
            names = {"-s", "--size"},
            paramLabel = "<size>",
            converter = CNumbers.Size.class,
            description = "size of message to exchange (default ${DEFAULT-VALUE})")
    long size;

    @Option(
            names = {"-l", "--sl"},
            paramLabel = "<sl>",
            converter = CNumbers.ServiceLevel.class,
            description = "service level value")
    int serviceLevel;

    @Option(
            names = {"-e", "--events"},
            description = "sleep on CQ events (default poll)")
    boolean events;

    @Option(
            names = {"-g", "--gid-idx"},
            paramLabel = "<gid index>",
            converter = CNumbers.GidIndex.class,
            description =
                    "local port gid index (default: none on InfiniBand, the routable one on RoCE)")
    int gidIndex = -1;

    @Option(
            names = "--accept-timeout",
            paramLabel = "<seconds>",
            converter = CNumbers.Count.class,
            description = "how long a server waits for its client (default 300)")
    int acceptSeconds = 300;

    @Option(
            names = "--timeout",
            paramLabel = "<seconds>",
            converter = CNumbers.Count.class,
            description = "how long a connected peer may keep silent (default 8)")
    int silenceSeconds = 8;

    @Parameters(
            arity = "0..1",
            paramLabel = "<host>",
            description = "connect to server at <host>; none: be the server")
    @Nullable String host;

    /**
     * @param size bytes of a message without {@code -s}
     */
    MeetingOptions(long size) {
        this.size = size;
    }

    final boolean isClient() {
        return host != null;
    }

    Duration acceptLimit() {
        return TimeLimits.scaled(Duration.ofSeconds(acceptSeconds));
    }

    Duration silenceLimit() {
        return TimeLimits.scaled(Duration.ofSeconds(silenceSeconds));
    }
}
