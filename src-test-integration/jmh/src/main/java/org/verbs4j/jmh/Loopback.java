package org.verbs4j.jmh;

import org.verbs4j.Access;
import org.verbs4j.CompletionChannel;
import org.verbs4j.CompletionQueue;
import org.verbs4j.Device;
import org.verbs4j.DeviceContext;
import org.verbs4j.MemoryRegion;
import org.verbs4j.ProtectionDomain;
import org.verbs4j.RcQueuePair;
import org.verbs4j.RemoteBuffer;

/**
 * A reliable queue pair with its queue and a region whose first half is sent into its second: what
 * every contender of an operation works on. Connected to itself unless told otherwise.
 *
 * @param ownsContext whether closing it closes context and domain too
 */
record Loopback(
        DeviceContext context,
        ProtectionDomain domain,
        CompletionChannel channel,
        CompletionQueue queue,
        RcQueuePair pair,
        MemoryRegion region,
        RemoteBuffer remote,
        int length,
        boolean ownsContext)
        implements AutoCloseable {
    /** What the twins and slices may have under way. */
    static final int DEPTH = 128;

    /**
     * A multiple of what the C twins cycle through, so that sums over a slice do not depend on
     * where it began.
     */
    private static final int SEND_RING = 256;

    static Loopback open(Device device, int length) {
        Loopback loopback = openUnconnected(device, length);
        loopback.pair.connect(loopback.pair.endpoint());
        return loopback;
    }

    static Loopback openUnconnected(Device device, int length) {
        DeviceContext context = device.open();
        return in(context, context.newProtectionDomain(), length, true);
    }

    /** Another one in the same domain, unconnected; close it first. */
    Loopback sibling() {
        return in(context, domain, length, false);
    }

    private static Loopback in(
            DeviceContext context, ProtectionDomain domain, int length, boolean owns) {
        CompletionChannel channel = context.newCompletionChannel();
        CompletionQueue queue = context.newCompletionQueue(2 * SEND_RING, channel, 0);
        RcQueuePair pair =
                domain.newRcQueuePair(queue, queue)
                        .remoteAccess(Access.REMOTE_WRITE, Access.REMOTE_READ, Access.REMOTE_ATOMIC)
                        .maxSendRequests(SEND_RING)
                        .maxReceiveRequests(SEND_RING)
                        .build();
        MemoryRegion region =
                domain.allocate(
                        2L * length,
                        Access.LOCAL_WRITE,
                        Access.REMOTE_WRITE,
                        Access.REMOTE_READ,
                        Access.REMOTE_ATOMIC);
        RemoteBuffer remote = region.remote(length, length);
        return new Loopback(context, domain, channel, queue, pair, region, remote, length, owns);
    }

    @Override
    public void close() {
        pair.close();
        region.close();
        queue.close();
        channel.close();
        if (ownsContext) {
            domain.close();
            context.close();
        }
    }
}
