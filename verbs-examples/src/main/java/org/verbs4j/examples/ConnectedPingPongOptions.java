package org.verbs4j.examples;

import org.verbs4j.ConnectOptions;
import org.verbs4j.Mtu;

import picocli.CommandLine.Option;

/** What the ping-pong tools of connected queue pairs take. */
final class ConnectedPingPongOptions extends PingPongOptions {
    @Option(
            names = {"-m", "--mtu"},
            paramLabel = "<size>",
            converter = PathMtu.class,
            description = "path MTU (default 1024)")
    Mtu mtu = Mtu.BYTES_1024;

    ConnectedPingPongOptions() {
        super(DEFAULT_SIZE);
    }

    /**
     * The attributes of the C tools: a hop limit of 1, one read in each direction, retries for
     * ever.
     */
    ConnectOptions connectOptions() {
        return new ConnectOptions(mtu, 14, 7, 7, 12, 1, 1, serviceLevel, 0, 1);
    }
}
