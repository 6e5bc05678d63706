package org.verbs4j.examples.kv;

import org.verbs4j.examples.ToolFailure;

/**
 * How a table is laid out, which both sides compute with: an array of buckets of one size. A key
 * lives in one of the {@link #PROBES} buckets from its home on, around the end.
 *
 * @param buckets a power of two
 * @param maxKey bytes of the longest key: 8 to 248, a multiple of 8, so that values are aligned
 * @param maxValue bytes of the longest value: 8 to 65528, a multiple of 8
 */
public record TableShape(int buckets, int maxKey, int maxValue) {
    /** How many buckets a key can be in: more are more reads for a key that is not there. */
    static final int PROBES = 16;

    private static final int LONGEST_KEY = 248;
    private static final int LONGEST_VALUE = 65_528;
    private static final int MOST_BUCKETS = 1 << 28;
    private static final long FNV_BASIS = 0xcbf29ce484222325L;
    private static final long FNV_PRIME = 0x100000001b3L;

    /** Refuses what is no table: a shape also comes from a peer. */
    public TableShape {
        if (buckets < PROBES || buckets > MOST_BUCKETS || Integer.bitCount(buckets) != 1) {
            throw new ToolFailure(
                    "a table has a power of two of buckets, %d to %d, not %d"
                            .formatted(PROBES, MOST_BUCKETS, buckets));
        }
        requireLength("key", maxKey, LONGEST_KEY);
        requireLength("value", maxValue, LONGEST_VALUE);
    }

    private static void requireLength(String what, int length, int most) {
        if (length < 8 || length > most || length % 8 != 0) {
            throw new ToolFailure(
                    "the longest %s is a multiple of 8, from 8 to %d, not %d"
                            .formatted(what, most, length));
        }
    }

    int bucketSize() {
        return Bucket.HEADER + maxKey + maxValue;
    }

    /** Bytes of the whole table. */
    public long byteSize() {
        return (long) buckets * bucketSize();
    }

    /** Where a bucket begins. */
    long offset(int bucket) {
        return (long) bucket * bucketSize();
    }

    /** Where the value of a bucket begins, aligned to 8 bytes: a counter is one of them. */
    long valueOffset(int bucket) {
        return offset(bucket) + Bucket.HEADER + maxKey;
    }

    /** The bucket in which a key would like to be: FNV-1a, with its halves mixed. */
    int home(byte[] key) {
        long hash = FNV_BASIS;
        for (byte b : key) {
            hash = (hash ^ (b & 0xff)) * FNV_PRIME;
        }
        return wrap((int) (hash ^ hash >>> 32));
    }

    /** The bucket that many after another. */
    int after(int bucket, int steps) {
        return wrap(bucket + steps);
    }

    private int wrap(int bucket) {
        return bucket & buckets - 1;
    }
}
