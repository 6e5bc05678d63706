package org.verbs4j.examples;

import org.jspecify.annotations.Nullable;
import org.verbs4j.Access;
import org.verbs4j.Advice;
import org.verbs4j.DeviceMemory;
import org.verbs4j.MemoryRegion;
import org.verbs4j.MemorySlice;
import org.verbs4j.ProtectionDomain;
import org.verbs4j.VerbsException;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/**
 * The memory of a ping-pong's messages: registered as usual, paged in on demand, or on the device.
 *
 * @param slice what requests point to
 * @param memory the same in this process; of device memory a copy, as in C
 * @param device the memory on the device, null when it is not there
 * @param arena of the memory, null when the region owns it
 */
record PingPongBuffer(
        MemorySlice slice,
        MemorySegment memory,
        @Nullable DeviceMemory device,
        @Nullable Arena arena)
        implements AutoCloseable {
    private static final long PAGE = 4096;

    static PingPongBuffer pinned(ProtectionDomain domain, long size) {
        return of(domain.allocate(size, Access.LOCAL_WRITE));
    }

    static PingPongBuffer onDemand(ProtectionDomain domain, long size) {
        return of(domain.allocate(size, Access.LOCAL_WRITE, Access.ON_DEMAND));
    }

    private static PingPongBuffer of(MemoryRegion region) {
        return new PingPongBuffer(region.slice(0, region.length()), region.segment(), null, null);
    }

    /** A part of the whole address space, in which offsets are addresses. */
    static PingPongBuffer ofAddressSpace(ProtectionDomain domain, long size) {
        MemoryRegion all = domain.registerAddressSpace(Access.LOCAL_WRITE);
        Arena arena = Arena.ofShared();
        MemorySegment memory = arena.allocate(size, PAGE);
        return new PingPongBuffer(all.slice(memory.address(), size), memory, null, arena);
    }

    static PingPongBuffer onDevice(ProtectionDomain domain, long size) {
        DeviceMemory device = domain.context().newDeviceMemory(size, 0);
        try {
            MemoryRegion region = domain.registerDeviceMemory(device, 0, size, Access.LOCAL_WRITE);
            Arena arena = Arena.ofShared();
            return new PingPongBuffer(
                    region.slice(0, size), arena.allocate(size, PAGE), device, arena);
        } catch (RuntimeException e) {
            device.close();
            throw e;
        }
    }

    /** Brings the pages in; without, each is waited for once. */
    void prefetch(PingPong tool) {
        try {
            slice.region().protectionDomain().advise(Advice.PREFETCH_WRITE, true, slice);
        } catch (VerbsException e) {
            tool.error("Couldn't prefetch MR(" + e.errno() + "). Continue anyway");
        }
    }

    /** Whether the processor can read what a request points to, as inline data is read. */
    boolean canBeInline() {
        return device == null && arena == null;
    }

    /** What is in memory goes to the device. */
    void toDevice() {
        if (device != null) {
            device.copyIn(0, memory);
        }
    }

    /** What is on the device comes to memory. */
    void fromDevice() {
        if (device != null) {
            device.copyOut(0, memory);
        }
    }

    @Override
    public void close() {
        slice.region().close();
        if (device != null) {
            device.close();
        }
        if (arena != null) {
            arena.close();
        }
    }
}
