package org.verbs4j;

import org.verbs4j.bindings.ContextVerbs;
import org.verbs4j.bindings.NativeLibraries;
import org.verbs4j.bindings.Verbs;
import org.verbs4j.bindings.ibv_ece;
import org.verbs4j.bindings.ibv_qp_rate_limit_attr;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/**
 * The verbs of a queue pair that few devices have. Called while the queue pair cannot be closed.
 */
final class QueuePairExtras {
    private QueuePairExtras() {}

    static Ece queryEce(QueuePairSetup setup) {
        UnsupportedVerbs.requireExported("ibv_query_ece");
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment ece = arena.allocate(ibv_ece.layout());
            check("ibv_query_ece", setup, Verbs.ibv_query_ece(setup.handle(), ece));
            return new Ece(ibv_ece.vendor_id(ece), ibv_ece.options(ece));
        }
    }

    static void setEce(QueuePairSetup setup, Ece wanted) {
        UnsupportedVerbs.requireExported("ibv_set_ece");
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment ece = arena.allocate(ibv_ece.layout());
            ibv_ece.vendor_id(ece, wanted.vendorId());
            ibv_ece.options(ece, wanted.options());
            check("ibv_set_ece", setup, Verbs.ibv_set_ece(setup.handle(), ece));
        }
    }

    /** A library without the function gives no guarantee, as one that has it does by 0. */
    static boolean isDataInOrder(QueuePairSetup setup, DataOperation operation) {
        return NativeLibraries.find("ibv_query_qp_data_in_order").isPresent()
                && Verbs.ibv_query_qp_data_in_order(setup.handle(), operation.code(), 0) != 0;
    }

    static void limitRate(QueuePairSetup setup, RateLimit limit) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment attr = arena.allocate(ibv_qp_rate_limit_attr.layout());
            ibv_qp_rate_limit_attr.rate_limit(attr, limit.kilobitsPerSecond());
            ibv_qp_rate_limit_attr.max_burst_sz(attr, limit.maxBurstBytes());
            ibv_qp_rate_limit_attr.typical_pkt_sz(attr, (short) limit.typicalPacketBytes());
            check(
                    "ibv_modify_qp_rate_limit",
                    setup,
                    ContextVerbs.ibv_modify_qp_rate_limit(
                            setup.handle().address(), attr.address()));
        }
    }

    private static void check(String verb, QueuePairSetup setup, int errno) {
        if (errno == 0) {
            return;
        }
        String device =
                setup.context().device().name() + " (provider " + setup.context().provider() + ")";
        if (UnsupportedVerbs.isMissing(errno)) {
            throw new UnsupportedVerbException(
                    verb, errno, device + " cannot, with " + setup.type().symbol());
        }
        throw new VerbsException(verb, errno, device + " refuses these values or this state");
    }
}
