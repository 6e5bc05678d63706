package org.verbs4j;

import org.jspecify.annotations.Nullable;
import org.verbs4j.bindings.ContextVerbs;
import org.verbs4j.bindings.InlineVerbs;
import org.verbs4j.bindings.NativeLibraries;
import org.verbs4j.bindings.Posix;
import org.verbs4j.bindings.Verbs;
import org.verbs4j.bindings.ibv_mr;
import org.verbs4j.bindings.verbs_context;
import org.verbs4j.internal.RegistrationEvent;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/** The ways to a {@link MemoryRegion}; to be called while the domain cannot be closed. */
final class Registration {
    /** Huge pages would align better, but 4 KiB to 64 KiB is what every system has. */
    private static final long PAGE = Posix.sysconf(Posix._SC_PAGESIZE());

    private Registration() {}

    static MemoryRegion allocate(ProtectionDomain domain, long byteSize, Access... access) {
        // Whole pages: a page shared with the rest of the heap would be pinned, and lost to a
        // forked child, with it.
        Arguments.range("byteSize", byteSize, 1, Long.MAX_VALUE - PAGE);
        Arena arena = Arena.ofShared();
        try {
            long rounded = (byteSize + PAGE - 1) / PAGE * PAGE;
            MemorySegment segment = arena.allocate(rounded, PAGE).asSlice(0, byteSize);
            return own(domain, segment, arena, access);
        } catch (OutOfMemoryError | RuntimeException e) {
            arena.close();
            throw e;
        }
    }

    static MemoryRegion allocateOnHugePages(
            ProtectionDomain domain, long byteSize, Access... access) {
        Arena arena = Arena.ofShared();
        try {
            return own(domain, HugePages.allocate(byteSize, arena), arena, access);
        } catch (RuntimeException e) {
            arena.close();
            throw e;
        }
    }

    static MemoryRegion register(ProtectionDomain domain, MemorySegment segment, Access... access) {
        requireRegistrable(segment, access);
        return own(domain, segment, null, access);
    }

    static MemoryRegion registerAt(
            ProtectionDomain domain, MemorySegment segment, long iova, Access... access) {
        requireRegistrable(segment, access);
        return at(domain, segment, null, iova, access);
    }

    static void requireRegistrable(MemorySegment segment, Access... access) {
        if (!segment.isNative()) {
            throw new IllegalArgumentException(
                    "the segment is on the Java heap, where the collector moves it: register native"
                            + " memory, of an Arena or of FileChannel.map");
        }
        if (segment.byteSize() == 0 || segment.address() == 0) {
            throw new IllegalArgumentException(
                    "the segment is empty: at least 1 byte can be registered");
        }
        int writing = Access.mask(Access.LOCAL_WRITE, Access.REMOTE_WRITE, Access.REMOTE_ATOMIC);
        if (segment.isReadOnly() && (Access.mask(access) & writing) != 0) {
            throw new IllegalArgumentException(
                    "the segment is read-only, but the access lets the device write");
        }
        MemoryRegion.requireAlive(segment);
    }

    /**
     * A zero-based region is registered at 0 by its address as well: some devices take the flag and
     * count from the memory's address nevertheless.
     */
    private static MemoryRegion own(
            ProtectionDomain domain,
            MemorySegment segment,
            @Nullable Arena arena,
            Access... access) {
        if ((Access.mask(access) & Access.ZERO_BASED.code()) != 0) {
            return at(domain, segment, arena, 0, access);
        }
        RegistrationEvent event = RegistrationEvent.started();
        long mr =
                InlineVerbs.ibv_reg_mr(
                        domain.handle().address(),
                        segment.address(),
                        segment.byteSize(),
                        Access.mask(access));
        int errno = mr == 0 ? NativeLibraries.errno() : 0;
        record(event, domain, segment, errno, access);
        if (mr == 0) {
            String why = Hints.register(errno, segment.byteSize(), access);
            throw refused("ibv_reg_mr", errno, why);
        }
        return new MemoryRegion(domain, struct(mr), segment, arena);
    }

    private static void record(
            RegistrationEvent event,
            ProtectionDomain domain,
            MemorySegment segment,
            int errno,
            Access... access) {
        event.done(
                domain.context().device().name(),
                segment.address(),
                segment.byteSize(),
                Access.mask(access),
                errno);
    }

    private static MemoryRegion at(
            ProtectionDomain domain,
            MemorySegment segment,
            @Nullable Arena arena,
            long iova,
            Access... access) {
        RegistrationEvent event = RegistrationEvent.started();
        long mr =
                InlineVerbs.ibv_reg_mr_iova(
                        domain.handle().address(),
                        segment.address(),
                        segment.byteSize(),
                        iova,
                        Access.mask(access));
        int errno = mr == 0 ? NativeLibraries.errno() : 0;
        record(event, domain, segment, errno, access);
        if (mr == 0) {
            String why = Hints.register(errno, segment.byteSize(), access);
            if (errno == Posix.EINVAL() && (iova - segment.address()) % PAGE != 0) {
                why =
                        "cannot register at 0x%x: it must be as far into a page of %d bytes as the"
                                        .formatted(iova, PAGE)
                                + " memory at 0x%x is".formatted(segment.address());
            }
            throw refused("ibv_reg_mr_iova", errno, why);
        }
        return new MemoryRegion(
                domain,
                struct(mr),
                MemoryRegion.Kind.REGISTERED,
                segment,
                arena,
                iova,
                segment.byteSize(),
                domain.life());
    }

    private static VerbsException refused(String verb, int errno, String why) {
        return UnsupportedVerbs.isMissing(errno)
                ? new UnsupportedVerbException(verb, errno, why)
                : new VerbsException(verb, errno, why);
    }

    static MemoryRegion addressSpace(ProtectionDomain domain, Access... access) {
        int mask = Access.mask(access) | Access.ON_DEMAND.code();
        // SIZE_MAX at NULL is how C asks for the whole address space.
        long mr = InlineVerbs.ibv_reg_mr(domain.handle().address(), 0, -1, mask);
        if (mr == 0) {
            throw UnsupportedVerbs.failure(
                    "ibv_reg_mr",
                    NativeLibraries.errno(),
                    domain.context(),
                    "cannot register the whole address space: needs a device whose attributes say"
                            + " that implicit on-demand paging is supported");
        }
        return new MemoryRegion(
                domain,
                struct(mr),
                MemoryRegion.Kind.ADDRESS_SPACE,
                null,
                null,
                0,
                Long.MAX_VALUE,
                domain.life());
    }

    static MemoryRegion dmaBuf(
            ProtectionDomain domain,
            int descriptor,
            long offset,
            long length,
            long iova,
            Access... access) {
        Arguments.range("offset", offset, 0, Long.MAX_VALUE);
        Arguments.range("length", length, 1, Long.MAX_VALUE);
        UnsupportedVerbs.requireExported("ibv_reg_dmabuf_mr");
        MemorySegment mr =
                Verbs.ibv_reg_dmabuf_mr(
                        domain.handle(), offset, length, iova, descriptor, Access.mask(access));
        if (mr.address() == 0) {
            throw UnsupportedVerbs.failure(
                    "ibv_reg_dmabuf_mr",
                    NativeLibraries.errno(),
                    domain.context(),
                    "cannot register "
                            + length
                            + " bytes of the DMA-BUF with file descriptor "
                            + descriptor);
        }
        return new MemoryRegion(
                domain,
                struct(mr.address()),
                MemoryRegion.Kind.DMA_BUF,
                null,
                null,
                iova,
                length,
                domain.life());
    }

    static MemoryRegion none(ProtectionDomain domain) {
        long mr = ContextVerbs.ibv_alloc_null_mr(domain.handle().address());
        if (mr == 0) {
            throw UnsupportedVerbs.failure(
                    "ibv_alloc_null_mr",
                    NativeLibraries.errno(),
                    domain.context(),
                    verbs_context.alloc_null_mr$offset(),
                    "no null region on " + domain.context().device().name());
        }
        return new MemoryRegion(
                domain,
                struct(mr),
                MemoryRegion.Kind.NULL,
                null,
                null,
                0,
                Long.MAX_VALUE,
                domain.life());
    }

    static MemoryRegion deviceMemory(
            ProtectionDomain domain,
            DeviceMemory memory,
            long offset,
            long length,
            Access... access) {
        if (memory.context() != domain.context()) {
            throw new IllegalArgumentException(
                    memory + " is of another context than " + domain + ": both must be of one");
        }
        Arguments.part("device memory", offset, length, memory.length());
        long mr =
                ContextVerbs.ibv_reg_dm_mr(
                        domain.handle().address(),
                        memory.handle().address(),
                        offset,
                        length,
                        Access.mask(access) | Access.ZERO_BASED.code());
        if (mr == 0) {
            throw UnsupportedVerbs.failure(
                    "ibv_reg_dm_mr",
                    NativeLibraries.errno(),
                    domain.context(),
                    verbs_context.reg_dm_mr$offset(),
                    "cannot register " + length + " bytes of " + memory);
        }
        return new MemoryRegion(
                domain,
                struct(mr),
                MemoryRegion.Kind.DEVICE_MEMORY,
                null,
                null,
                0,
                length,
                domain.life(),
                memory.life());
    }

    static MemoryRegion imported(ProtectionDomain domain, int kernelHandle, long address) {
        UnsupportedVerbs.requireExported("ibv_import_mr");
        MemorySegment mr = Verbs.ibv_import_mr(domain.handle(), kernelHandle);
        if (mr.address() == 0) {
            throw UnsupportedVerbs.failure(
                    "ibv_import_mr",
                    NativeLibraries.errno(),
                    domain.context(),
                    "no region with the kernel's number " + kernelHandle);
        }
        MemorySegment struct = struct(mr.address());
        return new MemoryRegion(
                domain,
                struct,
                MemoryRegion.Kind.IMPORTED,
                null,
                null,
                address,
                ibv_mr.length(struct),
                domain.life());
    }

    private static MemorySegment struct(long mr) {
        return MemorySegment.ofAddress(mr).reinterpret(ibv_mr.sizeof());
    }
}
