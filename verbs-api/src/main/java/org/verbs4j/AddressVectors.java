package org.verbs4j;

import org.verbs4j.bindings.NativeLibraries;
import org.verbs4j.bindings.Verbs;
import org.verbs4j.bindings.ibv_ah_attr;
import org.verbs4j.bindings.ibv_global_route;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/** {@link AddressVector} as {@code struct ibv_ah_attr}, and from received datagrams. */
final class AddressVectors {
    private AddressVectors() {}

    /** Fills in a zeroed {@code struct ibv_ah_attr}. */
    static void put(AddressVector vector, MemorySegment attr) {
        ibv_ah_attr.dlid(attr, (short) vector.lid());
        ibv_ah_attr.sl(attr, (byte) vector.serviceLevel());
        ibv_ah_attr.port_num(attr, (byte) vector.port());
        AddressVector.GlobalRoute route = vector.route();
        if (route != null) {
            ibv_ah_attr.is_global(attr, (byte) 1);
            MemorySegment grh = ibv_ah_attr.grh(attr);
            GidTable.put(ibv_global_route.dgid(grh), route.destination());
            ibv_global_route.flow_label(grh, route.flowLabel());
            ibv_global_route.sgid_index(grh, (byte) route.sourceGidIndex());
            ibv_global_route.hop_limit(grh, (byte) route.hopLimit());
            ibv_global_route.traffic_class(grh, (byte) route.trafficClass());
        }
    }

    /** Reads a {@code struct ibv_ah_attr} whose port is set. */
    static AddressVector read(MemorySegment attr) {
        MemorySegment grh = ibv_ah_attr.grh(attr);
        AddressVector.GlobalRoute route =
                ibv_ah_attr.is_global(attr) == 0
                        ? null
                        : new AddressVector.GlobalRoute(
                                GidTable.gid(ibv_global_route.dgid(grh)),
                                Byte.toUnsignedInt(ibv_global_route.sgid_index(grh)),
                                ibv_global_route.flow_label(grh) & 0xfffff,
                                Byte.toUnsignedInt(ibv_global_route.hop_limit(grh)),
                                Byte.toUnsignedInt(ibv_global_route.traffic_class(grh)));
        return new AddressVector(
                Byte.toUnsignedInt(ibv_ah_attr.port_num(attr)),
                Short.toUnsignedInt(ibv_ah_attr.dlid(attr)),
                ibv_ah_attr.sl(attr) & 0xf,
                route);
    }

    /** {@code ibv_init_ah_from_wc}. */
    static AddressVector ofSender(Port port, WorkCompletion completion, MemorySegment received) {
        DeviceContext context = port.context();
        requireReceived(context, port, completion);
        return context.life()
                .whileOpen(
                        () -> {
                            try (Arena arena = Arena.ofConfined()) {
                                return ofSender(arena, port, completion, header(arena, received));
                            }
                        });
    }

    private static AddressVector ofSender(
            Arena arena, Port port, WorkCompletion completion, MemorySegment header) {
        MemorySegment attr = arena.allocate(ibv_ah_attr.layout());
        int result =
                Verbs.ibv_init_ah_from_wc(
                        port.context().handle(),
                        (byte) port.number(),
                        completion.struct(),
                        header,
                        attr);
        if (result != 0) {
            throw new VerbsException(
                    "ibv_init_ah_from_wc",
                    result > 0 ? result : NativeLibraries.errno(),
                    "the way back to the sender of "
                            + completion
                            + ": check that the memory is the beginning of its receive");
        }
        return read(attr);
    }

    static void requireReceived(DeviceContext context, Port port, WorkCompletion completion) {
        if (port.context() != context) {
            throw new IllegalArgumentException(port + " is of another context");
        }
        if (!completion.isSuccess()) {
            throw new IllegalArgumentException(
                    "a request that failed tells no sender: " + completion);
        }
    }

    /** A copy of the header for C, from memory of any kind. */
    static MemorySegment header(Arena arena, MemorySegment received) {
        int length = UdQueuePair.GLOBAL_ROUTING_HEADER_LENGTH;
        if (received.byteSize() < length) {
            throw new IllegalArgumentException(
                    "the global routing header is "
                            + length
                            + " bytes, but the memory has only "
                            + received.byteSize());
        }
        return arena.allocate(length, Long.BYTES).copyFrom(received.asSlice(0, length));
    }

    /** Whom it leads to, for messages. */
    static String peer(AddressVector vector) {
        AddressVector.GlobalRoute route = vector.route();
        return route == null ? "LID " + vector.lid() : route.destination().toString();
    }
}
