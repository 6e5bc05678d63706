package org.verbs4j.it;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.verbs4j.Access;
import org.verbs4j.CompletionChannel;
import org.verbs4j.CompletionQueue;
import org.verbs4j.DeviceContext;
import org.verbs4j.Devices;
import org.verbs4j.GidEntry;
import org.verbs4j.MemoryRegion;
import org.verbs4j.ProtectionDomain;
import org.verbs4j.RcQueuePair;
import org.verbs4j.bindings.InlineVerbs;
import org.verbs4j.bindings.NativeLibraries;
import org.verbs4j.bindings.Posix;
import org.verbs4j.bindings.Verbs;
import org.verbs4j.bindings.ibv_ah_attr;
import org.verbs4j.bindings.ibv_global_route;
import org.verbs4j.bindings.ibv_srq_attr;
import org.verbs4j.bindings.ibv_srq_init_attr;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/**
 * What the kernel itself refuses, where the API refuses before it, with better words: the C verbs
 * are called on the API's objects.
 */
class KernelRefusalsIT {
    private Arena arena;
    private DeviceContext context;
    private ProtectionDomain domain;

    @BeforeEach
    void open() {
        arena = Arena.ofConfined();
        context = Devices.first().open();
        domain = context.newProtectionDomain();
    }

    @AfterEach
    void close() {
        domain.close();
        context.close();
        arena.close();
    }

    private void domainIsBusy() {
        assertThat(Verbs.ibv_dealloc_pd(domain.handle())).isEqualTo(Posix.EBUSY());
    }

    @Test
    @Holds("10")
    void aProtectionDomainWithAnythingInItIsBusy() {
        try (CompletionQueue queue = context.newCompletionQueue(1);
                RcQueuePair pair = domain.newRcQueuePair(queue, queue).build()) {
            assertThat(pair.number()).isPositive();
            domainIsBusy();
        }
        try (MemoryRegion region = domain.allocate(64, Access.LOCAL_WRITE)) {
            assertThat(region.length()).isEqualTo(64);
            domainIsBusy();
        }
        long window = InlineVerbs.ibv_alloc_mw(domain.handle().address(), Verbs.IBV_MW_TYPE_1());
        domainIsBusy();
        assertThat(InlineVerbs.ibv_dealloc_mw(window)).isZero();
        MemorySegment shared = sharedReceiveQueue();
        domainIsBusy();
        assertThat(Verbs.ibv_destroy_srq(shared)).isZero();
        MemorySegment way = addressHandle();
        domainIsBusy();
        assertThat(Verbs.ibv_destroy_ah(way)).isZero();
    }

    private MemorySegment sharedReceiveQueue() {
        MemorySegment init = arena.allocate(ibv_srq_init_attr.layout());
        ibv_srq_attr.max_wr(ibv_srq_init_attr.attr(init), 4);
        ibv_srq_attr.max_sge(ibv_srq_init_attr.attr(init), 1);
        MemorySegment shared = Verbs.ibv_create_srq(domain.handle(), init);
        assertThat(shared.address()).isNotZero();
        return shared;
    }

    private MemorySegment addressHandle() {
        GidEntry own = context.activePort().routableGid().orElseThrow();
        MemorySegment attr = arena.allocate(ibv_ah_attr.layout());
        ibv_ah_attr.port_num(attr, (byte) own.port());
        ibv_ah_attr.is_global(attr, (byte) 1);
        MemorySegment route = ibv_ah_attr.grh(attr);
        ibv_global_route.sgid_index(route, (byte) own.index());
        ibv_global_route.hop_limit(route, (byte) 64);
        MemorySegment destination = ibv_global_route.dgid(route);
        assertThat(
                        Verbs.ibv_query_gid(
                                context.handle(), (byte) own.port(), own.index(), destination))
                .isZero();
        MemorySegment way = Verbs.ibv_create_ah(domain.handle(), attr);
        assertThat(way.address()).isNotZero();
        return way;
    }

    @Test
    @Holds("24")
    void aCompletionQueueWithAQueuePairIsBusy() {
        try (CompletionQueue queue = context.newCompletionQueue(1);
                RcQueuePair pair = domain.newRcQueuePair(queue, queue).build()) {
            assertThat(Verbs.ibv_destroy_cq(queue.handle())).isEqualTo(Posix.EBUSY());
            assertThat(pair.number()).isPositive();
        }
    }

    @Test
    @Holds("25")
    void aChannelWithACompletionQueueIsBusy() {
        try (CompletionChannel channel = context.newCompletionChannel();
                CompletionQueue queue = context.newCompletionQueue(1, channel, 0)) {
            assertThat(Verbs.ibv_destroy_comp_channel(channel.handle())).isEqualTo(Posix.EBUSY());
            assertThat(queue.channel()).isSameAs(channel);
        }
    }

    @Test
    @Holds("23")
    void aCompletionQueueOfNothingOrTooMuchOrOnAVectorThatIsNotThereIsInvalid() {
        int most = context.attributes().maxCompletions();
        for (int wrong : new int[] {0, most + 1}) {
            invalidCompletionQueue(wrong, 0);
        }
        invalidCompletionQueue(1, context.completionVectors());
    }

    private void invalidCompletionQueue(int capacity, int vector) {
        MemorySegment none = MemorySegment.NULL;
        assertThat(Verbs.ibv_create_cq(context.handle(), capacity, none, none, vector))
                .isEqualTo(none);
        assertThat(NativeLibraries.errno()).isEqualTo(Posix.EINVAL());
    }
}
