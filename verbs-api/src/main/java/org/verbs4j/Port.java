package org.verbs4j;

import org.verbs4j.bindings.ContextVerbs;
import org.verbs4j.bindings.NativeLibraries;
import org.verbs4j.bindings.Verbs;
import org.verbs4j.bindings.ibv_port_attr;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;

/**
 * A port of an open device, {@code ibv_query_port(3)}. Any thread may use it; every method asks the
 * device anew, so keep the answers rather than ask on the way of a message.
 */
public final class Port {
    private final DeviceContext context;
    private final int number;

    Port(DeviceContext context, int number) {
        this.context = context;
        this.number = number;
    }

    DeviceContext context() {
        return context;
    }

    /** Its number, from 1. */
    public int number() {
        return number;
    }

    /** What the port is and does now, {@code ibv_query_port(3)}. */
    public PortAttributes attributes() {
        return context.life().whileOpen(() -> query(context, number));
    }

    private static PortAttributes query(DeviceContext context, int number) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment attr = arena.allocate(ibv_port_attr.layout());
            int errno = ContextVerbs.ibv_query_port(context.address(), number, attr.address());
            if (errno != 0) {
                throw new VerbsException(
                        "ibv_query_port",
                        errno,
                        "port " + number + " of " + context.device().name());
            }
            return decode(attr);
        }
    }

    static PortAttributes decode(MemorySegment attr) {
        return new PortAttributes(
                PortAttributes.State.of(ibv_port_attr.state(attr)),
                Mtu.of(ibv_port_attr.max_mtu(attr)),
                Mtu.of(ibv_port_attr.active_mtu(attr)),
                ibv_port_attr.gid_tbl_len(attr),
                Short.toUnsignedInt(ibv_port_attr.pkey_tbl_len(attr)),
                Integer.toUnsignedLong(ibv_port_attr.max_msg_sz(attr)),
                new PortAttributes.Link(
                        PortAttributes.LinkLayer.of(ibv_port_attr.link_layer(attr)),
                        Byte.toUnsignedInt(ibv_port_attr.active_width(attr)),
                        Byte.toUnsignedInt(ibv_port_attr.active_speed(attr)),
                        Byte.toUnsignedInt(ibv_port_attr.phys_state(attr))),
                new PortAttributes.Subnet(
                        Short.toUnsignedInt(ibv_port_attr.lid(attr)),
                        Byte.toUnsignedInt(ibv_port_attr.lmc(attr)),
                        Short.toUnsignedInt(ibv_port_attr.sm_lid(attr)),
                        Byte.toUnsignedInt(ibv_port_attr.sm_sl(attr)),
                        Byte.toUnsignedInt(ibv_port_attr.subnet_timeout(attr)),
                        Byte.toUnsignedInt(ibv_port_attr.init_type_reply(attr)),
                        Byte.toUnsignedInt(ibv_port_attr.max_vl_num(attr)),
                        Integer.toUnsignedLong(ibv_port_attr.bad_pkey_cntr(attr)),
                        Integer.toUnsignedLong(ibv_port_attr.qkey_viol_cntr(attr))),
                ibv_port_attr.port_cap_flags(attr),
                Short.toUnsignedInt(ibv_port_attr.port_cap_flags2(attr)),
                Byte.toUnsignedInt(ibv_port_attr.flags(attr)));
    }

    /**
     * The entries in use of the GID table, {@code ibv_query_gid_table(3)}; an older library is
     * asked entry by entry.
     */
    public List<GidEntry> gidTable() {
        return context.life()
                .whileOpen(
                        () -> {
                            int length = query(context, number).gidTableLength();
                            return GidTable.read(context, number, length);
                        });
    }

    /**
     * An entry of the GID table, {@code ibv_query_gid_table(3)}.
     *
     * @param index from 0
     * @throws IllegalArgumentException when the entry is empty or there is none, listing the usable
     *     ones
     */
    public GidEntry gid(int index) {
        List<GidEntry> table = gidTable();
        return table.stream()
                .filter(entry -> entry.index() == index)
                .findFirst()
                .orElseThrow(
                        () ->
                                new IllegalArgumentException(
                                        "port "
                                                + number
                                                + " of "
                                                + context.device().name()
                                                + " has no GID at index "
                                                + index
                                                + "; "
                                                + Hints.usableGids(table)));
    }

    /**
     * What stands at an index of the GID table, {@code ibv_query_gid(3)}.
     *
     * @param index from 0
     * @return all zero when the entry is empty
     * @throws VerbsException when the table is not so long
     */
    public Gid rawGid(int index) {
        return context.life().whileOpen(() -> GidTable.one(context, number, index));
    }

    /**
     * An entry of the GID table with its type and interface, {@code ibv_query_gid_ex(3)}.
     *
     * @param index from 0
     * @return empty when the entry is empty
     * @throws VerbsException when the table is not so long
     * @throws UnsupportedVerbException when the library is older than rdma-core 32
     */
    public Optional<GidEntry> gidEntry(int index) {
        return context.life().whileOpen(() -> GidTable.entry(context, number, index));
    }

    /**
     * The GID to use on Ethernet: RoCEv2, and of these one with an IPv4 address first, then a
     * global IPv6 address, then a link-local one.
     *
     * @return empty on plain InfiniBand, which needs none, and where the interface has no address
     */
    public Optional<GidEntry> routableGid() {
        return gidTable().stream()
                .filter(GidEntry::isRoutable)
                .min(
                        Comparator.comparingInt((GidEntry entry) -> reach(entry.gid()))
                                .thenComparingInt(GidEntry::index));
    }

    /** Lower is better. */
    static int reach(Gid gid) {
        if (gid.isIpv4Mapped()) {
            return 0;
        }
        return gid.isLinkLocal() ? 2 : 1;
    }

    /**
     * An entry of the partition key table, {@code ibv_query_pkey(3)}.
     *
     * @param index from 0
     * @return 16 bits in host order; 0xffff is the default partition
     * @throws VerbsException when there is no such entry
     */
    public int partitionKey(int index) {
        return context.life()
                .whileOpen(
                        () -> {
                            try (Arena arena = Arena.ofConfined()) {
                                MemorySegment key = arena.allocate(ValueLayout.JAVA_SHORT);
                                if (Verbs.ibv_query_pkey(
                                                context.handle(), (byte) number, index, key)
                                        != 0) {
                                    throw new VerbsException(
                                            "ibv_query_pkey",
                                            NativeLibraries.errno(),
                                            "index "
                                                    + index
                                                    + " of port "
                                                    + number
                                                    + " of "
                                                    + context.device().name());
                                }
                                return Short.toUnsignedInt(
                                        NetworkOrder.toHost(key.get(ValueLayout.JAVA_SHORT, 0)));
                            }
                        });
    }

    /**
     * Where a partition key stands in the table, {@code ibv_get_pkey_index(3)}.
     *
     * @param key 16 bits in host order
     * @return empty when it is not there
     * @throws IllegalArgumentException when it is not of 16 bits
     */
    public OptionalInt partitionKeyIndex(int key) {
        Arguments.range("key", key, 0, 0xffff);
        int index =
                context.life()
                        .whileOpen(
                                () ->
                                        Verbs.ibv_get_pkey_index(
                                                context.handle(),
                                                (byte) number,
                                                NetworkOrder.toNetwork((short) key)));
        return index < 0 ? OptionalInt.empty() : OptionalInt.of(index);
    }

    @Override
    public String toString() {
        return "port " + number + " of " + context.device().name();
    }
}
