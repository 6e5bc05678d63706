package org.verbs4j.internal;

import jdk.jfr.Category;
import jdk.jfr.Description;
import jdk.jfr.Enabled;
import jdk.jfr.Event;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.StackTrace;

import org.jspecify.annotations.Nullable;

/** A queue pair has been moved to a state, or that has been refused. */
@Name("org.verbs4j.QueuePairState")
@Label("RDMA Queue Pair State")
@Description("A change of a queue pair's state by this program")
@Category("RDMA")
@Enabled(false)
@StackTrace(false)
@SuppressWarnings("UnusedVariable") // the recorder reads the fields
public final class QueuePairStateEvent extends Event {
    @Label("Device")
    private @Nullable String device;

    @Label("Queue Pair Number")
    private int number;

    @Label("From")
    private @Nullable String from;

    @Label("To")
    private @Nullable String to;

    @Label("Error Number")
    @Description("0 when it succeeded")
    private int errno;

    private QueuePairStateEvent() {}

    /** Before the verb. */
    public static QueuePairStateEvent started() {
        QueuePairStateEvent event = new QueuePairStateEvent();
        event.begin();
        return event;
    }

    /** After it. */
    public void done(String onDevice, int pair, Enum<?> before, Enum<?> after, int error) {
        if (shouldCommit()) {
            device = onDevice;
            number = pair;
            from = before.name();
            to = after.name();
            errno = error;
            commit();
        }
    }
}
