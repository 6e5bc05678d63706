package org.verbs4j;

import org.verbs4j.bindings.InlineVerbs;
import org.verbs4j.bindings.NativeLibraries;
import org.verbs4j.bindings.Posix;
import org.verbs4j.bindings.Verbs;
import org.verbs4j.bindings.ibv_gid;
import org.verbs4j.bindings.ibv_gid_entry;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * How the GID table of a port is read, on libraries with and without {@code ibv_query_gid_table}.
 */
final class GidTable {
    private static final long PREFIX =
            ibv_gid.global$offset() + ibv_gid.global.subnet_prefix$offset();
    private static final long INTERFACE =
            ibv_gid.global$offset() + ibv_gid.global.interface_id$offset();

    private GidTable() {}

    /**
     * The entries in use.
     *
     * @param length the length of this port's table; the C function returns those of all ports
     */
    static List<GidEntry> read(DeviceContext context, int port, int length) {
        int ports = context.attributes().portCount();
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment entries =
                    arena.allocate(ibv_gid_entry.layout(), Math.max(1L, (long) length * ports));
            long count =
                    InlineVerbs.ibv_query_gid_table(
                            context.address(),
                            entries.address(),
                            entries.byteSize() / ibv_gid_entry.sizeof(),
                            0);
            if (count == -Posix.EOPNOTSUPP()) {
                return readEach(context, port, length, arena);
            }
            if (count < 0) {
                throw new VerbsException(
                        "ibv_query_gid_table",
                        (int) -count,
                        "the GIDs of " + context.device().name());
            }
            List<GidEntry> found = new ArrayList<>();
            for (long i = 0; i < count; i++) {
                MemorySegment entry = ibv_gid_entry.asSlice(entries, i);
                if (ibv_gid_entry.port_num(entry) == port) {
                    found.add(decode(entry));
                }
            }
            return List.copyOf(found);
        }
    }

    private static GidEntry decode(MemorySegment entry) {
        return new GidEntry(
                gid(ibv_gid_entry.gid(entry)),
                ibv_gid_entry.gid_index(entry),
                ibv_gid_entry.port_num(entry),
                GidEntry.Type.of(ibv_gid_entry.gid_type(entry)),
                ibv_gid_entry.ndev_ifindex(entry));
    }

    /** One entry with all that is known of it, by {@code ibv_query_gid_ex}. */
    static Optional<GidEntry> entry(DeviceContext context, int port, int index) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment entry = arena.allocate(ibv_gid_entry.layout());
            int errno =
                    InlineVerbs.ibv_query_gid_ex(
                            context.address(), port, index, entry.address(), 0);
            if (errno == Posix.ENODATA()) {
                return Optional.empty();
            }
            if (errno != 0) {
                UnsupportedVerbs.requireExported("_ibv_query_gid_ex");
                throw new VerbsException("ibv_query_gid_ex", errno, place(context, port, index));
            }
            return Optional.of(decode(entry));
        }
    }

    /** One entry's GID, zero when it is empty. */
    static Gid one(DeviceContext context, int port, int index) {
        try (Arena arena = Arena.ofConfined()) {
            return query(context, port, index, arena.allocate(ibv_gid.layout()));
        }
    }

    private static Gid query(DeviceContext context, int port, int index, MemorySegment gid) {
        if (Verbs.ibv_query_gid(context.handle(), (byte) port, index, gid) != 0) {
            throw new VerbsException(
                    "ibv_query_gid", NativeLibraries.errno(), place(context, port, index));
        }
        return gid(gid);
    }

    private static String place(DeviceContext context, int port, int index) {
        return "index " + index + " of port " + port + " of " + context.device().name();
    }

    /** For rdma-core before 32. */
    private static List<GidEntry> readEach(
            DeviceContext context, int port, int length, Arena arena) {
        MemorySegment gid = arena.allocate(ibv_gid.layout());
        List<GidEntry> found = new ArrayList<>();
        for (int index = 0; index < length; index++) {
            Gid value = query(context, port, index, gid);
            if (!value.isZero()) {
                found.add(
                        new GidEntry(
                                value,
                                index,
                                port,
                                typeInSysfs(context.device().name(), port, index),
                                0));
            }
        }
        return List.copyOf(found);
    }

    private static GidEntry.Type typeInSysfs(String device, int port, int index) {
        Path file =
                Path.of(
                        "/sys/class/infiniband",
                        device,
                        "ports",
                        Integer.toString(port),
                        "gid_attrs",
                        "types",
                        Integer.toString(index));
        try {
            return switch (Files.readString(file).strip()) {
                case "RoCE v2" -> GidEntry.Type.ROCE_V2;
                case "IB/RoCE v1" -> GidEntry.Type.IB;
                default -> GidEntry.Type.UNKNOWN;
            };
        } catch (IOException e) {
            return GidEntry.Type.UNKNOWN;
        }
    }

    /** A {@code union ibv_gid}, which is big-endian. */
    static Gid gid(MemorySegment union) {
        return new Gid(
                NetworkOrder.toHost(union.get(Verbs.C_LONG, PREFIX)),
                NetworkOrder.toHost(union.get(Verbs.C_LONG, INTERFACE)));
    }

    /** Fills in a {@code union ibv_gid}. */
    static void put(MemorySegment union, Gid gid) {
        union.set(Verbs.C_LONG, PREFIX, NetworkOrder.toNetwork(gid.subnetPrefix()));
        union.set(Verbs.C_LONG, INTERFACE, NetworkOrder.toNetwork(gid.interfaceId()));
    }
}
