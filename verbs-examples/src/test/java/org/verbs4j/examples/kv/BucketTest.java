package org.verbs4j.examples.kv;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.verbs4j.examples.kv.Bucket.Kind;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.charset.StandardCharsets;
import java.util.Random;

class BucketTest {
    private static final TableShape SHAPE = new TableShape(16, 8, 40);
    private static final int SIZE = SHAPE.bucketSize();

    private final Arena arena = Arena.ofConfined();
    private final Bucket bucket = new Bucket(SHAPE);

    @AfterEach
    void close() {
        arena.close();
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.US_ASCII);
    }

    private MemorySegment holding(String key, String value) {
        MemorySegment memory = arena.allocate(SIZE, 8);
        bucket.store(memory, 0, Kind.VALUE, bytes(key), bytes(value));
        return memory;
    }

    @Test
    void whatIsStoredIsLoaded() {
        MemorySegment memory = holding("key", "a value");
        assertThat(bucket.load(memory, 0).kind()).isEqualTo(Kind.VALUE);
        assertThat(bucket.hasKey(bytes("key"))).isTrue();
        assertThat(bucket.hasKey(bytes("ke"))).isFalse();
        assertThat(bucket.hasKey(bytes("keys"))).isFalse();
        assertThat(bucket.value()).isEqualTo(bytes("a value"));
    }

    @Test
    void zerosAreEmptyAndAClearedBucketToo() {
        MemorySegment memory = arena.allocate(SIZE, 8);
        assertThat(bucket.load(memory, 0).kind()).isEqualTo(Kind.EMPTY);
        MemorySegment used = holding("key", "value");
        bucket.clear(used, 0, Kind.DELETED);
        assertThat(bucket.load(used, 0).kind()).isEqualTo(Kind.DELETED);
        bucket.clear(used, 0, Kind.EMPTY);
        assertThat(bucket.load(used, 0).kind()).isEqualTo(Kind.EMPTY);
    }

    /** A device copies in pieces, in any order: each is of before or of after. */
    @Test
    void halfOfOneValueAndHalfOfAnotherIsTorn() {
        MemorySegment before = holding("key", "the value from before, all letters");
        MemorySegment after = holding("key", "another one, but of the same length");
        MemorySegment mixed = arena.allocate(SIZE, 8);
        Random random = new Random(1);
        int torn = 0;
        for (int round = 0; round < 10_000; round++) {
            for (int at = 0; at < SIZE; at++) {
                MemorySegment from = random.nextInt(8) < round % 9 ? before : after;
                mixed.set(ValueLayout.JAVA_BYTE, at, from.get(ValueLayout.JAVA_BYTE, at));
            }
            Kind kind = bucket.load(mixed, 0).kind();
            if (kind == Kind.TORN) {
                torn++;
            } else {
                assertThat(kind).isEqualTo(Kind.VALUE);
                assertThat(bucket.value())
                        .isIn(
                                bytes("the value from before, all letters"),
                                bytes("another one, but of the same length"));
            }
        }
        assertThat(torn).isGreaterThan(5_000);
    }

    @Test
    void everyChangedByteOfWhatCountsIsNoticed() {
        MemorySegment memory = holding("key", "value");
        int valueStart = (int) SHAPE.valueOffset(0);
        for (int at = 0; at < SIZE; at++) {
            boolean counts = at < Bucket.HEADER + 3 || (at >= valueStart && at < valueStart + 5);
            for (int flipped = 1; flipped < 256; flipped++) {
                byte was = memory.get(ValueLayout.JAVA_BYTE, at);
                memory.set(ValueLayout.JAVA_BYTE, at, (byte) (was ^ flipped));
                assertThat(bucket.load(memory, 0).kind())
                        .as("byte %d", at)
                        .isEqualTo(counts ? Kind.TORN : Kind.VALUE);
                memory.set(ValueLayout.JAVA_BYTE, at, was);
            }
        }
    }

    @Test
    void addingToACounterDoesNotTearIt() {
        TableShape counters = new TableShape(16, 8, 8);
        Bucket counter = new Bucket(counters);
        MemorySegment memory = arena.allocate(counters.bucketSize(), 8);
        counter.store(memory, 0, Kind.COUNTER, bytes("visits"), new byte[8]);
        memory.set(ValueLayout.JAVA_LONG, counters.valueOffset(0), -1);
        assertThat(counter.load(memory, 0).kind()).isEqualTo(Kind.COUNTER);
        assertThat(counter.hasKey(bytes("visits"))).isTrue();
    }
}
