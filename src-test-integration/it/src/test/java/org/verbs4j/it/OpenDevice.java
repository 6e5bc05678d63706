package org.verbs4j.it;

import org.verbs4j.AddressVector;
import org.verbs4j.CompletionQueue;
import org.verbs4j.DeviceContext;
import org.verbs4j.Devices;
import org.verbs4j.GidEntry;
import org.verbs4j.MemoryRegion;
import org.verbs4j.Port;
import org.verbs4j.ProtectionDomain;
import org.verbs4j.QueuePair;
import org.verbs4j.ReceiveQueue;
import org.verbs4j.ReceiveRequest;
import org.verbs4j.SendRequest;
import org.verbs4j.WorkCompletions;
import org.verbs4j.examples.Resources;

import java.nio.charset.StandardCharsets;
import java.util.List;

/**
 * The first device with a domain, memory and one completion queue for each direction, for queue
 * pairs of any type.
 */
final class OpenDevice implements AutoCloseable {
    private static final int COMPLETIONS = 256;

    private final Resources open = new Resources();
    final DeviceContext context = keep(Devices.first().open());
    final ProtectionDomain domain = keep(context.newProtectionDomain());
    final CompletionQueue sends = keep(context.newCompletionQueue(COMPLETIONS));
    final CompletionQueue receives = keep(context.newCompletionQueue(COMPLETIONS));
    final MemoryRegion memory = keep(domain.allocate(RdmaPair.MEMORY, RdmaPair.ALL));

    /** Closes something with the device, in the reverse order. */
    <T extends AutoCloseable> T keep(T resource) {
        return open.keep(resource);
    }

    Port port() {
        return context.activePort();
    }

    GidEntry gid() {
        return port().routableGid().orElseThrow();
    }

    /** The way from this device to itself. */
    AddressVector loopback() {
        return new AddressVector(
                port().number(),
                0,
                0,
                new AddressVector.GlobalRoute(gid().gid(), gid().index(), 0, 64, 0));
    }

    /** Posts a receive. */
    void receive(ReceiveQueue queue, long id, long offset, long length) {
        ReceiveRequest request = queue.newReceive().id(id).into(memory, offset, length);
        queue.post(request);
    }

    /** Posts and waits for the completion. */
    Done run(QueuePair pair, SendRequest request) {
        pair.post(request);
        return next(sends, 1).getFirst();
    }

    /** The next completion of a receive. */
    Done received() {
        return next(receives, 1).getFirst();
    }

    /** The next completions of a queue. */
    List<Done> next(CompletionQueue queue, int count) {
        return Waits.completions(queue, count);
    }

    /** Whether nothing has come. */
    boolean idle(CompletionQueue queue) {
        return queue.poll(WorkCompletions.allocate(1)) == 0;
    }

    void put(long offset, String text) {
        byte[] bytes = text.getBytes(StandardCharsets.US_ASCII);
        memory.segment().asSlice(offset, bytes.length).asByteBuffer().put(bytes);
    }

    String get(long offset, int length) {
        byte[] bytes = new byte[length];
        memory.segment().asSlice(offset, length).asByteBuffer().get(bytes);
        return new String(bytes, StandardCharsets.US_ASCII);
    }

    @Override
    public void close() {
        open.close();
    }
}
