package org.verbs4j.examples;

import picocli.CommandLine.Option;

import java.time.Duration;

/** What both sides of a file transfer take. */
final class FileOptions {
    /** Nobody's by the lists of IANA. */
    private static final int PORT = 7476;

    @Option(
            names = {"-p", "--port"},
            paramLabel = "<port>",
            converter = CNumbers.TcpPort.class,
            description = "port of the receiver (default 7476)")
    int port = PORT;

    @Option(
            names = "--part",
            paramLabel = "<bytes>",
            converter = CNumbers.Size.class,
            description = {
                "how much of the file to register at a time (default 33554432);",
                "less where locked memory is short"
            })
    long partSize = 32 << 20;

    @Option(
            names = "--timeout",
            paramLabel = "<seconds>",
            converter = CNumbers.Count.class,
            description = "how long the other side may keep silent (default 8)")
    private int silenceSeconds = 8;

    Duration silenceLimit() {
        return TimeLimits.scaled(Duration.ofSeconds(silenceSeconds));
    }
}
