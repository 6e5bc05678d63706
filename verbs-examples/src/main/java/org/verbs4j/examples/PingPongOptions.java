package org.verbs4j.examples;

import picocli.CommandLine.Option;

/** What all ping-pong tools of rdma-core take, letter for letter and with their defaults. */
class PingPongOptions extends MeetingOptions {
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
            names = {"-c", "--chk"},
            description = "validate received buffer")
    boolean validate;

    /**
     * @param size bytes of a message without {@code -s}
     */
    PingPongOptions(long size) {
        super(size);
    }
}
