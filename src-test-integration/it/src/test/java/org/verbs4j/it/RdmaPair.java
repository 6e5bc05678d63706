package org.verbs4j.it;

import org.verbs4j.Access;
import org.verbs4j.CompletionChannel;
import org.verbs4j.CompletionQueue;
import org.verbs4j.ConnectOptions;
import org.verbs4j.Device;
import org.verbs4j.DeviceContext;
import org.verbs4j.Devices;
import org.verbs4j.MemoryRegion;
import org.verbs4j.ProtectionDomain;
import org.verbs4j.RcQueuePair;
import org.verbs4j.ReceiveRequest;
import org.verbs4j.SendRequest;
import org.verbs4j.WorkCompletions;
import org.verbs4j.examples.Resources;

import java.lang.foreign.ValueLayout;
import java.util.List;
import java.util.function.Consumer;

/**
 * Two reliable connected queue pairs, each on a context of its own with memory that the other may
 * do everything with.
 *
 * <p>Closes everything in the order that the library demands, which itself is a test of it.
 */
final class RdmaPair implements AutoCloseable {
    static final long MEMORY = 2L << 20;
    static final Access[] ALL = {
        Access.LOCAL_WRITE, Access.REMOTE_WRITE, Access.REMOTE_READ, Access.REMOTE_ATOMIC
    };
    private static final Access[] REMOTE = {
        Access.REMOTE_WRITE, Access.REMOTE_READ, Access.REMOTE_ATOMIC
    };
    private static final int COMPLETIONS = 256;

    private final Resources open = new Resources();
    final Side left;
    final Side right;

    private RdmaPair(Device leftDevice, Device rightDevice, Consumer<RcQueuePair.Builder> options) {
        try {
            left = new Side(this, leftDevice, options);
            right = new Side(this, rightDevice, options);
        } catch (RuntimeException e) {
            close();
            throw e;
        }
    }

    /** Both queue pairs on the first device, connected. */
    static RdmaPair onOneDevice() {
        return onOneDevice(builder -> {}).connect(ConnectOptions.defaults());
    }

    /** Both queue pairs on the first device, not connected. */
    static RdmaPair onOneDevice(Consumer<RcQueuePair.Builder> options) {
        Device first = Devices.first();
        return new RdmaPair(first, first, options);
    }

    /**
     * The queue pairs on the first and the second device, so that packets leave the device;
     * connected.
     */
    static RdmaPair onTwoDevices() {
        List<Device> devices = Devices.list();
        return new RdmaPair(devices.getFirst(), devices.getLast(), builder -> {})
                .connect(ConnectOptions.defaults());
    }

    RdmaPair connect(ConnectOptions options) {
        left.pair.connect(right.pair.endpoint(), options);
        right.pair.connect(left.pair.endpoint(), options);
        return this;
    }

    private <T extends AutoCloseable> T keep(T resource) {
        return open.keep(resource);
    }

    @Override
    public void close() {
        open.close();
    }

    /** One end. */
    static final class Side {
        final DeviceContext context;
        final ProtectionDomain domain;
        final CompletionChannel channel;
        final CompletionQueue queue;
        final RcQueuePair pair;
        final MemoryRegion memory;

        private Side(RdmaPair owner, Device device, Consumer<RcQueuePair.Builder> options) {
            context = owner.keep(device.open());
            domain = owner.keep(context.newProtectionDomain());
            channel = owner.keep(context.newCompletionChannel());
            queue = owner.keep(context.newCompletionQueue(COMPLETIONS, channel, 0));
            memory = owner.keep(domain.allocate(MEMORY, ALL));
            RcQueuePair.Builder builder =
                    domain.newRcQueuePair(queue, queue).remoteAccess(REMOTE).maxInlineData(64);
            options.accept(builder);
            pair = owner.keep(builder.build());
        }

        /** A receive into this side's memory, posted. */
        ReceiveRequest receive(long id, long offset, long length) {
            ReceiveRequest request = pair.newReceive().id(id).into(memory, offset, length);
            pair.post(request);
            return request;
        }

        /** Posts and waits for the completion. */
        Done run(SendRequest request) {
            pair.post(request);
            return next();
        }

        /** The next completion of this side. */
        Done next() {
            return next(1).getFirst();
        }

        /** The next completions of this side. */
        List<Done> next(int count) {
            return Waits.completions(queue, count);
        }

        /** Whether nothing is there. */
        boolean idle() {
            return queue.poll(WorkCompletions.allocate(1)) == 0;
        }

        /** Fills memory with a pattern that differs at every place. */
        void fill(long offset, long length, int seed) {
            for (long i = 0; i < length; i++) {
                memory.segment().set(ValueLayout.JAVA_BYTE, offset + i, (byte) (i * 31 + seed));
            }
        }
    }
}
