package org.verbs4j.examples;

import org.jspecify.annotations.Nullable;

import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

import java.time.Duration;

/**
 * What all tools that meet a peer over TCP take. The time limits are ours: the C tools wait for
 * ever.
 */
class PeerOptions {
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
