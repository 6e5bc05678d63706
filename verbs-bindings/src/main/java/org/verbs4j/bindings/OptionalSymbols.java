package org.verbs4j.bindings;

import static java.util.Map.entry;

import java.util.Map;
import java.util.OptionalInt;

/**
 * The exported functions that rdma-core gained after version 28, the oldest that is supported: a
 * library may lack them.
 *
 * <p>{@link NativeLibraries#find} tells whether the installed library has one; this table tells
 * which release would.
 */
public final class OptionalSymbols {
    /** The oldest rdma-core on which everything else works. */
    public static final int OLDEST_SUPPORTED = 28;

    private static final Map<String, Integer> SINCE =
            Map.ofEntries(
                    entry("ibv_get_device_index", 30),
                    entry("ibv_import_device", 31),
                    entry("ibv_import_mr", 31),
                    entry("ibv_import_pd", 31),
                    entry("ibv_unimport_mr", 31),
                    entry("ibv_unimport_pd", 31),
                    entry("ibv_query_ece", 31),
                    entry("ibv_set_ece", 31),
                    entry("rdma_get_remote_ece", 31),
                    entry("rdma_reject_ece", 31),
                    entry("rdma_set_local_ece", 31),
                    entry("_ibv_query_gid_ex", 32),
                    entry("_ibv_query_gid_table", 32),
                    entry("ibv_query_gid_ex", 32),
                    entry("ibv_query_gid_table", 32),
                    entry("ibv_reg_dmabuf_mr", 34),
                    entry("ibv_import_dm", 35),
                    entry("ibv_unimport_dm", 35),
                    entry("ibv_is_fork_initialized", 35),
                    entry("ibv_query_qp_data_in_order", 36));

    private OptionalSymbols() {}

    /**
     * The rdma-core release that introduced a function. The inline functions {@code
     * ibv_query_gid_ex} and {@code ibv_query_gid_table} are as old as the exported functions behind
     * them.
     *
     * @param function the C name, such as {@code ibv_reg_dmabuf_mr}
     * @return the release, such as 34; empty when every supported library has the function
     */
    public static OptionalInt sinceVersion(String function) {
        Integer version = SINCE.get(function);
        return version == null ? OptionalInt.empty() : OptionalInt.of(version);
    }
}
