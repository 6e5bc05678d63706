package org.verbs4j.jmh;

/**
 * What is measured on a real device: latency from post to completion, and what a stream of requests
 * reaches.
 */
enum DeviceOperation implements Measured {
    WRITE_8("WRITE 8 B, post to completion", 8),
    WRITE_4K("WRITE 4 KiB, post to completion", 4096),
    READ_8("READ 8 B, post to completion", 8),
    FETCH_AND_ADD("FETCH_AND_ADD, post to completion", 8),
    PING_PONG("SEND 8 B ping-pong, half round trip", 8),
    RATE_1("WRITE 8 B, depth 1", 8, 1, 1),
    RATE_16("WRITE 8 B, depth 16, 4 a post, 1 in 4 signaled", 8, 16, 4),
    RATE_128("WRITE 8 B, depth 128, 32 a post, 1 in 32 signaled", 8, 128, 32),
    BANDWIDTH_1("WRITE 64 KiB, depth 1", 65536, 1, 1),
    BANDWIDTH_16("WRITE 64 KiB, depth 16, 4 a post, 1 in 4 signaled", 65536, 16, 4),
    BANDWIDTH_128("WRITE 64 KiB, depth 128, 32 a post, 1 in 32 signaled", 65536, 128, 32);

    private final String title;
    private final int length;
    private final int depth;
    private final int batch;

    DeviceOperation(String title, int length) {
        this(title, length, 0, 1);
    }

    DeviceOperation(String title, int length, int depth, int batch) {
        this.title = title;
        this.length = length;
        this.depth = depth;
        this.batch = batch;
    }

    @Override
    public String title() {
        return title;
    }

    /** Bytes of a message. */
    int length() {
        return length;
    }

    boolean isStream() {
        return depth != 0;
    }

    /** Requests under way at most, of a stream. */
    int depth() {
        return depth;
    }

    /** Requests to a post, of a stream; the last is signaled. */
    int batch() {
        return batch;
    }
}
