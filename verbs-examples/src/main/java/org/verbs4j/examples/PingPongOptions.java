package org.verbs4j.examples;

import org.jspecify.annotations.Nullable;
import org.verbs4j.Mtu;

import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

import java.time.Duration;

/** What the ping-pong tools of rdma-core take, letter for letter and with their defaults. */
final class PingPongOptions {
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
            description = "size of message to exchange (default 4096)")
    long size = 4096;

    @Option(
            names = {"-m", "--mtu"},
            paramLabel = "<size>",
            converter = PathMtu.class,
            description = "path MTU (default 1024)")
    Mtu mtu = Mtu.BYTES_1024;

    @Option(
            names = {"-r", "--rx-depth"},
            paramLabel = "<dep>",
            converter = CNumbers.Count.class,
            description = "number of receives to post at a time (default 500)")
    int receiveDepth = 500;

    @Option(
            names = {"-n", "--iters"},
            paramLabel = "<iters>",
            converter = CNumbers.Count.class,
            description = "number of exchanges (default 1000)")
    int iterations = 1000;

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
            names = {"-c", "--chk"},
            description = "validate received buffer")
    boolean validate;

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
            description = "how long a connected peer may keep silent (default 10)")
    int silenceSeconds = 10;

    @Parameters(
            arity = "0..1",
            paramLabel = "<host>",
            description = "connect to server at <host>; none: be the server")
    @Nullable String host;

    Duration acceptLimit() {
        return TimeLimits.scaled(Duration.ofSeconds(acceptSeconds));
    }

    Duration silenceLimit() {
        return TimeLimits.scaled(Duration.ofSeconds(silenceSeconds));
    }
}
