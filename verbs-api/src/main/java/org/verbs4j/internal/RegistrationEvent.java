package org.verbs4j.internal;

import jdk.jfr.Category;
import jdk.jfr.DataAmount;
import jdk.jfr.Description;
import jdk.jfr.Enabled;
import jdk.jfr.Event;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.Unsigned;

import org.jspecify.annotations.Nullable;

/** Memory has been registered, or not; its duration is that of the verb. */
@Name("org.verbs4j.Registration")
@Label("RDMA Memory Registration")
@Description("Memory handed to an RDMA device")
@Category("RDMA")
@Enabled(false)
@SuppressWarnings("UnusedVariable") // the recorder reads the fields
public final class RegistrationEvent extends Event {
    @Label("Device")
    private @Nullable String device;

    @Label("Address")
    @Unsigned
    private long address;

    @Label("Length")
    @DataAmount
    private long length;

    @Label("Access")
    @Description("The bits of enum ibv_access_flags")
    private int access;

    @Label("Error Number")
    @Description("0 when it succeeded")
    private int errno;

    private RegistrationEvent() {}

    /** Before the verb. */
    public static RegistrationEvent started() {
        RegistrationEvent event = new RegistrationEvent();
        event.begin();
        return event;
    }

    /** After it. */
    public void done(String onDevice, long at, long bytes, int accessBits, int error) {
        if (shouldCommit()) {
            device = onDevice;
            address = at;
            length = bytes;
            access = accessBits;
            errno = error;
            commit();
        }
    }
}
