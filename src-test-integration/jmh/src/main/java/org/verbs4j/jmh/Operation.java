package org.verbs4j.jmh;

/** What is measured on the null device, one row of the report each. */
public enum Operation implements Measured {
    POST("post_send, 1 request"),
    POLL_HIT("poll_cq(1), hit"),
    POLL_EMPTY("poll_cq(1), empty"),
    NOTIFY("req_notify_cq"),
    RECEIVE("post_recv, 1 request"),
    PAIR("post + poll, request prepared"),
    FULL_PAIR("post + poll, all fields written, 4 read"),
    SYSCALL_PAIR("post + poll, one system call in the post"),
    BATCH_4("batch of 4, per request", 4),
    BATCH_16("batch of 16, per request", 16),
    BATCH_32("batch of 32, per request", 32),
    FILL("fill a request"),
    READ("read a completion");

    private final String title;
    private final int batch;

    Operation(String title) {
        this(title, 1);
    }

    Operation(String title, int batch) {
        this.title = title;
        this.batch = batch;
    }

    @Override
    public String title() {
        return title;
    }

    /** Requests in one call. */
    int batch() {
        return batch;
    }
}
