package org.verbs4j.cm;

import org.jspecify.annotations.Nullable;
import org.verbs4j.bindings.NativeLibraries;
import org.verbs4j.bindings.Posix;
import org.verbs4j.bindings.Verbs;
import org.verbs4j.bindings.rdma_cm_join_mc_attr_ex;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.concurrent.ConcurrentSkipListMap;

/**
 * The multicast groups that an id has joined or is joining.
 *
 * <p>Join and leave under the id's lock. The reader of events asks {@link #find} without it,
 * because leaving waits in C until the reader has acknowledged.
 */
final class JoinedGroups {
    private final ConcurrentSkipListMap<Long, InetAddress> groups = new ConcurrentSkipListMap<>();
    private long last;

    /** The group that was joined with this number, null when it has been left. */
    @Nullable InetAddress find(long number) {
        return groups.get(number);
    }

    void join(MemorySegment id, InetAddress group, int flags) {
        long number = ++last;
        groups.put(number, group);
        try (Arena arena = Arena.ofConfined()) {
            if (join(arena, id, encode(arena, group), flags, MemorySegment.ofAddress(number))
                    != 0) {
                int errno = NativeLibraries.errno();
                groups.remove(number);
                throw new ConnectionException(
                        "rdma_join_multicast", errno, notJoined(group, errno), null);
            }
        }
    }

    /** The plain function where it will do: the other one is younger in the kernel. */
    private static int join(
            Arena arena, MemorySegment id, MemorySegment address, int flags, MemorySegment number) {
        if (flags == Verbs.RDMA_MC_JOIN_FLAG_FULLMEMBER()) {
            return Verbs.rdma_join_multicast(id, address, number);
        }
        MemorySegment attr = arena.allocate(rdma_cm_join_mc_attr_ex.layout());
        rdma_cm_join_mc_attr_ex.comp_mask(
                attr,
                Verbs.RDMA_CM_JOIN_MC_ATTR_ADDRESS() | Verbs.RDMA_CM_JOIN_MC_ATTR_JOIN_FLAGS());
        rdma_cm_join_mc_attr_ex.join_flags(attr, flags);
        rdma_cm_join_mc_attr_ex.addr(attr, address);
        return Verbs.rdma_join_multicast_ex(id, attr, number);
    }

    private static String notJoined(InetAddress group, int errno) {
        String why =
                errno == Posix.EINVAL()
                        ? "is the id for datagrams, and bound to an address of the same family?"
                        : "does the device have multicast? On RoCE v2 Linux has it for IPv4 only";
        return "group " + group.getHostAddress() + ": " + why;
    }

    void leave(MemorySegment id, InetAddress group) {
        try (Arena arena = Arena.ofConfined()) {
            if (Verbs.rdma_leave_multicast(id, encode(arena, group)) != 0) {
                int errno = NativeLibraries.errno();
                throw new ConnectionException(
                        "rdma_leave_multicast",
                        errno,
                        "group "
                                + group.getHostAddress()
                                + (errno == Posix.EADDRNOTAVAIL() ? " has not been joined" : ""),
                        null);
            }
        }
        groups.descendingMap().values().remove(group); // as C, which leaves the last one joined
    }

    /** As far as the kernel lets. */
    void leaveAll(MemorySegment id) {
        for (InetAddress group : groups.values()) {
            try (Arena arena = Arena.ofConfined()) {
                Verbs.rdma_leave_multicast(id, encode(arena, group));
            }
        }
        groups.clear();
    }

    private static MemorySegment encode(Arena arena, InetAddress group) {
        return SocketAddresses.encode(arena, new InetSocketAddress(group, 0));
    }
}
