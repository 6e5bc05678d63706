package org.verbs4j;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.verbs4j.bindings.ibv_flow;
import org.verbs4j.bindings.ibv_flow_action_esp_attr;
import org.verbs4j.bindings.verbs_context;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.List;

/**
 * Every kind of parent that soft-RoCE does not have stays open while a child of it lives, names it,
 * and closes after it; those that it has are in ClosingIT.
 */
class LivingChildrenTest {
    private final FakeDevice device = new FakeDevice();
    private final FakeProvider provider = device.provider;
    private final DeviceContext context = device.context;

    @BeforeEach
    void provideEverything() {
        AnyOperation.provide(provider, arguments -> 0);
        makes("alloc_td", verbs_context.alloc_td$offset());
        makes("alloc_parent_domain", verbs_context.alloc_parent_domain$offset());
        makes("alloc_dm", verbs_context.alloc_dm$offset());
        makes("open_xrcd", verbs_context.open_xrcd$offset());
        makes("create_srq_ex", verbs_context.create_srq_ex$offset());
        makes("create_qp_ex", verbs_context.create_qp_ex$offset());
        makes("create_wq", verbs_context.create_wq$offset());
        makes("create_rwq_ind_table", verbs_context.create_rwq_ind_table$offset());
        makes("create_counters", verbs_context.create_counters$offset());
        makes("create_flow_action_esp", verbs_context.create_flow_action_esp$offset());
        makes("alloc_null_mr", verbs_context.alloc_null_mr$offset());
        provider.provide(
                "reg_dm_mr",
                verbs_context.reg_dm_mr$offset(),
                5,
                arguments -> provider.newObject().address());
        provider.provide(
                "create_flow",
                verbs_context.ibv_create_flow$offset(),
                2,
                arguments -> {
                    MemorySegment flow = provider.newObject();
                    ibv_flow.comp_mask(flow, 0);
                    ibv_flow.context(flow, provider.handle);
                    return flow.address();
                });
        for (long destroys :
                List.of(
                        verbs_context.dealloc_td$offset(),
                        verbs_context.free_dm$offset(),
                        verbs_context.close_xrcd$offset(),
                        verbs_context.destroy_wq$offset(),
                        verbs_context.destroy_rwq_ind_table$offset(),
                        verbs_context.destroy_counters$offset(),
                        verbs_context.destroy_flow_action$offset(),
                        verbs_context.ibv_destroy_flow$offset())) {
            provider.provide("destroy", destroys, 1, arguments -> 0);
        }
        provider.provideActivePorts(attr -> {});
    }

    private void makes(String name, long offset) {
        provider.provide(name, offset, 2, arguments -> provider.newObject().address());
    }

    /**
     * Of a child and everything that it was made from, in the order in which they can be closed.
     */
    private static void keeps(AutoCloseable child, AutoCloseable... parents) throws Exception {
        for (AutoCloseable parent : parents) {
            assertThatThrownBy(parent::close)
                    .as("%s", parent)
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageStartingWith(parent + " is still used by ")
                    .hasMessageContaining(child.toString())
                    .hasMessageEndingWith(": close them first");
        }
        child.close();
    }

    private ProtectionDomain domain() {
        return provider.newDomain(context);
    }

    @Test
    void aContext() throws Exception {
        keeps(context.newThreadDomain(), context);
        keeps(context.newXrcDomain(), context);
        keeps(context.newFlowCounters(), context);
        keeps(context.newDeviceMemory(8, 0), context);
        keeps(action(), context);
        keeps(domain(), context);
    }

    private FlowAction action() {
        MemorySegment attr = Arena.ofAuto().allocate(ibv_flow_action_esp_attr.layout());
        return context.newEspFlowAction(attr);
    }

    @Test
    void domainsAndThreadDomains() throws Exception {
        ProtectionDomain domain = domain();
        ThreadDomain thread = context.newThreadDomain();
        keeps(domain.newParentDomain(thread), thread, domain);
        keeps(domain.newParentDomain(null, (arena, size, alignment, resource) -> null), domain);
        keeps(domain.newNullRegion(), domain);
        thread.close();
        domain.close();
    }

    @Test
    void deviceMemory() throws Exception {
        ProtectionDomain domain = domain();
        DeviceMemory memory = context.newDeviceMemory(8, 0);
        keeps(domain.registerDeviceMemory(memory, 0, 8), memory, domain);
        memory.close();
        domain.close();
    }

    @Test
    void xrcDomains() throws Exception {
        ProtectionDomain domain = domain();
        XrcDomain xrc = context.newXrcDomain();
        keeps(xrc.newSharedReceiveQueue(domain, device.queue, 4, 1), xrc, domain, device.queue);
        keeps(xrc.newReceiveQueuePair().port(1).build(), xrc);
        xrc.close();
        domain.close();
    }

    @Test
    void workQueuesTablesAndWhatSpreadsByThem() throws Exception {
        ProtectionDomain domain = domain();
        WorkQueue queue = domain.newWorkQueue(device.queue).build();
        IndirectionTable table = context.newIndirectionTable(List.of(queue, queue));
        RssQueuePair pair = domain.newRssQueuePair(table).build();
        FlowCounters counters = context.newFlowCounters();
        FlowAction action = action();
        FlowRule rule =
                FlowRule.on(1)
                        .action(new FlowRule.Action.Count(counters))
                        .action(new FlowRule.Action.Handle(action))
                        .build();
        keeps(pair.newFlow(rule), counters, action, pair);
        keeps(device.pair.newFlow(rule), counters, action, device.pair);
        keeps(pair, table, domain);
        keeps(table, queue);
        keeps(queue, domain, device.queue);
        keeps(counters, context);
        keeps(action, context);
        domain.close();
    }
}
