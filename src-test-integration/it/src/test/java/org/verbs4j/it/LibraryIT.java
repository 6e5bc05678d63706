package org.verbs4j.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.verbs4j.AddressVector;
import org.verbs4j.CNames;
import org.verbs4j.Devices;
import org.verbs4j.ForkSupport;
import org.verbs4j.Gid;
import org.verbs4j.NodeType;
import org.verbs4j.PortAttributes;
import org.verbs4j.Rate;
import org.verbs4j.VerbsException;
import org.verbs4j.WorkStatus;

import java.util.Arrays;
import java.util.Set;
import java.util.function.IntFunction;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/** What the C library says and calculates without a device. Item 9. */
class LibraryIT {
    private static final int STATUSES = 24;
    private static final int EVENTS = 20;

    @Test
    @Holds("9")
    void everyStatusEventNodeAndPortStateHasAName() {
        assertThat(CNames.workStatus(0)).isEqualTo("success");
        assertThat(CNames.workStatus(WorkStatus.RETRY_EXCEEDED.code()))
                .isEqualTo("transport retry counter exceeded");
        assertThat(names(STATUSES, CNames::workStatus)).hasSize(STATUSES);
        assertThat(CNames.eventType(0)).isEqualTo("CQ error");
        assertThat(names(EVENTS, CNames::eventType)).hasSize(EVENTS);
        assertThat(CNames.nodeType(1)).isEqualTo("InfiniBand channel adapter");
        assertThat(CNames.portState(PortAttributes.State.ACTIVE.code())).isEqualTo("active");
        for (int wrong : new int[] {-1, 99, Integer.MAX_VALUE, Integer.MIN_VALUE}) {
            assertThat(CNames.workStatus(wrong)).isEqualTo("unknown");
            assertThat(CNames.eventType(wrong)).isEqualTo("unknown");
            assertThat(CNames.nodeType(wrong)).isEqualTo("unknown");
            assertThat(CNames.portState(wrong)).containsAnyOf("unknown", "invalid");
        }
        assertThat(NodeType.of(1)).isEqualTo(NodeType.CHANNEL_ADAPTER);
    }

    private static Set<String> names(int count, IntFunction<String> name) {
        return IntStream.range(0, count).mapToObj(name).collect(Collectors.toSet());
    }

    @Test
    void ratesConvertBothWays() {
        assertThat(Rate.GBPS_10.multiple()).isEqualTo(4);
        assertThat(Rate.GBPS_100.megabits()).isEqualTo(103_125);
        assertThat(Rate.MAX.multiple()).isEqualTo(-1);
        assertThat(Rate.MAX.megabits()).isEqualTo(-1);
        for (Rate rate : Rate.values()) {
            assertThat(Rate.of(rate.code())).isEqualTo(rate);
            assertThat(Rate.ofMegabits(rate.megabits())).isEqualTo(rate);
        }
        assertThat(Rate.ofMultiple(48)).isEqualTo(Rate.GBPS_120);
        assertThat(Rate.ofMultiple(12345)).isEqualTo(Rate.MAX);
        assertThat(Rate.of(12345)).isEqualTo(Rate.MAX);
        assertThat(Arrays.stream(Rate.values()).map(Rate::code)).doesNotHaveDuplicates();
    }

    @Test
    void theFlowLabelDecidesTheUdpSourcePort() {
        int port = new AddressVector.GlobalRoute(Gid.zero(), 0, 0xabcde, 64, 0).udpSourcePort();
        assertThat(port).isBetween(0xc000, 0xffff);
        assertThat(new AddressVector.GlobalRoute(Gid.zero(), 0, 0, 64, 0).udpSourcePort())
                .isEqualTo(0xc000);
    }

    @Test
    void forkingIsSafeOrItIsTooLateToMakeItSo() {
        ForkSupport before = Devices.forkSupport();
        assertThat(before).isNotEqualTo(ForkSupport.UNKNOWN);
        try (RdmaPair registered = RdmaPair.onOneDevice()) {
            assertThat(registered.left.memory.lkey()).isNotEqualTo(registered.right.memory.lkey());
            if (before == ForkSupport.DISABLED) {
                assertThatThrownBy(Devices::forkInit)
                        .isInstanceOf(VerbsException.class)
                        .hasMessageContaining("ibv_fork_init: EINVAL")
                        .hasMessageContaining("before the first region is registered");
            } else {
                Devices.forkInit();
            }
            assertThat(Devices.forkSupport()).isEqualTo(before);
        }
    }
}
