package org.verbs4j;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.verbs4j.bindings.ibv_context_ops;
import org.verbs4j.bindings.ibv_qp;
import org.verbs4j.bindings.verbs_context;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.function.BiConsumer;

/**
 * To the kernel a parent domain is the domain under it: whatever is of one of a family serves what
 * is of another, and what is of a stranger is refused.
 */
class ParentDomainTest {
    private final FakeDevice device = new FakeDevice();
    private final FakeProvider provider = device.provider;
    private final ProtectionDomain under = device.domain;
    private ProtectionDomain above;
    private ProtectionDomain beside;
    private ProtectionDomain top;
    private ProtectionDomain stranger;

    @BeforeEach
    void makeDomains() {
        AnyOperation.provide(provider, arguments -> provider.newObject().address());
        provider.provideActivePorts(attr -> {});
        provider.provide(
                "alloc_parent_domain",
                verbs_context.alloc_parent_domain$offset(),
                2,
                arguments -> provider.newObject().address());
        above = under.newParentDomain(null);
        beside = under.newParentDomain(null);
        top = above.newParentDomain(null);
        stranger = provider.newDomain(device.context);
    }

    private void familyServes(BiConsumer<ProtectionDomain, ProtectionDomain> use) {
        ProtectionDomain[] family = {under, above, beside, top};
        for (ProtectionDomain one : family) {
            for (ProtectionDomain other : family) {
                use.accept(one, other);
            }
            assertThatThrownBy(() -> use.accept(stranger, one))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("another protection domain");
            assertThatThrownBy(() -> use.accept(one, stranger))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("another protection domain");
        }
    }

    private MemoryRegion region(ProtectionDomain domain) {
        return domain.register(Arena.ofAuto().allocate(64), Access.LOCAL_WRITE);
    }

    private RcQueuePair pair(ProtectionDomain domain) {
        MemorySegment qp = provider.newObject();
        return new RcQueuePair(setup(QueuePairType.RC, domain, qp));
    }

    private QueuePairSetup setup(QueuePairType type, ProtectionDomain domain, MemorySegment qp) {
        return device.setup(type, domain, qp.reinterpret(ibv_qp.sizeof()));
    }

    @Test
    void memory() {
        familyServes(
                (memory, pair) -> {
                    pair(pair).newSend().from(region(memory), 0, 8);
                    pair(pair).newSend().from(region(memory).slice(0, 8));
                    pair(pair).newReceive().into(region(memory), 0, 8);
                });
    }

    @Test
    void windows() {
        familyServes(
                (window, pair) -> {
                    AnyOperation.provide(provider, arguments -> provider.newObject().address());
                    provider.provideClassic(
                            "alloc_mw",
                            ibv_context_ops.alloc_mw$offset(),
                            2,
                            arguments -> provider.newObject().address());
                    pair(pair)
                            .newBindWindow()
                            .window(window.newMemoryWindow(MemoryWindow.Type.TYPE_2), 1)
                            .over(region(window).slice(0, 8), Access.REMOTE_READ);
                });
    }

    @Test
    void sharedReceiveQueues() {
        familyServes(
                (queue, pair) ->
                        pair.newRcQueuePair(device.queue, device.queue)
                                .sharedReceiveQueue(sharedQueue(queue)));
    }

    private SharedReceiveQueue sharedQueue(ProtectionDomain domain) {
        AnyOperation.provide(
                provider,
                arguments ->
                        arguments.pointer(0) == domain.handle().address()
                                ? provider.newObject().address()
                                : 0);
        return domain.newSharedReceiveQueue(4, 1);
    }

    @Test
    void advice() {
        provider.provide("advise_mr", verbs_context.advise_mr$offset(), 5, arguments -> 0);
        familyServes(
                (memory, asked) -> asked.advise(Advice.PREFETCH, true, region(memory).slice(0, 8)));
    }

    @Test
    void addressHandles() {
        familyServes(
                (way, pair) -> {
                    UdQueuePair datagrams =
                            new UdQueuePair(setup(QueuePairType.UD, pair, provider.newObject()));
                    datagrams.newSend().to(wayOf(way), 1, 2);
                });
    }

    private AddressHandle wayOf(ProtectionDomain domain) {
        return domain.newAddressHandle(new AddressVector(1, 7, 0, null));
    }

    /** A post under way on any of the family may be reading it. */
    @Test
    void theCloseOfAnAddressHandleWaitsForPostsOfTheWholeFamily() {
        UdQueuePair pair = new UdQueuePair(setup(QueuePairType.UD, top, provider.newObject()));
        UdQueuePair other =
                new UdQueuePair(setup(QueuePairType.UD, stranger, provider.newObject()));
        QueuePairTable table = new QueuePairTable();
        table.add(pair);
        assertThat(table.unconnected(beside)).containsExactly(pair);
        assertThat(table.unconnected(stranger)).isEmpty();
        assertThat(other.protectionDomain().sharesMemoryWith(stranger)).isTrue();
    }
}
