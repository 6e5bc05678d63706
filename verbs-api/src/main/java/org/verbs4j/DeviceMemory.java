package org.verbs4j;

import org.verbs4j.bindings.ContextVerbs;
import org.verbs4j.bindings.InlineVerbs;
import org.verbs4j.bindings.NativeLibraries;
import org.verbs4j.bindings.Posix;
import org.verbs4j.bindings.Verbs;
import org.verbs4j.bindings.ibv_alloc_dm_attr;
import org.verbs4j.bindings.ibv_dm;
import org.verbs4j.bindings.verbs_context;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.function.ToIntFunction;

/**
 * Memory on the device itself, {@code struct ibv_dm}: short ways for small data, {@code
 * ibv_alloc_dm(3)}. Requests reach it through {@link ProtectionDomain#registerDeviceMemory}, the
 * processor through {@link #copyIn} and {@link #copyOut}.
 *
 * <p>Any thread may use it, several at a time; who copies what at the same time is up to them.
 */
public final class DeviceMemory implements AutoCloseable {
    private final DeviceContext context;
    private final MemorySegment handle;
    private final long length;
    private final boolean imported;
    private final Lifecycle life;

    private DeviceMemory(
            DeviceContext context, MemorySegment handle, long length, boolean imported) {
        this.context = context;
        this.handle = handle;
        this.length = length;
        this.imported = imported;
        this.life =
                new Lifecycle(
                        length + " bytes of device memory of " + context.device().name(),
                        context.life());
    }

    static DeviceMemory allocate(DeviceContext context, long length, int logAlignment) {
        Arguments.range("length", length, 1, Long.MAX_VALUE);
        Arguments.range("logAlignment", logAlignment, 0, Long.SIZE - 1);
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment attr = arena.allocate(ibv_alloc_dm_attr.layout());
            ibv_alloc_dm_attr.length(attr, length);
            ibv_alloc_dm_attr.log_align_req(attr, logAlignment);
            long dm = ContextVerbs.ibv_alloc_dm(context.address(), attr.address());
            if (dm == 0) {
                throw UnsupportedVerbs.failure(
                        "ibv_alloc_dm",
                        NativeLibraries.errno(),
                        context,
                        verbs_context.alloc_dm$offset(),
                        "cannot allocate "
                                + length
                                + " bytes of the "
                                + context.attributes().memory().maxDeviceMemory()
                                + " that "
                                + context.device().name()
                                + " has");
            }
            return new DeviceMemory(context, struct(dm), length, false);
        }
    }

    static DeviceMemory imported(DeviceContext context, int kernelHandle, long length) {
        Arguments.range("length", length, 1, Long.MAX_VALUE);
        UnsupportedVerbs.requireExported("ibv_import_dm");
        MemorySegment dm = Verbs.ibv_import_dm(context.handle(), kernelHandle);
        if (dm.address() == 0) {
            throw UnsupportedVerbs.failure(
                    "ibv_import_dm",
                    NativeLibraries.errno(),
                    context,
                    "no device memory with the kernel's number " + kernelHandle);
        }
        return new DeviceMemory(context, struct(dm.address()), length, true);
    }

    private static MemorySegment struct(long dm) {
        return MemorySegment.ofAddress(dm).reinterpret(ibv_dm.sizeof());
    }

    /** The context that it was allocated from. */
    public DeviceContext context() {
        return context;
    }

    /** Bytes. */
    public long length() {
        return length;
    }

    /**
     * The kernel's number of it, {@code handle}, for {@link DeviceContext#importDeviceMemory} in
     * another process.
     */
    public int kernelHandle() {
        return life.whileOpen(() -> ibv_dm.handle(handle));
    }

    /**
     * Copies into it, {@code ibv_memcpy_to_dm(3)}.
     *
     * @param offset bytes from its beginning; some devices demand a multiple of 4
     * @param source all of it; some devices demand a multiple of 4 bytes
     * @throws IllegalArgumentException when it does not fit
     * @throws UnsupportedVerbException when the provider cannot copy, as with imported memory
     * @throws VerbsException when the device refuses
     */
    public void copyIn(long offset, MemorySegment source) {
        copy(
                "ibv_memcpy_to_dm",
                ibv_dm.memcpy_to_dm$offset(),
                offset,
                source.byteSize(),
                host -> {
                    host.copyFrom(source);
                    return InlineVerbs.ibv_memcpy_to_dm(
                            handle.address(), offset, host.address(), host.byteSize());
                });
    }

    /**
     * Copies out of it, {@code ibv_memcpy_from_dm(3)}.
     *
     * @param offset bytes from its beginning; some devices demand a multiple of 4
     * @param target to be filled
     * @throws IllegalArgumentException when there are not so many bytes, or the target is read-only
     * @throws UnsupportedVerbException when the provider cannot copy, as with imported memory
     * @throws VerbsException when the device refuses
     */
    public void copyOut(long offset, MemorySegment target) {
        copy(
                "ibv_memcpy_from_dm",
                ibv_dm.memcpy_from_dm$offset(),
                offset,
                target.byteSize(),
                host -> {
                    int errno =
                            InlineVerbs.ibv_memcpy_from_dm(
                                    host.address(), handle.address(), offset, host.byteSize());
                    if (errno == 0) {
                        target.copyFrom(host);
                    }
                    return errno;
                });
    }

    /** By way of memory that nobody else can free while C uses it. */
    private void copy(
            String verb,
            long function,
            long offset,
            long bytes,
            ToIntFunction<MemorySegment> copy) {
        Arguments.part("device memory", offset, bytes, length);
        int errno =
                life.whileOpen(
                        () -> {
                            requireFunction(verb, function);
                            try (Arena arena = Arena.ofConfined()) {
                                return copy.applyAsInt(arena.allocate(bytes, Long.BYTES));
                            }
                        });
        if (errno != 0) {
            throw new VerbsException(
                    verb, errno, bytes + " bytes at offset " + offset + " of " + life);
        }
    }

    /** Some providers have none for memory that is imported: C would call NULL. */
    private void requireFunction(String verb, long function) {
        if (handle.get(ValueLayout.JAVA_LONG, function) == 0) {
            throw new UnsupportedVerbException(
                    verb,
                    Posix.EOPNOTSUPP(),
                    "the provider " + context.provider() + " cannot copy to or from " + life);
        }
    }

    /** Escape hatch: {@code struct ibv_dm *}, valid while it is open. */
    public MemorySegment handle() {
        life.requireOpen();
        return handle;
    }

    Lifecycle life() {
        return life;
    }

    /**
     * Frees it, {@code ibv_free_dm}; imported memory is forgotten by this process only, {@code
     * ibv_unimport_dm}. Does nothing when it is closed.
     *
     * @throws IllegalStateException when a region of it is open, naming it
     * @throws VerbsException when the kernel refuses
     */
    @Override
    public void close() {
        life.close(
                () -> {
                    if (imported) {
                        Verbs.ibv_unimport_dm(handle);
                        return;
                    }
                    int errno = ContextVerbs.ibv_free_dm(handle.address());
                    if (errno != 0) {
                        throw new VerbsException("ibv_free_dm", errno, "cannot free " + life);
                    }
                });
    }

    @Override
    public String toString() {
        return life.toString();
    }
}
