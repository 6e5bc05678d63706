package org.verbs4j.examples.file;

import org.jspecify.annotations.Nullable;
import org.verbs4j.MemoryRegion;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;

/**
 * A part of a file that the device knows.
 *
 * @param offset where it begins in the file
 * @param mapping the life of the mapping; null when it is a buffer with a copy
 */
record FilePart(long offset, MemoryRegion region, @Nullable Arena mapping)
        implements AutoCloseable {
    /** Where it ends in the file. */
    long end() {
        return offset + region.length();
    }

    MemorySegment segment() {
        return region.segment();
    }

    /** What stands in a buffer goes into the file; what is mapped is there already. */
    void store(FileChannel file) throws IOException {
        if (mapping == null) {
            ByteBuffer bytes = segment().asByteBuffer();
            for (long at = offset; bytes.hasRemaining(); ) {
                at += file.write(bytes, at);
            }
        }
    }

    @Override
    public void close() {
        region.close();
        if (mapping != null) {
            mapping.close();
        }
    }
}
