package org.verbs4j.cm;

import org.jspecify.annotations.Nullable;
import org.verbs4j.DeviceContext;
import org.verbs4j.QueuePairAttributes;
import org.verbs4j.QueuePairState;
import org.verbs4j.VerbsException;
import org.verbs4j.bindings.NativeLibraries;
import org.verbs4j.bindings.Posix;
import org.verbs4j.bindings.Verbs;
import org.verbs4j.bindings.ibv_qp_attr;
import org.verbs4j.bindings.rdma_addr;
import org.verbs4j.bindings.rdma_cm_id;
import org.verbs4j.bindings.rdma_route;
import org.verbs4j.bindings.sockaddr_storage;
import org.verbs4j.internal.VerbsInternals;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;

/**
 * {@code struct rdma_cm_id} and the calls about it. Belongs to the id, which calls under its lock
 * and has made sure that C can be called.
 */
final class NativeId {
    final MemorySegment handle;
    final PortSpace portSpace;

    NativeId(MemorySegment pointer) {
        handle = pointer.reinterpret(rdma_cm_id.sizeof());
        portSpace = PortSpace.of(rdma_cm_id.ps(handle));
    }

    boolean hasDevice() {
        return rdma_cm_id.verbs(handle).address() != 0;
    }

    DeviceContext context() {
        try {
            return VerbsInternals.get().shared(rdma_cm_id.verbs(handle));
        } catch (VerbsException e) {
            throw Diagnosis.notOpened(e);
        }
    }

    int port() {
        return Byte.toUnsignedInt(rdma_cm_id.port_num(handle));
    }

    @Nullable InetSocketAddress localAddress() {
        return address(rdma_addr.src_addr$offset());
    }

    @Nullable InetSocketAddress remoteAddress() {
        return address(rdma_addr.dst_addr$offset());
    }

    private @Nullable InetSocketAddress address(long offset) {
        long at = rdma_cm_id.route$offset() + rdma_route.addr$offset() + offset;
        return SocketAddresses.decode(handle.asSlice(at, sockaddr_storage.sizeof()));
    }

    /** Turns the result of a call into an exception that knows the peer. */
    void step(String call, int result) {
        if (result != 0) {
            throw Diagnosis.remote(call, NativeLibraries.errno(), remoteAddress());
        }
    }

    void bind(InetSocketAddress local) {
        try (Arena arena = Arena.ofConfined()) {
            if (Verbs.rdma_bind_addr(handle, SocketAddresses.encode(arena, local)) != 0) {
                throw Diagnosis.local("rdma_bind_addr", NativeLibraries.errno(), local, portSpace);
            }
        }
    }

    void listen(int backlog) {
        if (Verbs.rdma_listen(handle, backlog) != 0) {
            int errno = NativeLibraries.errno();
            InetSocketAddress local = localAddress();
            throw Diagnosis.local(
                    "rdma_listen",
                    errno,
                    local == null ? new InetSocketAddress(0) : local,
                    portSpace);
        }
    }

    void resolveAddress(@Nullable InetSocketAddress source, InetSocketAddress remote, int millis) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment from =
                    source == null ? MemorySegment.NULL : SocketAddresses.encode(arena, source);
            MemorySegment to = SocketAddresses.encode(arena, remote);
            if (Verbs.rdma_resolve_addr(handle, from, to, millis) != 0) {
                int errno = NativeLibraries.errno();
                if (source != null
                        && (errno == Posix.EADDRNOTAVAIL() || errno == Posix.EADDRINUSE())) {
                    throw Diagnosis.local("rdma_resolve_addr", errno, source, portSpace);
                }
                throw Diagnosis.remote("rdma_resolve_addr", errno, remote);
            }
        }
    }

    void connect(int queuePairNumber, boolean sharesReceives, ConnectionParameters parameters) {
        int most =
                portSpace.isForDatagrams()
                        ? ConnectionParameters.MAX_DATAGRAM_CONNECT_PRIVATE_DATA
                        : ConnectionParameters.MAX_CONNECT_PRIVATE_DATA;
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment param = parameters.encode(arena, queuePairNumber, sharesReceives, most);
            step("rdma_connect", Verbs.rdma_connect(handle, param));
        }
    }

    void accept(int queuePairNumber, boolean sharesReceives, ConnectionParameters parameters) {
        int most =
                portSpace.isForDatagrams()
                        ? ConnectionParameters.MAX_DATAGRAM_ACCEPT_PRIVATE_DATA
                        : ConnectionParameters.MAX_ACCEPT_PRIVATE_DATA;
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment param = parameters.encode(arena, queuePairNumber, sharesReceives, most);
            step("rdma_accept", Verbs.rdma_accept(handle, param));
        }
    }

    void reject(ByteBuffer privateData) {
        int most =
                portSpace.isForDatagrams()
                        ? ConnectionParameters.MAX_DATAGRAM_ACCEPT_PRIVATE_DATA
                        : ConnectionParameters.MAX_REJECT_PRIVATE_DATA;
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment data = ConnectionParameters.encode(arena, privateData, most);
            step("rdma_reject", Verbs.rdma_reject(handle, data, (byte) data.byteSize()));
        }
    }

    QueuePairAttributes attributesFor(QueuePairState state) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment attr = arena.allocate(ibv_qp_attr.layout());
            MemorySegment mask = arena.allocate(ValueLayout.JAVA_INT);
            ibv_qp_attr.qp_state(attr, state.code());
            step("rdma_init_qp_attr", Verbs.rdma_init_qp_attr(handle, attr, mask));
            return VerbsInternals.get().decode(attr, mask.get(ValueLayout.JAVA_INT, 0));
        }
    }

    void destroy() {
        if (Verbs.rdma_destroy_id(handle) != 0) {
            throw new ConnectionException(
                    "rdma_destroy_id", NativeLibraries.errno(), "the kernel keeps it", null);
        }
    }
}
