package org.verbs4j;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.verbs4j.bindings.Posix;
import org.verbs4j.bindings.Verbs;
import org.verbs4j.bindings.ibv_moderate_cq;
import org.verbs4j.bindings.ibv_modify_cq_attr;
import org.verbs4j.bindings.ibv_parent_domain_init_attr;
import org.verbs4j.bindings.ibv_pd;
import org.verbs4j.bindings.ibv_recv_wr;
import org.verbs4j.bindings.ibv_rwq_ind_table;
import org.verbs4j.bindings.ibv_rwq_ind_table_init_attr;
import org.verbs4j.bindings.ibv_td;
import org.verbs4j.bindings.ibv_wq;
import org.verbs4j.bindings.ibv_wq_attr;
import org.verbs4j.bindings.ibv_wq_init_attr;
import org.verbs4j.bindings.verbs_context;

import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** Thread and parent domains, work queues, their tables and moderation, as a provider sees them. */
class DomainsAndQueuesTest {
    private final FakeDevice device = new FakeDevice();
    private final FakeProvider provider = device.provider;

    /** What the provider read, copied while it was alive. */
    private final List<Object> seen = new ArrayList<>();

    private MemorySegment object(MemoryLayout layout) {
        return provider.allocate(layout);
    }

    @Test
    void aParentDomainIsMadeOfADomainAndAThreadDomainAndHoldsBoth() {
        MemorySegment td = object(ibv_td.layout());
        ibv_td.context(td, provider.handle);
        MemorySegment parent = object(ibv_pd.layout());
        provider.provide("alloc_td", verbs_context.alloc_td$offset(), 2, arguments -> td.address());
        provider.provide("dealloc_td", verbs_context.dealloc_td$offset(), 1, arguments -> 0);
        provider.provide(
                "alloc_parent_domain",
                verbs_context.alloc_parent_domain$offset(),
                2,
                arguments -> {
                    MemorySegment attr = arguments.struct(1, ibv_parent_domain_init_attr.sizeof());
                    seen.add(ibv_parent_domain_init_attr.pd(attr));
                    seen.add(ibv_parent_domain_init_attr.td(attr));
                    seen.add(ibv_parent_domain_init_attr.comp_mask(attr));
                    return parent.address();
                });

        ThreadDomain thread = device.context.newThreadDomain();
        ProtectionDomain above = device.domain.newParentDomain(thread);

        assertThat(seen).containsExactly(device.domain.handle(), td, 0);
        assertThat(above.handle().address()).isEqualTo(parent.address());
        assertThat(above.sharesMemoryWith(device.domain)).isTrue();
        assertThatThrownBy(thread::close)
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining(above.toString());
        assertThat(provider.callsOf("dealloc_td")).isEmpty();
    }

    @Test
    void aThreadDomainIsFreedOnce() {
        MemorySegment td = object(ibv_td.layout());
        ibv_td.context(td, provider.handle);
        provider.provide("alloc_td", verbs_context.alloc_td$offset(), 2, arguments -> td.address());
        provider.provide("dealloc_td", verbs_context.dealloc_td$offset(), 1, arguments -> 0);
        ThreadDomain thread = device.context.newThreadDomain();
        thread.close();
        thread.close();
        assertThat(provider.callsOf("dealloc_td")).hasSize(1);
    }

    @Test
    void whatTheProviderLacksIsSaid() {
        assertThatThrownBy(device.context::newThreadDomain)
                .isInstanceOf(UnsupportedVerbException.class)
                .hasMessageContaining("ibv_alloc_td: EOPNOTSUPP")
                .hasMessageContaining("the provider unknown of fake0 lacks it");
    }

    @Test
    void aNullWithoutAReasonIsSaidToHaveNone() {
        provider.provide("alloc_td", verbs_context.alloc_td$offset(), 2, arguments -> 0);
        // Leaves a reason of its own in C's errno.
        assertThat(Posix.close(-1)).isNegative();
        assertThatThrownBy(device.context::newThreadDomain)
                .isExactlyInstanceOf(VerbsException.class)
                .hasMessageContaining("gives no reason")
                .hasMessageNotContaining("EBADF");
    }

    private WorkQueue workQueue() {
        MemorySegment wq = object(ibv_wq.layout());
        ibv_wq.context(wq, provider.handle);
        ibv_wq.wq_num(wq, 77);
        provider.provide(
                "create_wq",
                verbs_context.create_wq$offset(),
                2,
                arguments -> {
                    MemorySegment attr = arguments.struct(1, ibv_wq_init_attr.sizeof());
                    seen.add(ibv_wq_init_attr.wq_type(attr));
                    seen.add(ibv_wq_init_attr.max_wr(attr));
                    seen.add(ibv_wq_init_attr.max_sge(attr));
                    seen.add(ibv_wq_init_attr.pd(attr));
                    seen.add(ibv_wq_init_attr.cq(attr));
                    seen.add(ibv_wq_init_attr.comp_mask(attr));
                    seen.add(ibv_wq_init_attr.create_flags(attr));
                    return wq.address();
                });
        return device.domain
                .newWorkQueue(device.queue)
                .maxRequests(33)
                .maxSge(2)
                .options(WorkQueue.Option.STRIP_VLAN, WorkQueue.Option.DELAY_DROP)
                .build();
    }

    @Test
    void aWorkQueueIsMadeMovedAndDestroyed() {
        WorkQueue queue = workQueue();
        assertThat(seen)
                .containsExactly(
                        Verbs.IBV_WQT_RQ(),
                        33,
                        2,
                        device.domain.handle(),
                        device.queue.handle(),
                        Verbs.IBV_WQ_INIT_ATTR_FLAGS(),
                        Verbs.IBV_WQ_FLAGS_CVLAN_STRIPPING() | Verbs.IBV_WQ_FLAGS_DELAY_DROP());
        assertThat(queue.number()).isEqualTo(77);

        List<Integer> modified = new ArrayList<>();
        provider.provide(
                "modify_wq",
                verbs_context.modify_wq$offset(),
                2,
                arguments -> {
                    MemorySegment attr = arguments.struct(1, ibv_wq_attr.sizeof());
                    modified.add(ibv_wq_attr.attr_mask(attr));
                    modified.add(ibv_wq_attr.wq_state(attr));
                    modified.add(ibv_wq_attr.flags(attr));
                    modified.add(ibv_wq_attr.flags_mask(attr));
                    return 0;
                });
        queue.modify(WorkQueue.State.READY);
        queue.modify(WorkQueue.Option.STRIP_VLAN, false);
        assertThat(modified)
                .containsExactly(
                        Verbs.IBV_WQ_ATTR_STATE(),
                        Verbs.IBV_WQS_RDY(),
                        0,
                        0,
                        Verbs.IBV_WQ_ATTR_FLAGS(),
                        0,
                        0,
                        Verbs.IBV_WQ_FLAGS_CVLAN_STRIPPING());

        provider.provide("destroy_wq", verbs_context.destroy_wq$offset(), 1, arguments -> 16);
        assertThatThrownBy(queue::close).hasMessageContaining("ibv_destroy_wq: EBUSY");
        provider.provide("destroy_wq", verbs_context.destroy_wq$offset(), 1, arguments -> 0);
        queue.close();
        assertThatThrownBy(() -> queue.modify(WorkQueue.State.READY))
                .isInstanceOf(IllegalStateException.class);
    }

    @Test
    void receivesArePostedWhileAWorkQueueIsReady() {
        MemorySegment wq = object(ibv_wq.layout());
        ibv_wq.context(wq, provider.handle);
        List<Long> posted = new ArrayList<>();
        ibv_wq.post_recv(
                wq,
                provider.function(
                        "post_wq_recv",
                        3,
                        arguments -> {
                            posted.add(arguments.pointer(0));
                            posted.add(
                                    ibv_recv_wr.wr_id(arguments.struct(1, ibv_recv_wr.sizeof())));
                            return 0;
                        }));
        provider.provide(
                "create_wq", verbs_context.create_wq$offset(), 2, arguments -> wq.address());
        provider.provide("modify_wq", verbs_context.modify_wq$offset(), 2, arguments -> 0);
        provider.provide("destroy_wq", verbs_context.destroy_wq$offset(), 1, arguments -> 0);
        WorkQueue queue = device.domain.newWorkQueue(device.queue).build();
        ReceiveRequest receive = queue.newReceive().id(5).into(device.region(64), 0, 64);
        assertThatThrownBy(() -> queue.post(receive))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("when it is READY");
        queue.modify(WorkQueue.State.READY);
        queue.post(receive);
        assertThat(posted).containsExactly(wq.address(), 5L);
        queue.close();
        assertThatThrownBy(() -> queue.post(receive)).hasMessageContaining("is closed");
    }

    /** The JVM would call NULL. */
    @Test
    void aWorkQueueOfAProviderWithoutAFunctionForItTakesNoReceives() {
        WorkQueue queue = workQueue();
        provider.provide("modify_wq", verbs_context.modify_wq$offset(), 2, arguments -> 0);
        queue.modify(WorkQueue.State.READY);
        ReceiveRequest receive = queue.newReceive().into(device.region(64), 0, 64);
        assertThatThrownBy(() -> queue.post(receive))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("the provider unknown takes no receives");
    }

    @Test
    void anIndirectionTableHasAPowerOfTwoOfQueues() {
        WorkQueue queue = workQueue();
        MemorySegment table = object(ibv_rwq_ind_table.layout());
        ibv_rwq_ind_table.context(table, provider.handle);
        seen.clear();
        provider.provide(
                "create_rwq_ind_table",
                verbs_context.create_rwq_ind_table$offset(),
                2,
                arguments -> {
                    MemorySegment attr = arguments.struct(1, ibv_rwq_ind_table_init_attr.sizeof());
                    seen.add(ibv_rwq_ind_table_init_attr.log_ind_tbl_size(attr));
                    MemorySegment list =
                            ibv_rwq_ind_table_init_attr
                                    .ind_tbl(attr)
                                    .reinterpret(4 * Verbs.C_POINTER.byteSize());
                    for (int i = 0; i < 4; i++) {
                        seen.add(list.getAtIndex(Verbs.C_POINTER, i));
                    }
                    return table.address();
                });
        provider.provide(
                "destroy_rwq_ind_table",
                verbs_context.destroy_rwq_ind_table$offset(),
                1,
                arguments -> 0);
        MemorySegment wq = MemorySegment.ofAddress(queue.handle().address());
        try (IndirectionTable made =
                device.context.newIndirectionTable(List.of(queue, queue, queue, queue))) {
            assertThat(seen).containsExactly(2, wq, wq, wq, wq);
            assertThatThrownBy(queue::close).hasMessageContaining(made.toString());
        }
        assertThatThrownBy(() -> device.context.newIndirectionTable(List.of(queue, queue, queue)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("a power of two of work queues, not 3");
    }

    @Test
    void moderationReachesTheProviderInMicroseconds() {
        provider.provide(
                "modify_cq",
                verbs_context.modify_cq$offset(),
                2,
                arguments -> {
                    MemorySegment attr = arguments.struct(1, ibv_modify_cq_attr.sizeof());
                    MemorySegment moderate = ibv_modify_cq_attr.moderate(attr);
                    seen.add(ibv_modify_cq_attr.attr_mask(attr));
                    seen.add(ibv_moderate_cq.cq_count(moderate));
                    seen.add(ibv_moderate_cq.cq_period(moderate));
                    return 0;
                });
        device.queue.moderate(65_535, Duration.ofMillis(3));
        assertThat(seen).containsExactly(Verbs.IBV_CQ_ATTR_MODERATE(), (short) -1, (short) 3000);
    }
}
