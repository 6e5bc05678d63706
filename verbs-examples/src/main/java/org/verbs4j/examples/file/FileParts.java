package org.verbs4j.examples.file;

import org.jspecify.annotations.Nullable;
import org.verbs4j.Access;
import org.verbs4j.MemoryRegion;
import org.verbs4j.ProtectionDomain;
import org.verbs4j.VerbsException;
import org.verbs4j.bindings.Posix;
import org.verbs4j.examples.ToolFailure;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.FileChannel.MapMode;

/**
 * Cuts a file into parts, mapped and registered one after the other. Belongs to one thread.
 *
 * <p>Two refusals of the kernel are no reason to give up. Locked memory may be limited: the parts
 * become smaller. And it may not pin what is mapped: Linux before 6.2 no read-only mapping that is
 * shared, Linux from 6.5 on no writable one of most file systems on disk. The parts are buffers
 * then, with a copy.
 */
final class FileParts {
    /** Smaller ones are not worth it: the limit has to be raised. */
    private static final long LEAST = 64 << 10;

    private final FileChannel file;
    private final boolean reading;
    private final ProtectionDomain domain;
    private final Access[] access;
    private long partSize;
    private boolean mapped = true;

    /**
     * Parts to send from.
     *
     * @param partSize bytes at first
     */
    static FileParts toRead(FileChannel file, ProtectionDomain domain, long partSize) {
        return new FileParts(file, true, domain, partSize);
    }

    /** Parts that a peer writes into. */
    static FileParts toWrite(FileChannel file, ProtectionDomain domain, long partSize) {
        return new FileParts(
                file, false, domain, partSize, Access.LOCAL_WRITE, Access.REMOTE_WRITE);
    }

    private FileParts(
            FileChannel file,
            boolean reading,
            ProtectionDomain domain,
            long partSize,
            Access... access) {
        this.file = file;
        this.reading = reading;
        this.domain = domain;
        this.partSize = Math.max(partSize, LEAST);
        this.access = access;
    }

    /** Whether the device works on the file's own pages. */
    boolean areMapped() {
        return mapped;
    }

    /**
     * The next part.
     *
     * @param offset where it begins
     * @param end where the file ends
     * @param alone whether no other part is open
     * @return null when not so much memory may be locked, but more once the others are closed
     */
    @Nullable FilePart open(long offset, long end, boolean alone) throws IOException {
        while (true) {
            long length = Math.min(partSize, end - offset);
            try {
                return mapped ? map(offset, length) : buffer(offset, length);
            } catch (VerbsException e) {
                if (mapped && e.errno() == Posix.EFAULT()) {
                    mapped = false;
                } else if (e.errno() == Posix.ENOMEM() && !alone) {
                    return null;
                } else if (e.errno() == Posix.ENOMEM() && length > LEAST) {
                    partSize = Math.max(LEAST, length / 2);
                } else {
                    throw e;
                }
            }
        }
    }

    private FilePart map(long offset, long length) throws IOException {
        Arena arena = Arena.ofShared();
        try {
            MapMode mode = reading ? MapMode.READ_ONLY : MapMode.READ_WRITE;
            MemoryRegion region = domain.register(file.map(mode, offset, length, arena), access);
            return new FilePart(offset, region, arena);
        } catch (IOException | RuntimeException e) {
            arena.close();
            throw e;
        }
    }

    private FilePart buffer(long offset, long length) throws IOException {
        MemoryRegion region = domain.allocate(length, access);
        try {
            if (reading) {
                read(region.segment().asByteBuffer(), offset);
            }
            return new FilePart(offset, region, null);
        } catch (IOException | RuntimeException e) {
            region.close();
            throw e;
        }
    }

    private void read(ByteBuffer target, long offset) throws IOException {
        for (long at = offset; target.hasRemaining(); ) {
            int taken = file.read(target, at);
            if (taken < 0) {
                throw cutShort();
            }
            at += taken;
        }
    }

    static ToolFailure cutShort() {
        return new ToolFailure("the file has become shorter meanwhile");
    }
}
