package org.verbs4j.cm;

import org.jspecify.annotations.Nullable;
import org.verbs4j.bindings.NativeLibraries;
import org.verbs4j.bindings.Posix;
import org.verbs4j.bindings.Verbs;
import org.verbs4j.bindings.rdma_addrinfo;
import org.verbs4j.bindings.sockaddr_storage;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** {@code rdma_getaddrinfo} and what it fills in. */
final class AddressLookup {
    /** The one result that says: see errno. The resolver's own numbers are other negative ones. */
    private static final int SEE_ERRNO = -1;

    private AddressLookup() {}

    /** Waits for the lookup, which another thread makes. */
    static List<AddressInfo> find(
            @Nullable String host,
            @Nullable String service,
            AddressInfo.Hints hints,
            Duration timeout)
            throws InterruptedException {
        EventChannel.requireLibrary();
        if (host == null && service == null && hints.source() == null) {
            throw new IllegalArgumentException("neither a host nor a service to look for");
        }
        FutureTask<List<AddressInfo>> lookup = new FutureTask<>(() -> find(host, service, hints));
        Thread.ofPlatform().daemon().name("rdma_getaddrinfo " + host).start(lookup);
        try {
            return lookup.get(EventChannel.nanos(timeout), TimeUnit.NANOSECONDS);
        } catch (TimeoutException e) {
            throw new ConnectionException(
                    "rdma_getaddrinfo",
                    Posix.ETIMEDOUT(),
                    "%s: no answer within %d ms: do the name servers of /etc/resolv.conf answer?"
                            .formatted(wanted(host, service), timeout.toMillis()),
                    null);
        } catch (ExecutionException e) {
            throw rethrown(Objects.requireNonNull(e.getCause()));
        }
    }

    private static RuntimeException rethrown(@Nullable Throwable cause) {
        return switch (cause) {
            case RuntimeException problem -> problem;
            case Error error -> throw error;
            case null, default -> new IllegalStateException(cause);
        };
    }

    /** Waits for the resolver, and nothing ends that. */
    private static List<AddressInfo> find(
            @Nullable String host, @Nullable String service, AddressInfo.Hints hints) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment out = arena.allocate(Verbs.C_POINTER);
            int result =
                    Verbs.rdma_getaddrinfo(
                            text(arena, host), text(arena, service), encode(arena, hints), out);
            if (result != 0) {
                throw refused(result, host, service);
            }
            MemorySegment list = out.get(Verbs.C_POINTER, 0);
            try {
                return read(list);
            } finally {
                Verbs.rdma_freeaddrinfo(list);
            }
        }
    }

    private static MemorySegment text(Arena arena, @Nullable String text) {
        return text == null ? MemorySegment.NULL : arena.allocateFrom(text);
    }

    private static MemorySegment encode(Arena arena, AddressInfo.Hints hints) {
        MemorySegment encoded = arena.allocate(rdma_addrinfo.layout());
        int flags =
                (hints.passive() ? Verbs.RAI_PASSIVE() : 0)
                        | (hints.numericHost() ? Verbs.RAI_NUMERICHOST() : 0)
                        | (hints.withoutRoute() ? Verbs.RAI_NOROUTE() : 0);
        rdma_addrinfo.ai_flags(encoded, flags);
        rdma_addrinfo.ai_port_space(encoded, hints.portSpace().code());
        InetSocketAddress source = hints.source();
        if (source != null) {
            MemorySegment address = SocketAddresses.encode(arena, source);
            rdma_addrinfo.ai_src_addr(encoded, address);
            rdma_addrinfo.ai_src_len(encoded, SocketAddresses.length(source));
        }
        return encoded;
    }

    private static List<AddressInfo> read(MemorySegment first) {
        List<AddressInfo> found = new ArrayList<>();
        MemorySegment at = first;
        while (at.address() != 0) {
            MemorySegment info = at.reinterpret(rdma_addrinfo.sizeof());
            found.add(
                    new AddressInfo(
                            (rdma_addrinfo.ai_flags(info) & Verbs.RAI_PASSIVE()) != 0,
                            PortSpace.of(rdma_addrinfo.ai_port_space(info)),
                            address(
                                    rdma_addrinfo.ai_src_addr(info),
                                    rdma_addrinfo.ai_src_len(info)),
                            address(
                                    rdma_addrinfo.ai_dst_addr(info),
                                    rdma_addrinfo.ai_dst_len(info)),
                            name(rdma_addrinfo.ai_src_canonname(info)),
                            name(rdma_addrinfo.ai_dst_canonname(info)),
                            data(
                                    rdma_addrinfo.ai_connect(info),
                                    rdma_addrinfo.ai_connect_len(info))));
            at = rdma_addrinfo.ai_next(info);
        }
        return List.copyOf(found);
    }

    private static @Nullable InetSocketAddress address(MemorySegment address, int length) {
        if (address.address() == 0 || length == 0) {
            return null;
        }
        try (Arena arena = Arena.ofConfined()) { // as long as any family's
            MemorySegment whole = arena.allocate(sockaddr_storage.layout());
            long bytes = Math.min(length, whole.byteSize());
            MemorySegment.copy(address.reinterpret(bytes), 0, whole, 0, bytes);
            return SocketAddresses.decode(whole);
        }
    }

    private static @Nullable String name(MemorySegment text) {
        return text.address() == 0 ? null : text.reinterpret(Long.MAX_VALUE).getString(0);
    }

    private static ByteBuffer data(MemorySegment data, long length) {
        return data.address() == 0 || length == 0
                ? ConnectionParameters.nothing()
                : data.reinterpret(length).asByteBuffer();
    }

    private static String wanted(@Nullable String host, @Nullable String service) {
        return "looking for "
                + (host == null ? "this machine" : host)
                + (service == null ? "" : ", service " + service);
    }

    private static ConnectionException refused(
            int result, @Nullable String host, @Nullable String service) {
        String what = wanted(host, service);
        int errno = NativeLibraries.errno();
        return result == SEE_ERRNO && errno != 0
                ? new ConnectionException("rdma_getaddrinfo", errno, what, null)
                : new ConnectionException(
                        "rdma_getaddrinfo",
                        0,
                        what + ": " + ResolverText.of(result) + " (" + result + ")",
                        null);
    }

    /** By hand because the function is libc's and not among those that jextract was given. */
    private static final class ResolverText {
        private static final MethodHandle HANDLE =
                Linker.nativeLinker()
                        .downcallHandle(
                                Linker.nativeLinker().defaultLookup().findOrThrow("gai_strerror"),
                                FunctionDescriptor.of(Verbs.C_POINTER, ValueLayout.JAVA_INT));

        static String of(int error) {
            try {
                MemorySegment text = (MemorySegment) HANDLE.invokeExact(error);
                return text.reinterpret(Long.MAX_VALUE).getString(0);
            } catch (Throwable e) {
                throw new AssertionError("gai_strerror(" + error + ")", e);
            }
        }
    }
}
