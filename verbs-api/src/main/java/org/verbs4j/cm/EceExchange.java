package org.verbs4j.cm;

import org.verbs4j.Ece;
import org.verbs4j.UnsupportedVerbException;
import org.verbs4j.bindings.NativeLibraries;
import org.verbs4j.bindings.Posix;
import org.verbs4j.bindings.Verbs;
import org.verbs4j.bindings.ibv_ece;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/**
 * Enhanced connection establishment, which librdmacm has since rdma-core 31. Each call returns 0,
 * or -1 with errno.
 */
final class EceExchange {
    private EceExchange() {}

    static int offer(MemorySegment id, Ece ece) {
        require("rdma_set_local_ece");
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment struct = arena.allocate(ibv_ece.layout());
            ibv_ece.vendor_id(struct, ece.vendorId());
            ibv_ece.options(struct, ece.options());
            return Verbs.rdma_set_local_ece(id, struct);
        }
    }

    static int ask(MemorySegment id, MemorySegment out) {
        require("rdma_get_remote_ece");
        return Verbs.rdma_get_remote_ece(id, out);
    }

    static int reject(MemorySegment id) {
        require("rdma_reject_ece");
        return Verbs.rdma_reject_ece(id, MemorySegment.NULL, (byte) 0);
    }

    private static void require(String function) {
        if (NativeLibraries.find(function).isEmpty()) {
            throw new UnsupportedVerbException(
                    function, Posix.EOPNOTSUPP(), "the installed librdmacm does not have it");
        }
    }
}
