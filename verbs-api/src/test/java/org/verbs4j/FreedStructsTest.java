package org.verbs4j;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.verbs4j.bindings.ibv_context;
import org.verbs4j.bindings.ibv_context_ops;
import org.verbs4j.bindings.ibv_dm;
import org.verbs4j.bindings.ibv_mr;
import org.verbs4j.bindings.ibv_mw;
import org.verbs4j.bindings.ibv_pd;
import org.verbs4j.bindings.ibv_qp;
import org.verbs4j.bindings.ibv_wq;
import org.verbs4j.bindings.verbs_context;

import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.function.IntSupplier;

/**
 * What is read from a struct of C's is never read while another thread closes the object: this
 * provider writes over what it frees, so that a reading that comes too late shows.
 */
class FreedStructsTest {
    private static final int GOOD = 5;
    private static final int FREED = 0x0bad_0bad;
    private static final long FREEING_MILLIS = 20;

    private final FakeDevice device = new FakeDevice();
    private final FakeProvider provider = device.provider;
    private final MemorySegment object = provider.newObject();

    /** What the destroying verb does to the struct. */
    private Runnable spoil = () -> {};

    @BeforeEach
    void provideVerbs() {
        AnyOperation.provide(provider, arguments -> free());
        for (long destroys :
                List.of(
                        verbs_context.free_dm$offset(),
                        verbs_context.destroy_wq$offset(),
                        verbs_context.destroy_rwq_ind_table$offset())) {
            provider.provide("destroy", destroys, 1, arguments -> free());
        }
        provider.provideClassic(
                "dealloc_mw", ibv_context_ops.dealloc_mw$offset(), 1, arguments -> free());
    }

    private long free() {
        spoil.run();
        try {
            Thread.sleep(FREEING_MILLIS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        return 0;
    }

    private void makes(String name, long offset) {
        provider.provide(name, offset, 2, arguments -> object.address());
    }

    private void isReadWholeOrNotAtAll(AutoCloseable closeable, IntSupplier reading)
            throws Exception {
        Set<Integer> seen = ConcurrentHashMap.newKeySet();
        CountDownLatch begun = new CountDownLatch(1);
        Thread reader =
                Thread.ofPlatform()
                        .daemon()
                        .start(
                                () -> {
                                    try {
                                        while (true) {
                                            seen.add(reading.getAsInt());
                                            begun.countDown();
                                        }
                                    } catch (IllegalStateException e) {
                                        begun.countDown(); // it is closed
                                    }
                                });
        begun.await();
        closeable.close();
        reader.join();
        assertThat(seen).containsExactly(GOOD);
    }

    @Test
    void deviceMemory() throws Exception {
        makes("alloc_dm", verbs_context.alloc_dm$offset());
        ibv_dm.handle(object, GOOD);
        spoil = () -> ibv_dm.handle(object, FREED);
        DeviceMemory memory = device.context.newDeviceMemory(8, 0);
        isReadWholeOrNotAtAll(memory, memory::kernelHandle);
    }

    @Test
    void protectionDomains() throws Exception {
        ibv_pd.handle(object, GOOD);
        spoil = () -> ibv_pd.handle(object, FREED);
        ProtectionDomain domain = new ProtectionDomain(device.context, object);
        isReadWholeOrNotAtAll(domain, domain::kernelHandle);
    }

    @Test
    void memoryRegions() throws Exception {
        makes("alloc_null_mr", verbs_context.alloc_null_mr$offset());
        ibv_mr.handle(object, GOOD);
        spoil = () -> ibv_mr.handle(object, FREED);
        MemoryRegion region = device.domain.newNullRegion();
        isReadWholeOrNotAtAll(region, region::kernelHandle);
    }

    @Test
    void memoryWindows() throws Exception {
        provider.provideClassic(
                "alloc_mw", ibv_context_ops.alloc_mw$offset(), 2, arguments -> object.address());
        ibv_mw.rkey(object, GOOD);
        spoil = () -> ibv_mw.rkey(object, FREED);
        MemoryWindow window = device.domain.newMemoryWindow(MemoryWindow.Type.TYPE_2);
        isReadWholeOrNotAtAll(window, window::rkey);
    }

    @Test
    void workQueues() throws Exception {
        makes("create_wq", verbs_context.create_wq$offset());
        ibv_wq.wq_num(object, GOOD);
        spoil = () -> ibv_wq.wq_num(object, FREED);
        WorkQueue queue = device.domain.newWorkQueue(device.queue).build();
        isReadWholeOrNotAtAll(queue, queue::number);
    }

    @Test
    void rssQueuePairs() throws Exception {
        makes("create_wq", verbs_context.create_wq$offset());
        makes("create_rwq_ind_table", verbs_context.create_rwq_ind_table$offset());
        WorkQueue queue = device.domain.newWorkQueue(device.queue).build();
        IndirectionTable table = device.context.newIndirectionTable(List.of(queue));
        makes("create_qp_ex", verbs_context.create_qp_ex$offset());
        ibv_qp.qp_num(object, GOOD);
        spoil = () -> ibv_qp.qp_num(object, FREED);
        RssQueuePair pair = device.domain.newRssQueuePair(table).build();
        isReadWholeOrNotAtAll(pair, pair::number);
    }

    @Test
    void contexts() throws Exception {
        FakeProvider other = new FakeDevice().provider;
        AnyOperation.provide(other, arguments -> free());
        spoil =
                () -> {
                    ibv_context.cmd_fd(other.handle, FREED);
                    ibv_context.async_fd(other.handle, FREED);
                    ibv_context.num_comp_vectors(other.handle, FREED);
                };
        for (int i = 0; i < 3; i++) {
            ibv_context.cmd_fd(other.handle, GOOD);
            ibv_context.async_fd(other.handle, GOOD);
            ibv_context.num_comp_vectors(other.handle, GOOD);
            DeviceContext context = other.open(device.context.device(), TestAttributes.small());
            List<IntSupplier> readings =
                    List.of(
                            context::commandFileDescriptor,
                            context::asyncFileDescriptor,
                            context::completionVectors);
            isReadWholeOrNotAtAll(context, readings.get(i));
        }
    }
}
