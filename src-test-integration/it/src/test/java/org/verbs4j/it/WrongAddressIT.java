package org.verbs4j.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.verbs4j.Access;
import org.verbs4j.CompletionQueue;
import org.verbs4j.FetchAndAdd;
import org.verbs4j.MemoryRegion;
import org.verbs4j.Read;
import org.verbs4j.ReceiveRequest;
import org.verbs4j.RemoteBuffer;
import org.verbs4j.Send;
import org.verbs4j.SendBatch;
import org.verbs4j.SendRequest;
import org.verbs4j.WorkCompletions;
import org.verbs4j.WorkStatus;
import org.verbs4j.Write;
import org.verbs4j.bindings.ibv_send_wr;
import org.verbs4j.bindings.ibv_sge;

import java.lang.foreign.Arena;
import java.lang.foreign.ValueLayout;
import java.util.concurrent.atomic.AtomicReference;

/**
 * Addresses are masked on the hot path, so that nothing but the checks before it keeps a wrong one
 * from the device: every way to give one is tried.
 */
class WrongAddressIT {
    private static final long SIZE = RdmaPair.MEMORY;
    private static final long[] OFFSETS = {
        -1, -8, SIZE + 1, 1L << 47, 1L << 56, (1L << 56) + 8, Long.MAX_VALUE, Long.MIN_VALUE
    };
    private static final long[] LENGTHS = {
        -1, SIZE + 1, 1L << 32, (1L << 32) + 8, 1L << 56, Long.MAX_VALUE, Long.MIN_VALUE
    };

    private RdmaPair rdma;

    @BeforeEach
    void open() {
        rdma = RdmaPair.onOneDevice();
    }

    @AfterEach
    void close() {
        rdma.close();
    }

    private static void refused(ThrowingCallable call) {
        assertThatThrownBy(call).isInstanceOf(IllegalArgumentException.class);
    }

    /** What the device would be told. */
    private static long[] entry(SendRequest request) {
        var sge = ibv_send_wr.sg_list(request.handle()).reinterpret(ibv_sge.sizeof());
        return new long[] {ibv_sge.addr(sge), ibv_sge.length(sge), ibv_sge.lkey(sge)};
    }

    @Test
    void offsetsOutsideOfTheRegionReachNoRequest() {
        MemoryRegion memory = rdma.left.memory;
        Send send = rdma.left.pair.newSend().from(memory, 0, 8);
        Write write = rdma.left.pair.newWrite().from(memory, 0, 8);
        Read read = rdma.left.pair.newRead().into(memory, 0, 8);
        FetchAndAdd add = rdma.left.pair.newFetchAndAdd().into(memory, 0);
        ReceiveRequest receive = rdma.left.pair.newReceive();
        long[] before = entry(send);
        for (long offset : OFFSETS) {
            refused(() -> send.from(memory, offset, 8));
            refused(() -> write.from(memory, offset, 8));
            refused(() -> read.into(memory, offset, 8));
            refused(() -> add.into(memory, offset));
            refused(() -> receive.into(memory, offset, 8));
            refused(() -> memory.slice(offset, 8));
            refused(() -> memory.remote(offset, 8));
            refused(() -> memory.slice(8, 8).slice(offset, 8));
        }
        assertThat(entry(send)).isEqualTo(before);
        assertThat(entry(write)).isEqualTo(before);
        assertThat(entry(read)).isEqualTo(before);
        assertThat(entry(add)).isEqualTo(before);
    }

    @Test
    void lengthsOutsideOfTheRegionReachNoRequest() {
        MemoryRegion memory = rdma.left.memory;
        Send send = rdma.left.pair.newSend().from(memory, 0, 8);
        Read read = rdma.left.pair.newRead().into(memory, 0, 8);
        long[] before = entry(send);
        for (long length : LENGTHS) {
            refused(() -> send.from(memory, 0, length));
            refused(() -> send.from(memory, 8, length));
            refused(() -> read.into(memory, 8, length));
            refused(() -> memory.slice(8, length));
            refused(() -> memory.remote(8, length));
        }
        assertThat(entry(send)).isEqualTo(before);
        assertThat(entry(read)).isEqualTo(before);
    }

    @Test
    void offsetsOutsideOfTheRemoteBufferReachNoRequest() {
        RemoteBuffer remote = rdma.right.memory.remote(64, 64);
        for (long offset : OFFSETS) {
            refused(() -> rdma.left.pair.newWrite().to(remote, offset));
            refused(() -> rdma.left.pair.newRead().from(remote, offset));
            refused(() -> rdma.left.pair.newFetchAndAdd().at(remote, offset));
        }
    }

    @Test
    void memoryOfAnotherDomainReachesNoRequest() {
        MemoryRegion foreign = rdma.right.memory;
        refused(() -> rdma.left.pair.newSend().from(foreign, 0, 8));
        refused(() -> rdma.left.pair.newWrite().from(foreign.slice(0, 8)));
        refused(() -> rdma.left.pair.newRead().into(foreign, 0, 8));
        refused(() -> rdma.left.pair.newReceive().into(foreign, 0, 8));
    }

    @Test
    void aClosedRegionReachesNoRequestAndAPreparedOneTouchesNothing() {
        MemoryRegion freed = rdma.left.domain.allocate(4096, Access.LOCAL_WRITE);
        Read prepared =
                rdma.left.pair.newRead().into(freed, 0, 8).from(rdma.right.memory.remote(), 0);
        freed.close();
        assertThatThrownBy(() -> rdma.left.pair.newSend().from(freed, 0, 8))
                .isInstanceOf(IllegalStateException.class);
        assertThatThrownBy(freed::segment).isInstanceOf(IllegalStateException.class);
        assertThat(rdma.left.run(prepared).status()).isNotEqualTo(WorkStatus.SUCCESS);
    }

    @Test
    void aClosedQueueTakesAndGivesNothing() {
        Send send = rdma.left.pair.newSend().from(rdma.left.memory, 0, 8);
        SendBatch batch = rdma.left.pair.newSendBatch(1).add(rdma.left.pair.newSend());
        CompletionQueue queue = rdma.left.context.newCompletionQueue(8);
        queue.close();
        rdma.left.pair.close();
        assertThatThrownBy(() -> rdma.left.pair.post(send))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("is closed");
        assertThatThrownBy(() -> rdma.left.pair.offer(batch))
                .isInstanceOf(IllegalStateException.class);
        assertThatThrownBy(() -> queue.poll(WorkCompletions.allocate(1)))
                .isInstanceOf(IllegalStateException.class);
    }

    @Test
    void inlineDataConfinedToAnotherThreadIsNotRead() throws InterruptedException {
        try (Arena mine = Arena.ofConfined();
                MemoryRegion region =
                        rdma.left.domain.register(mine.allocate(ValueLayout.JAVA_LONG))) {
            Send send = rdma.left.pair.newSend().from(region, 0, 8).inline(true);
            AtomicReference<Throwable> thrown = new AtomicReference<>();
            Thread other =
                    Thread.ofPlatform()
                            .start(
                                    () -> {
                                        try {
                                            rdma.left.pair.post(send);
                                        } catch (RuntimeException e) {
                                            thrown.set(e);
                                        }
                                    });
            Waits.join(other);
            assertThat(thrown.get())
                    .isInstanceOfAny(WrongThreadException.class, IllegalStateException.class);
        }
    }
}
