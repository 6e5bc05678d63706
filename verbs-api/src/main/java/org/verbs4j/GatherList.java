package org.verbs4j;

import org.jspecify.annotations.Nullable;
import org.verbs4j.bindings.ibv_sge;
import org.verbs4j.internal.NativeMemory;

import java.lang.foreign.MemorySegment;

/** The {@code struct ibv_sge} array behind a request: filled in place, checked as it is filled. */
final class GatherList {
    private static final long ADDRESS = ibv_sge.addr$offset();
    private static final long LENGTH = ibv_sge.length$offset();
    private static final long KEY = ibv_sge.lkey$offset();
    private static final long ENTRY = ibv_sge.sizeof();

    /** {@code ibv_sge.length} is 32 bits, unsigned. */
    private static final long MOST_ENTRY_LENGTH = 0xffff_ffffL;

    private final ProtectionDomain domain;
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

    GatherList(ProtectionDomain domain, long entries, int capacity, long maxMessageSize) {
        this.domain = domain;
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
            requireDomain(from);
            from.requireMemory();
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
            requireDomain(part.region());
            part.region().requireMemory();
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

    /** The device would break the connection, and say only that there is a protection error. */
    private void requireDomain(MemoryRegion of) {
        if (of.protectionDomain() != domain && !of.protectionDomain().sharesMemoryWith(domain)) {
            throw new IllegalArgumentException(
                    of
                            + " is of another protection domain than the queue pair: register the"
                            + " memory in the queue pair's own");
        }
    }

    /**
     * Copies what the first entries point to by means of Java: memory that another thread frees
     * meanwhile, or whose file has become shorter, is an exception, where C would crash.
     *
     * @param target where to, if there is room for all of it
     * @return how many bytes it is
     * @throws IllegalStateException when a region or its arena is closed
     */
    long copyTo(MemorySegment target, int count) {
        long length = length(count);
        boolean fits = length <= target.byteSize();
        if (region != null) {
            long offset =
                    count == 0 ? 0 : NativeMemory.getLong(entries, ADDRESS) - region.address();
            region.copyTo(target, 0, offset, fits ? length : 0);
        }
        if (slices != null) {
            long at = 0;
            for (MemorySlice slice : slices) {
                slice.region().copyTo(target, at, slice.offset(), fits ? slice.length() : 0);
                at += fits ? slice.length() : 0;
            }
        }
        return length;
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
                        + " bytes exceeds the queue pair's maximum of "
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
