package org.verbs4j;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.verbs4j.bindings.ContextVerbs;
import org.verbs4j.bindings.ibv_pd;
import org.verbs4j.bindings.verbs_context;

import java.lang.foreign.MemorySegment;

class FakeProviderTest {
    private final FakeProvider provider = new FakeProvider();

    @Test
    void whatIsProvidedIsCalledAndNoted() {
        MemorySegment pd = provider.allocate(ibv_pd.layout());
        ibv_pd.context(pd, provider.handle);
        provider.provide(
                "alloc_null_mr",
                verbs_context.alloc_null_mr$offset(),
                1,
                arguments -> arguments.pointer(0) + 8);

        long result = ContextVerbs.ibv_alloc_null_mr(pd.address());

        assertThat(result).isEqualTo(pd.address() + 8);
        assertThat(provider.callsOf("alloc_null_mr"))
                .singleElement()
                .satisfies(call -> assertThat(call.arguments().pointer(0)).isEqualTo(pd.address()));
    }

    @Test
    void whatIsNotProvidedIsMissing() {
        MemorySegment pd = provider.allocate(ibv_pd.layout());
        ibv_pd.context(pd, provider.handle);

        assertThat(ContextVerbs.ibv_alloc_null_mr(pd.address())).isZero();
        assertThat(provider.calls).isEmpty();
    }
}
