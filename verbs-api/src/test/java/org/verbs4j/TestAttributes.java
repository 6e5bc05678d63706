package org.verbs4j;

import org.verbs4j.bindings.Verbs;
import org.verbs4j.bindings.ibv_device_attr;
import org.verbs4j.bindings.ibv_device_attr_ex;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.function.Consumer;

/** Attributes of devices that nobody has: what a test does not set is small or zero. */
final class TestAttributes {
    private TestAttributes() {}

    /** One port, few of everything. */
    static DeviceAttributes small() {
        return with(ex -> {});
    }

    /**
     * As {@link #small}, changed.
     *
     * @param change of a {@code struct ibv_device_attr_ex}
     */
    static DeviceAttributes with(Consumer<MemorySegment> change) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment ex = arena.allocate(ibv_device_attr_ex.layout());
            MemorySegment attr = ibv_device_attr_ex.orig_attr(ex);
            ibv_device_attr.phys_port_cnt(attr, (byte) 1);
            ibv_device_attr.max_mr_size(attr, -1);
            ibv_device_attr.page_size_cap(attr, 4096);
            ibv_device_attr.max_qp(attr, 8);
            ibv_device_attr.max_qp_wr(attr, 128);
            ibv_device_attr.max_sge(attr, FakeDevice.MAX_SGE);
            ibv_device_attr.max_sge_rd(attr, FakeDevice.MAX_SGE);
            ibv_device_attr.max_cq(attr, 8);
            ibv_device_attr.max_cqe(attr, 128);
            ibv_device_attr.max_mr(attr, 8);
            ibv_device_attr.max_pd(attr, 8);
            ibv_device_attr.max_qp_rd_atom(attr, 16);
            ibv_device_attr.max_qp_init_rd_atom(attr, 16);
            ibv_device_attr.atomic_cap(attr, Verbs.IBV_ATOMIC_HCA());
            change.accept(ex);
            return DeviceQuery.decode(ex);
        }
    }
}
