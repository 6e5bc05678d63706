package org.verbs4j.examples.file;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.zip.CRC32C;

/**
 * The checksum of a file as it goes by. Belongs to one thread.
 *
 * <p>It looks at copies of a few pages: when somebody cuts a mapped file short, a copy ends with an
 * {@link InternalError}, but {@link CRC32C} on the mapping itself would take the JVM down.
 */
final class Sum {
    private final CRC32C crc = new CRC32C();
    private final byte[] pages = new byte[64 << 10];

    void add(MemorySegment memory) {
        for (long at = 0; at < memory.byteSize(); at += pages.length) {
            int length = (int) Math.min(pages.length, memory.byteSize() - at);
            MemorySegment.copy(memory, ValueLayout.JAVA_BYTE, at, pages, 0, length);
            crc.update(pages, 0, length);
        }
    }

    long value() {
        return crc.getValue();
    }
}
