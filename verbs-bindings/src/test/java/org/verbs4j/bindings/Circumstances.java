package org.verbs4j.bindings;

import java.util.function.Consumer;

/** What tests change in the oracle's world. */
final class Circumstances {
    private Circumstances() {}

    static void datagrams(Oracle world) {
        Memory.setInt(
                world.object("struct ibv_qp *") + ibv_qp.qp_type$offset(), Verbs.IBV_QPT_UD());
    }

    /** The id receives through a shared receive queue. */
    static void sharedReceives(Oracle world) {
        pointer("struct rdma_cm_id *", rdma_cm_id.srq$offset(), world.object("struct ibv_srq *"))
                .accept(world);
    }

    /** The provider knows nothing of {@code verbs_context}. */
    static void notExtended(Oracle world) {
        pointer("struct ibv_context *", ibv_context.abi_compat$offset(), 0).accept(world);
    }

    /** The provider is as old as this size of {@code verbs_context}. */
    static Consumer<Oracle> size(long size) {
        return pointer("struct verbs_context *", verbs_context.sz$offset(), size);
    }

    /** The provider left an operation of {@code verbs_context} NULL. */
    static Consumer<Oracle> withoutOperation(long offset) {
        return pointer("struct verbs_context *", offset, 0);
    }

    /** A 64-bit field of an object has this value. */
    static Consumer<Oracle> pointer(String object, long offset, long value) {
        return world -> Memory.setLong(world.object(object) + offset, value);
    }

    /** A 32-bit field of an object has this value. */
    static Consumer<Oracle> number(String object, long offset, int value) {
        return world -> Memory.setInt(world.object(object) + offset, value);
    }
}
