package org.verbs4j.examples;

import picocli.CommandLine.Option;

/** What tools that meet a peer as those of rdma-core do take, with their letters and defaults. */
class MeetingOptions extends PeerOptions {
    /** What most of the C tools send without {@code -s}. */
    static final long DEFAULT_SIZE = 4096;

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

    /**
     * @param size bytes of a message without {@code -s}
     */
    MeetingOptions(long size) {
        this.size = size;
    }
}
