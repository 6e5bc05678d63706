package org.verbs4j.bindings;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.util.List;
import java.util.Map;
import java.util.OptionalInt;

/** What a libibverbs without a function means for the inline functions that call it. */
class OlderLibraryTest {
    /** Every exported function that an inline function calls. */
    private static final List<String> NEEDED =
            List.of(
                    "_ibv_query_gid_ex",
                    "_ibv_query_gid_table",
                    "ibv_ack_cq_events",
                    "ibv_create_qp",
                    "ibv_create_srq",
                    "ibv_dereg_mr",
                    "ibv_get_cq_event",
                    "ibv_get_device_list",
                    "ibv_query_device",
                    "ibv_query_port",
                    "ibv_reg_mr",
                    "ibv_reg_mr_iova",
                    "ibv_reg_mr_iova2");

    private Map<String, Long> before = Map.of();

    @BeforeEach
    void forgetTheNewerFunctions() {
        before = Map.copyOf(Calls.EXPORTED);
        for (String function : NEEDED) {
            Calls.EXPORTED.put(function, 0L);
        }
    }

    @AfterEach
    void restore() {
        Calls.EXPORTED.clear();
        Calls.EXPORTED.putAll(before);
    }

    @Test
    void theInstalledLibraryHasEveryFunctionThatAnInlineCalls() {
        assertThat(NativeLibraries.verbsProblem()).isEmpty();
        assertThat(NEEDED).allSatisfy(name -> assertThat(NativeLibraries.find(name)).isPresent());
    }

    @Test
    void withoutTheGidQueriesTheAnswerIsThatTheyAreNotSupported() {
        assertThat(InlineVerbs.ibv_query_gid_ex(0, 1, 0, 0, 0)).isEqualTo(Posix.EOPNOTSUPP());
        assertThat(InlineVerbs.ibv_query_gid_table(0, 0, 0, 0)).isEqualTo(-Posix.EOPNOTSUPP());
    }

    @Test
    void withoutARegistrationItIsNullAndErrno() {
        for (int access : List.of(0, Verbs.IBV_ACCESS_RELAXED_ORDERING())) {
            NativeLibraries.setErrno(0);
            assertThat(InlineVerbs.ibv_reg_mr(0, 0, 0, access)).isZero();
            assertThat(NativeLibraries.errno()).isEqualTo(Posix.EOPNOTSUPP());

            NativeLibraries.setErrno(0);
            assertThat(InlineVerbs.ibv_reg_mr_iova(0, 0, 0, 0, access)).isZero();
            assertThat(NativeLibraries.errno()).isEqualTo(Posix.EOPNOTSUPP());
        }
    }

    @ParameterizedTest
    @CsvSource({
        "ibv_get_device_index, 30",
        "ibv_import_device, 31",
        "rdma_set_local_ece, 31",
        "ibv_query_gid_ex, 32",
        "_ibv_query_gid_table, 32",
        "ibv_reg_dmabuf_mr, 34",
        "ibv_is_fork_initialized, 35",
        "ibv_query_qp_data_in_order, 36"
    })
    void theReleaseThatHasAFunctionIsKnown(String function, int release) {
        assertThat(OptionalSymbols.sinceVersion(function)).hasValue(release);
    }

    @Test
    void functionsOfTheOldestSupportedReleaseAreNotOptional() {
        for (String function :
                List.of(
                        "ibv_open_device",
                        "ibv_reg_mr_iova2",
                        "ibv_qp_to_qp_ex",
                        "rdma_establish")) {
            assertThat(OptionalSymbols.sinceVersion(function)).isEqualTo(OptionalInt.empty());
        }
    }
}
