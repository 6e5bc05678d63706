package org.verbs4j.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.verbs4j.Access;
import org.verbs4j.ReceiveRequest;
import org.verbs4j.Send;
import org.verbs4j.VerbsException;
import org.verbs4j.WorkCompletions;
import org.verbs4j.pool.BufferPool;
import org.verbs4j.pool.PooledBuffer;

import java.lang.foreign.ValueLayout;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.HashSet;
import java.util.Set;

class BufferPoolIT {
    private static final int COUNT = 16;
    private static final int SIZE = 1000;
    private static final int WARM_UP = 30_000;

    private RdmaPair pair;
    private BufferPool pool;

    @BeforeEach
    void open() {
        pair = RdmaPair.onOneDevice();
        pool = BufferPool.create(pair.left.domain, COUNT, SIZE, RdmaPair.ALL);
    }

    @AfterEach
    void close() {
        pool.close();
        pair.close();
    }

    @Test
    void everyBufferIsOfItsOwnAndOnACacheLineOfItsOwn() {
        assertThat(pool.capacity()).isEqualTo(COUNT);
        assertThat(pool.bufferSize()).isEqualTo(SIZE);
        Set<Long> addresses = new HashSet<>();
        for (int i = 0; i < COUNT; i++) {
            PooledBuffer buffer = pool.poll();
            assertThat(buffer.segment().byteSize()).isEqualTo(SIZE);
            assertThat(buffer.segment().address() % 64).isZero();
            assertThat(buffer.slice().address()).isEqualTo(buffer.segment().address());
            assertThat(buffer.remote().address()).isEqualTo(buffer.segment().address());
            assertThat(buffer.remote().length()).isEqualTo(SIZE);
            assertThat(buffer.offset())
                    .isEqualTo(buffer.segment().address() - pool.region().address());
            assertThat(pool.get(buffer.index())).isSameAs(buffer);
            addresses.add(buffer.segment().address());
        }
        assertThat(addresses).hasSize(COUNT);
        assertThat(pool.available()).isZero();
        assertThat(pool.poll()).isNull();
        for (int i = 0; i < COUNT; i++) {
            pool.get(i).release();
        }
        assertThat(pool.available()).isEqualTo(COUNT);
    }

    @Test
    void theOneReleasedLastIsTheNext() {
        PooledBuffer first = pool.poll();
        PooledBuffer second = pool.poll();
        first.release();
        assertThat(pool.poll()).isSameAs(first);
        first.release();
        second.release();
    }

    @Test
    void aSecondReleaseAndAForeignOneAreRefused() {
        PooledBuffer buffer = pool.poll();
        buffer.release();
        assertThatThrownBy(buffer::release)
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("is not out: it was released before");
        assertThatThrownBy(() -> pool.get(buffer.index()))
                .isInstanceOf(IllegalStateException.class);
        assertThatThrownBy(() -> pool.get(COUNT))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("there is no buffer 16: they are 0 to 15");
        assertThatThrownBy(() -> pool.get(-1)).isInstanceOf(IllegalArgumentException.class);
        try (BufferPool other = BufferPool.create(pair.left.domain, 1, 8)) {
            PooledBuffer foreign = other.poll();
            assertThatThrownBy(() -> pool.release(foreign))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("is of another pool");
            other.release(foreign);
        }
        assertThat(pool.available()).isEqualTo(COUNT);
    }

    @Test
    void takingWaitsForWhatTheOwnWorkReleases() {
        ArrayDeque<PooledBuffer> out = new ArrayDeque<>();
        for (int i = 0; i < COUNT; i++) {
            out.add(pool.take(Duration.ZERO, () -> {}));
        }
        long begin = System.nanoTime();
        assertThat(pool.take(Duration.ofMillis(20), () -> {})).isNull();
        assertThat(System.nanoTime() - begin).isGreaterThanOrEqualTo(20_000_000);
        PooledBuffer expected = out.peek();
        assertThat(pool.take(Duration.ofSeconds(20), () -> out.poll().release()))
                .isSameAs(expected);
        Thread.currentThread().interrupt();
        assertThat(pool.take(Duration.ofSeconds(20), () -> {})).isNull();
        assertThat(Thread.interrupted()).isTrue();
        expected.release();
        out.forEach(PooledBuffer::release);
    }

    @Test
    void aPoolWithBuffersOutStaysOpenAndNamesThem() {
        PooledBuffer buffer = pool.poll();
        assertThatThrownBy(pool::close)
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("1 of 16 buffers of 1000 bytes are out (0)")
                .hasMessageContaining("leak tracking would say who took them");
        buffer.segment().set(ValueLayout.JAVA_BYTE, 0, (byte) 1);
        buffer.release();
        pool.close();
        pool.close();
        assertThatThrownBy(pool::poll)
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("is closed");
    }

    @Test
    void leakTrackingSaysWhoTookIt() {
        try (BufferPool tracked =
                BufferPool.builder(pair.left.domain, 2, 100).leakTracking(true).build()) {
            PooledBuffer buffer = forgetful(tracked);
            assertThatThrownBy(tracked::close)
                    .isInstanceOfSatisfying(
                            IllegalStateException.class,
                            e ->
                                    assertThat(e.getSuppressed())
                                            .singleElement()
                                            .satisfies(
                                                    taker ->
                                                            assertThat(taker.getStackTrace())
                                                                    .anyMatch(
                                                                            frame ->
                                                                                    frame.getMethodName()
                                                                                            .equals(
                                                                                                    "forgetful"))));
            buffer.release();
        }
    }

    private static PooledBuffer forgetful(BufferPool pool) {
        return pool.poll();
    }

    @Test
    void aPoolNeedsBuffers() {
        assertThatThrownBy(() -> BufferPool.create(pair.left.domain, 0, 8))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("at least 1");
        assertThatThrownBy(() -> BufferPool.create(pair.left.domain, 8, 0))
                .isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> BufferPool.create(pair.left.domain, 1, 8, Access.REMOTE_WRITE))
                .isInstanceOf(VerbsException.class)
                .hasMessageContaining("need LOCAL_WRITE as well");
    }

    @Test
    void aPoolOnHugePagesSaysWhenThereAreNone() throws Exception {
        Path setting = Path.of("/proc/sys/vm/nr_hugepages");
        if (Files.exists(setting) && !Files.readString(setting).strip().equals("0")) {
            BufferPool.builder(pair.left.domain, 4, 100).hugePages(true).build().close();
            return;
        }
        assertThatThrownBy(
                        () -> BufferPool.builder(pair.left.domain, 4, 100).hugePages(true).build())
                .isInstanceOf(VerbsException.class)
                .hasMessageStartingWith("mmap:")
                .hasMessageContaining("huge pages");
    }

    @Test
    void messagesThroughThePoolAllocateNothing() {
        Send send = pair.left.pair.newSend();
        ReceiveRequest receive = pair.right.pair.newReceive();
        WorkCompletions completions = WorkCompletions.allocate(4);
        Garbage.assertNone(
                "messages through the pool",
                WARM_UP,
                50_000 / TestPlace.timeScale(),
                messages -> exchange(send, receive, completions, messages));
        assertThat(pool.available()).isEqualTo(COUNT);
    }

    /** Takes, sends, finds by the request's number and releases. */
    private void exchange(
            Send send, ReceiveRequest receive, WorkCompletions completions, int messages) {
        for (int i = 0; i < messages; i++) {
            PooledBuffer buffer = pool.poll();
            pair.right.pair.post(receive.into(pair.right.memory, 0, SIZE));
            pair.left.pair.post(send.id(buffer.index()).from(pool.region(), buffer.offset(), 8));
            while (pair.left.queue.poll(completions) == 0) {
                Thread.onSpinWait();
            }
            completions.get(0).requireSuccess();
            pool.get(completions.get(0).wrId()).release();
            while (pair.right.queue.poll(completions) == 0) {
                Thread.onSpinWait();
            }
        }
    }
}
