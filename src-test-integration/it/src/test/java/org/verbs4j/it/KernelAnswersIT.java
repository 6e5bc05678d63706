package org.verbs4j.it;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.verbs4j.DeviceContext;
import org.verbs4j.Devices;
import org.verbs4j.GidEntry;
import org.verbs4j.Port;
import org.verbs4j.bindings.ContextVerbs;
import org.verbs4j.bindings.InlineVerbs;
import org.verbs4j.bindings.NativeLibraries;
import org.verbs4j.bindings.Posix;
import org.verbs4j.bindings.Verbs;
import org.verbs4j.bindings.ibv_device_attr_ex;
import org.verbs4j.bindings.ibv_gid;
import org.verbs4j.bindings.ibv_gid_entry;
import org.verbs4j.bindings.ibv_port_attr;
import org.verbs4j.bindings.ibv_query_device_ex_input;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.List;

/** What the C library answers to questions that the API does not ask, or answers otherwise. */
class KernelAnswersIT {
    private static final byte PORT = 1;

    private Arena arena;
    private DeviceContext context;
    private Port port;

    @BeforeEach
    void open() {
        arena = Arena.ofConfined();
        context = Devices.first().open();
        port = context.port(PORT);
    }

    @AfterEach
    void close() {
        context.close();
        arena.close();
    }

    private long address() {
        return context.handle().address();
    }

    @Test
    @Holds("3")
    void anInputMaskOfTheExtendedDeviceQueryIsRefused() {
        MemorySegment input = arena.allocate(ibv_query_device_ex_input.layout());
        MemorySegment attr = arena.allocate(ibv_device_attr_ex.layout());
        assertThat(ContextVerbs.ibv_query_device_ex(address(), input.address(), attr.address()))
                .isZero();
        ibv_query_device_ex_input.comp_mask(input, 1);
        assertThat(ContextVerbs.ibv_query_device_ex(address(), input.address(), attr.address()))
                .isEqualTo(Posix.EINVAL());
    }

    @Test
    @Holds("4")
    void portsThatAreNotThereAreInvalid() {
        MemorySegment attr = arena.allocate(ibv_port_attr.layout());
        int beyond = context.ports().size() + 1;
        for (int wrong : new int[] {0, beyond}) {
            assertThat(ContextVerbs.ibv_query_port(address(), wrong, attr.address()))
                    .isEqualTo(Posix.EINVAL());
        }
    }

    @Test
    @Holds("5")
    void anEmptyGidIsZeroAndOneBeyondTheTableInvalid() {
        int length = port.attributes().gidTableLength();
        MemorySegment gid = arena.allocate(ibv_gid.layout()).fill((byte) 1);
        assertThat(Verbs.ibv_query_gid(context.handle(), PORT, emptyIndex(), gid)).isZero();
        assertThat(gid.toArray(ValueLayout.JAVA_BYTE)).containsOnly(0);
        assertThat(Verbs.ibv_query_gid(context.handle(), PORT, length, gid)).isEqualTo(-1);
        assertThat(NativeLibraries.errno()).isEqualTo(Posix.EINVAL());
    }

    private int emptyIndex() {
        List<Integer> used = port.gidTable().stream().map(GidEntry::index).toList();
        int index = 0;
        while (used.contains(index)) {
            index++;
        }
        return index;
    }

    @Test
    @Holds("6")
    void aGidEntryTellsItsTypeAndInterface() {
        MemorySegment entry = arena.allocate(ibv_gid_entry.layout());
        GidEntry routable = port.routableGid().orElseThrow();
        assertThat(gidEntry(PORT, routable.index(), entry, 0)).isZero();
        assertThat(ibv_gid_entry.gid_type(entry)).isEqualTo(Verbs.IBV_GID_TYPE_ROCE_V2());
        assertThat(ibv_gid_entry.ndev_ifindex(entry))
                .isEqualTo(routable.interfaceIndex())
                .isPositive();
        assertThat(gidEntry(PORT, emptyIndex(), entry, 0)).isEqualTo(Posix.ENODATA());
        assertThat(gidEntry(context.ports().size() + 1, 0, entry, 0)).isEqualTo(Posix.EINVAL());
        assertThat(gidEntry(PORT, port.attributes().gidTableLength(), entry, 0))
                .isEqualTo(Posix.EINVAL());
        assertThat(gidEntry(PORT, routable.index(), entry, 1)).isEqualTo(Posix.EINVAL());
    }

    private int gidEntry(int number, int index, MemorySegment entry, int flags) {
        return InlineVerbs.ibv_query_gid_ex(address(), number, index, entry.address(), flags);
    }

    @Test
    @Holds("7")
    void aGidTableThatIsTooSmallIsInvalid() {
        MemorySegment entry = arena.allocate(ibv_gid_entry.layout());
        assertThat(port.gidTable()).hasSizeGreaterThan(1);
        assertThat(InlineVerbs.ibv_query_gid_table(address(), entry.address(), 1, 0))
                .isEqualTo(-Posix.EINVAL());
    }

    @Test
    @Holds("8")
    void aPartitionKeyThatIsNotThereHasNoIndex() {
        MemorySegment key = arena.allocate(ValueLayout.JAVA_SHORT);
        int length = port.attributes().partitionKeyTableLength();
        assertThat(Verbs.ibv_query_pkey(context.handle(), PORT, length, key)).isEqualTo(-1);
        assertThat(NativeLibraries.errno()).isEqualTo(Posix.ENOENT());
        assertThat(Verbs.ibv_get_pkey_index(context.handle(), PORT, (short) 0x1234)).isEqualTo(-1);
        assertThat(Verbs.ibv_get_pkey_index(context.handle(), PORT, (short) 0xffff)).isZero();
    }

    @Test
    @Holds("9")
    void everythingHasTheNameThatTheLibraryHasAlwaysHad() {
        assertThat(text(Verbs.ibv_wc_status_str(Verbs.IBV_WC_SUCCESS()))).isEqualTo("success");
        assertThat(text(Verbs.ibv_wc_status_str(Verbs.IBV_WC_TM_RNDV_INCOMPLETE())))
                .isEqualTo("TM software rendezvous");
        assertThat(text(Verbs.ibv_wc_status_str(99))).isEqualTo("unknown");
        assertThat(text(Verbs.ibv_event_type_str(Verbs.IBV_EVENT_CQ_ERR()))).isEqualTo("CQ error");
        assertThat(text(Verbs.ibv_event_type_str(Verbs.IBV_EVENT_WQ_FATAL())))
                .isEqualTo("WQ fatal");
        assertThat(text(Verbs.ibv_event_type_str(Verbs.IBV_EVENT_WQ_FATAL() + 1)))
                .isEqualTo("unknown");
        assertThat(text(Verbs.ibv_node_type_str(Verbs.IBV_NODE_CA())))
                .isEqualTo("InfiniBand channel adapter");
        assertThat(text(Verbs.ibv_port_state_str(Verbs.IBV_PORT_ACTIVE()))).isEqualTo("active");
    }

    private static String text(MemorySegment string) {
        return string.getString(0);
    }
}
