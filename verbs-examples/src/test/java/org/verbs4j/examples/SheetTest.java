package org.verbs4j.examples;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.verbs4j.AsyncEvent;
import org.verbs4j.Gid;
import org.verbs4j.GidEntry;
import org.verbs4j.Mtu;
import org.verbs4j.PortAttributes;
import org.verbs4j.examples.Sheet.Flag;

import java.util.List;

/** What soft-RoCE does not show of {@code ibv_devinfo} and {@code ibv_asyncwatch}. */
class SheetTest {
    private static PortAttributes port(PortAttributes.LinkLayer layer) {
        return new PortAttributes(
                PortAttributes.State.DOWN,
                Mtu.BYTES_4096,
                Mtu.BYTES_2048,
                8,
                1,
                1L << 30,
                new PortAttributes.Link(layer, 2, 32, 3),
                new PortAttributes.Subnet(7, 0, 1, 0, 18, 0, 4, 0, 0),
                0x2651e84a,
                0x22,
                0);
    }

    @Test
    void flagsWithoutANameAreCounted() {
        Sheet sheet = new Sheet();
        sheet.flags(0b1101, List.of(Flag.of(1, "ONE"), Flag.of(2, "TWO"), Flag.of(4, "FOUR")));
        assertThat(sheet)
                .hasToString("\t\t\t\t\tONE\n\t\t\t\t\tFOUR\n\t\t\t\t\tUnknown flags: 0x8");
    }

    @Test
    void aPortOfInfiniBandReadsAsInC() {
        Sheet sheet = new Sheet();
        PortAttributes port = port(PortAttributes.LinkLayer.INFINIBAND);
        PortSheet.state(sheet, port);
        PortSheet.details(sheet, port);
        assertThat(sheet.toString())
                .contains(
                        "\t\t\tstate:\t\t\tPORT_DOWN (1)\n",
                        "\t\t\tactive_mtu:\t\t2048 (4)\n",
                        "\t\t\tlink_layer:\t\tInfiniBand\n",
                        "\t\t\tport_cap_flags:\t\t0x2651e84a\n",
                        "\t\t\tmax_vl_num:\t\t8 (4)\n",
                        "\t\t\tactive_width:\t\t4X (2)\n")
                .endsWith("\t\t\tactive_speed:\t\t25.0 Gbps (32)");
    }

    @Test
    void onlyVersion2OfRoceIsShortened() {
        Gid gid = new Gid(0xfe80L << 48, 0x2L);
        Sheet sheet = new Sheet();
        PortAttributes ethernet = port(PortAttributes.LinkLayer.ETHERNET);
        PortSheet.gid(sheet, new GidEntry(gid, 0, 1, GidEntry.Type.ROCE_V1, 2), ethernet);
        PortSheet.gid(sheet, new GidEntry(gid, 1, 1, GidEntry.Type.ROCE_V2, 2), ethernet);
        PortSheet.gid(
                sheet,
                new GidEntry(gid, 12, 1, GidEntry.Type.IB, 0),
                port(PortAttributes.LinkLayer.INFINIBAND));
        PortSheet.gid(sheet, new GidEntry(new Gid(1, 0), 2, 1, GidEntry.Type.ROCE_V2, 2), ethernet);
        assertThat(sheet.toString().lines())
                .containsExactly(
                        "\t\t\tGID[  0]:\t\tfe80:0000:0000:0000:0000:0000:0000:0002, RoCE v1",
                        "\t\t\tGID[  1]:\t\tfe80::2, RoCE v2",
                        "\t\t\tGID[ 12]:\t\tfe80:0000:0000:0000:0000:0000:0000:0002");
    }

    @Test
    void eventsOfQueuesAreUnexpected() {
        assertThat(AsyncWatch.line(new AsyncEvent.CompletionQueueError(0, null)))
                .isEqualTo("  event_type unexpected (0), port 0");
        assertThat(AsyncWatch.line(new AsyncEvent.DeviceFatal(8)))
                .isEqualTo("  event_type IBV_EVENT_DEVICE_FATAL (8), port 0");
        assertThat(
                        AsyncWatch.line(
                                new AsyncEvent.PortEvent(
                                        18, AsyncEvent.PortEvent.Kind.GID_CHANGE, 2)))
                .isEqualTo("  event_type IBV_EVENT_GID_CHANGE (18), port 2");
    }
}
