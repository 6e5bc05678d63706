package org.verbs4j;

import org.jspecify.annotations.Nullable;
import org.verbs4j.bindings.ibv_sge;
import org.verbs4j.internal.NativeMemory;

/** The {@code struct ibv_sge} array behind a request: filled in place, checked as it is filled. */
final class GatherList {
    private static final long ADDRESS = ibv_sge.addr$offset();
    private static final long LENGTH = ibv_sge.length$offset();
    private static final long KEY = ibv_sge.lkey$offset();
    private static final long ENTRY = ibv_sge.sizeof();

    /** {@code ibv_sge.length} is 32 bits, unsigned. */
    private static final long MOST_ENTRY_LENGTH = 0xffff_ffffL;

    private final long entries;
    private final int capacity;
    private final long maxMessageSize;

    /** Bytes that one part may have: 0 where no part may be. */
    private final long mostPartLength;

    /**
     * What the entries point to, for the requests that the processor itself reads: one region, or
     * slices.
     */
    private @Nullable MemoryRegion region;

    private MemorySlice @Nullable [] slices;

    GatherList(long entries, int capacity, long maxMessageSize) {
        this.entries = entries;
        this.capacity = capacity;
        this.maxMessageSize = maxMessageSize;
        this.mostPartLength = capacity == 0 ? 0 : Math.min(maxMessageSize, MOST_ENTRY_LENGTH);
    }

    /**
     * One part; returns the number of entries, 0 for an empty part because length 0 means 2 GiB to
     * some devices.
     */
    int set(MemoryRegion from, long offset, long length) {
        from.requirePart(offset, length);
        if (length > mostPartLength) {
            throw capacity == 0 ? tooMany(1) : tooLong(length);
        }
        if (region != from) { // storing a reference costs a barrier of the collector
            region = from;
            slices = null;
        }
        if (length == 0) {
            return 0;
        }
        put(0, from, offset, length);
        return 1;
    }

    /** Several parts, without the empty ones; returns the number of entries. */
    int set(MemorySlice... parts) {
        long total = 0;
        int count = 0;
        for (MemorySlice part : parts) {
            part.region().requirePart(part.offset(), part.length());
            if (part.length() > MOST_ENTRY_LENGTH) {
                throw tooLong(part.length());
            }
            total += part.length();
            count += part.length() == 0 ? 0 : 1;
        }
        if (total > maxMessageSize) {
            throw tooLong(total);
        }
        if (count > capacity) {
            throw tooMany(count);
        }
        int index = 0;
        for (MemorySlice part : parts) {
            if (part.length() > 0) {
                put(index++, part.region(), part.offset(), part.length());
            }
        }
        region = null;
        slices = parts.clone();
        return count;
    }

    private void put(int index, MemoryRegion of, long offset, long length) {
        long entry = entries + index * ENTRY;
        NativeMemory.putLong(entry, ADDRESS, of.address() + offset);
        NativeMemory.putInt(entry, LENGTH, (int) length);
        NativeMemory.putInt(entry, KEY, of.lkey());
    }

    /** Throws unless the processor may read what the entries point to. */
    void requireReadable() {
        if (region != null) {
            region.requireReadable();
        }
        if (slices != null) {
            for (MemorySlice slice : slices) {
                slice.region().requireReadable();
            }
        }
    }

    /** Bytes of the first entries. */
    long length(int count) {
        long sum = 0;
        for (int i = 0; i < count; i++) {
            sum += Integer.toUnsignedLong(NativeMemory.getInt(entries + i * ENTRY, LENGTH));
        }
        return sum;
    }

    private IllegalArgumentException tooLong(long length) {
        return new IllegalArgumentException(
                "a message of "
                        + length
                        + " bytes exceeds the port's maximum of "
                        + maxMessageSize
                        + " bytes: split it");
    }

    private IllegalArgumentException tooMany(int count) {
        return new IllegalArgumentException(
                count
                        + " parts exceed the "
                        + capacity
                        + " of the queue pair: build it with a larger maxSendSge or"
                        + " maxReceiveSge");
    }
}
