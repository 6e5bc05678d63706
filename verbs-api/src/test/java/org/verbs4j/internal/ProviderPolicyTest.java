package org.verbs4j.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.util.List;

class ProviderPolicyTest {
    @ParameterizedTest
    @CsvSource({
        "mlx5, true, true",
        "mlx4, true, true",
        "efa, true, true",
        "vmw_pvrdma, true, true",
        "rxe, true, false",
        "siw, true, false",
        "hfi1verbs, false, false",
        "ipathverbs, false, false",
        "unknown, true, false"
    })
    void callsThatMayEnterTheKernelAreNotCritical(String provider, boolean poll, boolean post) {
        assertThat(ProviderPolicy.of(provider, "auto"))
                .isEqualTo(new ProviderPolicy(provider, poll, post));
    }

    @ParameterizedTest
    @CsvSource({
        "never, false, false",
        "poll, true, false",
        "always, true, true",
        "NEVER, false, false"
    })
    void thePropertyOverrulesTheTable(String override, boolean poll, boolean post) {
        assertThat(ProviderPolicy.of("rxe", override))
                .isEqualTo(new ProviderPolicy("rxe", poll, post));
    }

    @Test
    void anotherValueOfThePropertyIsRefused() {
        assertThatThrownBy(() -> ProviderPolicy.of("rxe", "yes"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("-Dorg.verbs4j.critical=yes: must be auto, never, poll or always");
    }

    @Test
    void theProviderIsTheFileThatTheCodeIsMappedFrom() {
        List<String> maps =
                List.of(
                        "7f0000001000-7f0000002000 r-xp 00000000 08:01 11 "
                                + " /usr/lib/libibverbs/librxe-rdmav34.so",
                        "7f0000002000-7f0000003000 rw-p 00000000 00:00 0 ",
                        "7f0000003000-7f0000004000 r-xp 00000000 08:01 12 "
                                + " /usr/lib/libmlx5.so.1.24.44.0",
                        "7f0000004000-7f0000005000 r-xp 00000000 08:01 13  /usr/bin/java");
        assertThat(ProviderPolicy.providerAt(0x7f0000001fffL, maps)).isEqualTo("rxe");
        assertThat(ProviderPolicy.providerAt(0x7f0000003000L, maps)).isEqualTo("mlx5");
        assertThat(ProviderPolicy.providerAt(0x7f0000002000L, maps)).isEqualTo("unknown");
        assertThat(ProviderPolicy.providerAt(0x7f0000004000L, maps)).isEqualTo("unknown");
        assertThat(ProviderPolicy.providerAt(0x10L, maps)).isEqualTo("unknown");
    }

    @Test
    void anAddressOfThisProcessIsLookedUpInItsMaps() {
        assertThat(ProviderPolicy.of(0).provider()).isEqualTo("unknown");
    }
}
