package org.verbs4j.internal;

import jdk.jfr.Category;
import jdk.jfr.Description;
import jdk.jfr.Enabled;
import jdk.jfr.Event;
import jdk.jfr.Label;
import jdk.jfr.Name;

import org.jspecify.annotations.Nullable;

/** The first request of a queue pair that failed, when the program looked at its completion. */
@Name("org.verbs4j.QueuePairFailure")
@Label("RDMA Queue Pair Failure")
@Description("The first failure of a queue pair, which explains what is flushed after it")
@Category("RDMA")
@Enabled(false)
@SuppressWarnings("UnusedVariable") // the recorder reads the fields
public final class QueuePairFailureEvent extends Event {
    @Label("Device")
    private @Nullable String device;

    @Label("Queue Pair Number")
    private int number;

    @Label("Request")
    @Description("The wr_id of the request")
    private long request;

    @Label("Status")
    private @Nullable String status;

    @Label("Vendor Error")
    private int vendorError;

    private QueuePairFailureEvent() {}

    /** It has happened. */
    public static void emit(String device, int number, long request, Enum<?> status, int vendor) {
        QueuePairFailureEvent event = new QueuePairFailureEvent();
        if (event.shouldCommit()) {
            event.device = device;
            event.number = number;
            event.request = request;
            event.status = status.name();
            event.vendorError = vendor;
            event.commit();
        }
    }
}
