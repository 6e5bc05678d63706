package org.verbs4j;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.verbs4j.bindings.DataPath;
import org.verbs4j.bindings.NativeLibraries;
import org.verbs4j.bindings.Verbs;
import org.verbs4j.bindings.ibv_context;

import java.lang.foreign.MemorySegment;

/**
 * The ways to a {@link DeviceContext}, each of which looks whether the library is one that these
 * bindings understand before it believes a number of it.
 */
final class DeviceOpening {
    private static final Logger LOG = LoggerFactory.getLogger(DeviceOpening.class);

    /** {@code __VERBS_ABI_IS_EXTENDED}: the provider knows {@code struct verbs_context}. */
    private static final long EXTENDED = Verbs.__VERBS_ABI_IS_EXTENDED().address();

    private static final int MOST_VECTORS = 1 << 16;

    private DeviceOpening() {}

    /** The device of the list that a pointer is to. */
    static DeviceContext open(Device device, MemorySegment pointer) {
        return own(openNative(device, pointer));
    }

    /** The one context of a device that all share, and nobody closes. */
    static DeviceContext shared(MemorySegment pointer) {
        return own(openNative(Devices.describe(pointer), pointer), true);
    }

    private static MemorySegment openNative(Device device, MemorySegment pointer) {
        MemorySegment context = Verbs.ibv_open_device(pointer);
        if (context.address() == 0) {
            int errno = NativeLibraries.errno();
            throw new VerbsException(
                    "ibv_open_device", errno, Hints.open(errno, device, Devices.fileOf(pointer)));
        }
        return context;
    }

    /** A context of another process, by its command file descriptor. */
    static DeviceContext imported(int descriptor) {
        UnsupportedVerbs.requireExported("ibv_import_device");
        MemorySegment context = Verbs.ibv_import_device(descriptor);
        if (context.address() == 0) {
            int errno = NativeLibraries.errno();
            String what = "cannot import the context with file descriptor " + descriptor;
            if (UnsupportedVerbs.isMissing(errno)) {
                throw new UnsupportedVerbException(
                        "ibv_import_device", errno, what + ": the provider or the kernel lacks it");
            }
            throw new VerbsException("ibv_import_device", errno, what);
        }
        return own(context);
    }

    /** A context that is closed again when it cannot be used. */
    static DeviceContext own(MemorySegment context) {
        return own(context, false);
    }

    private static DeviceContext own(MemorySegment context, boolean shared) {
        try {
            return describe(context, shared);
        } catch (RuntimeException e) {
            Verbs.ibv_close_device(context);
            throw e;
        }
    }

    private static DeviceContext describe(MemorySegment context, boolean shared) {
        MemorySegment handle = context.reinterpret(ibv_context.sizeof());
        requirePlausible(handle);
        Device device = Devices.describe(ibv_context.device(handle));
        return describe(device, handle, DeviceQuery.ask(device, handle), shared);
    }

    /** A context with attributes that have been read; the tests have one without a device. */
    static DeviceContext describe(
            Device device, MemorySegment handle, DeviceAttributes attributes, boolean shared) {
        requirePlausible(device, attributes);
        DeviceContext context = new DeviceContext(device, handle, attributes, shared);
        context.life().keep(context); // and with it its queues, and the memory of their requests
        LOG.debug("{} is of {}", device.name(), context.policy());
        return context;
    }

    /** A library whose structs are laid out otherwise shows here, before numbers are believed. */
    private static void requirePlausible(MemorySegment handle) {
        long abi = ibv_context.abi_compat(handle).address();
        int vectors = ibv_context.num_comp_vectors(handle);
        boolean plausible =
                vectors >= 0
                        && vectors < MOST_VECTORS
                        && ibv_context.cmd_fd(handle) >= 0
                        && ibv_context.async_fd(handle) >= 0
                        && ibv_context.device(handle).address() != 0;
        if (!plausible
                || DataPath.pollCqFunction(handle.address()) == 0
                || DataPath.postSendFunction(handle.address()) == 0
                || DataPath.postRecvFunction(handle.address()) == 0) {
            throw new VerbsException(
                    "ibv_open_device",
                    0,
                    "the context is not laid out as rdma-core 28 or newer does (command fd "
                            + ibv_context.cmd_fd(handle)
                            + ", "
                            + vectors
                            + " completion vectors, abi_compat 0x"
                            + Long.toHexString(abi)
                            + "): check which libibverbs.so.1 is loaded");
        }
        if (abi != EXTENDED) {
            LOG.debug("no extended operations (abi_compat 0x{})", Long.toHexString(abi));
        }
    }

    private static void requirePlausible(Device device, DeviceAttributes attributes) {
        if (attributes.portCount() < 1
                || attributes.maxQueuePairs() < 0
                || attributes.maxCompletions() < 0) {
            throw new VerbsException(
                    "ibv_query_device_ex",
                    0,
                    device.name()
                            + " has implausible attributes, "
                            + attributes
                            + ": check which libibverbs.so.1 is loaded");
        }
    }
}
