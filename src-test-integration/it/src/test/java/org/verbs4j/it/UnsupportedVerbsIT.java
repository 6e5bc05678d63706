package org.verbs4j.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.verbs4j.FlowFilter;
import org.verbs4j.FlowRule;
import org.verbs4j.UnsupportedVerbException;
import org.verbs4j.bindings.ibv_flow_action_esp_attr;

import java.lang.foreign.Arena;

/** What soft-RoCE does not have is said in one sentence that names the verb and who lacks it. */
class UnsupportedVerbsIT {
    private RdmaPair pair;
    private RdmaPair.Side side;

    @BeforeEach
    void open() {
        pair = RdmaPair.onOneDevice();
        side = pair.left;
    }

    @AfterEach
    void close() {
        pair.close();
    }

    private void unsupported(String verb, ThrowingCallable call) {
        assertThatThrownBy(call)
                .isInstanceOfSatisfying(
                        UnsupportedVerbException.class, e -> assertThat(e.verb()).isEqualTo(verb))
                .hasMessageContaining(verb + ": EOPNOTSUPP")
                .hasMessageContaining("the provider " + side.context.provider());
    }

    @Test
    void threadDomainsAndParentDomains() {
        unsupported("ibv_alloc_td", side.context::newThreadDomain);
        unsupported("ibv_alloc_parent_domain", () -> side.domain.newParentDomain(null));
        unsupported(
                "ibv_alloc_parent_domain",
                () ->
                        side.domain.newParentDomain(
                                null, (arena, size, alignment, resource) -> null));
    }

    @Test
    void workQueues() {
        unsupported("ibv_create_wq", () -> side.domain.newWorkQueue(side.queue).build());
    }

    @Test
    void flowsCountersAndActions() {
        FlowFilter.Udp port = new FlowFilter.Udp(4791, 0);
        FlowFilter.Udp mask = new FlowFilter.Udp(0xffff, 0);
        FlowRule rule = FlowRule.on(1).match(port, mask).build();
        unsupported("ibv_create_flow", () -> side.pair.newFlow(rule));
        unsupported("ibv_create_counters", side.context::newFlowCounters);
        try (Arena arena = Arena.ofConfined()) {
            unsupported(
                    "ibv_create_flow_action_esp",
                    () ->
                            side.context.newEspFlowAction(
                                    arena.allocate(ibv_flow_action_esp_attr.layout())));
        }
    }
}
