package org.verbs4j.internal;

import jdk.jfr.Category;
import jdk.jfr.Description;
import jdk.jfr.Enabled;
import jdk.jfr.Event;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.StackTrace;

import org.jspecify.annotations.Nullable;

/** The connection manager has told something. */
@Name("org.verbs4j.ConnectionEvent")
@Label("RDMA Connection Event")
@Description("An event of the RDMA connection manager")
@Category("RDMA")
@Enabled(false)
@StackTrace(false)
@SuppressWarnings("UnusedVariable") // the recorder reads the fields
public final class ConnectionManagerEvent extends Event {
    @Label("Event")
    private @Nullable String kind;

    @Label("Status")
    private int status;

    @Label("Connection")
    @Description("Its local and remote address")
    private @Nullable String id;

    private ConnectionManagerEvent() {}

    /**
     * It has been read.
     *
     * @param subject whose text is asked for only while somebody records
     */
    public static void emit(String kind, int status, Object subject) {
        ConnectionManagerEvent event = new ConnectionManagerEvent();
        if (event.shouldCommit()) {
            event.kind = kind;
            event.status = status;
            event.id = subject.toString();
            event.commit();
        }
    }
}
