package org.verbs4j;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/**
 * Native memory of the requests of one queue pair: cut from blocks, never given back one by one.
 *
 * <p>Freed by the collector when neither the queue pair nor one of its requests is left, so that a
 * request that is filled in after its queue pair is closed writes to memory that is still there.
 * Any thread may allocate.
 */
final class RequestSlab {
    private static final long BLOCK = 16 * 1024;
    private static final long CACHE_LINE = 64;

    private final Arena arena = Arena.ofAuto();
    private MemorySegment block = MemorySegment.NULL;
    private long used;

    /** The address of so many zeroed bytes on a cache line; valid while this slab is reachable. */
    synchronized long allocate(long size) {
        long rounded = (size + CACHE_LINE - 1) & -CACHE_LINE;
        if (used + rounded > block.byteSize()) {
            block = arena.allocate(Math.max(BLOCK, rounded), CACHE_LINE);
            used = 0;
        }
        long address = block.address() + used;
        used += rounded;
        return address;
    }
}
