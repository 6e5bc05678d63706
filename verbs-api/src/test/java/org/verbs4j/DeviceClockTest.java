package org.verbs4j;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.verbs4j.bindings.Verbs;
import org.verbs4j.bindings.ibv_device_attr_ex;
import org.verbs4j.bindings.ibv_values_ex;
import org.verbs4j.bindings.timespec;
import org.verbs4j.bindings.verbs_context;

import java.lang.foreign.MemorySegment;

/** The clock of a device that has one, which soft-RoCE has not. */
class DeviceClockTest {
    private static final long MASK = 0xffff_ffff_ffffL;

    private final FakeDevice device = new FakeDevice();
    private boolean tells = true;

    private DeviceClock clock(long kiloHertz) {
        device.provider.provide(
                "query_device_ex",
                verbs_context.query_device_ex$offset(),
                4,
                arguments -> {
                    MemorySegment attr = arguments.struct(2, ibv_device_attr_ex.sizeof());
                    ibv_device_attr_ex.hca_core_clock(attr, kiloHertz);
                    ibv_device_attr_ex.completion_timestamp_mask(attr, MASK);
                    return 0;
                });
        device.provider.provide(
                "query_rt_values",
                verbs_context.query_rt_values$offset(),
                2,
                arguments -> {
                    MemorySegment values = arguments.struct(1, ibv_values_ex.sizeof());
                    assertThat(ibv_values_ex.comp_mask(values))
                            .isEqualTo(Verbs.IBV_VALUES_MASK_RAW_CLOCK());
                    ibv_values_ex.comp_mask(values, tells ? Verbs.IBV_VALUES_MASK_RAW_CLOCK() : 0);
                    timespec.tv_nsec(ibv_values_ex.raw_clock(values), 123_456_789_012L);
                    return 0;
                });
        return device.context.clock();
    }

    @Test
    void itTellsItsFrequencyItsBitsAndTheTime() {
        DeviceClock clock = clock(156_250);
        assertThat(clock.kiloHertz()).isEqualTo(156_250);
        assertThat(clock.mask()).isEqualTo(MASK);
        assertThat(clock.now()).isEqualTo(123_456_789_012L);
    }

    @Test
    void ticksBecomeNanosecondsAcrossAWrapAndWithoutOverflow() {
        DeviceClock clock = clock(156_250); // 6.4 ns a tick
        assertThat(clock.nanosBetween(100, 105)).isEqualTo(32);
        assertThat(clock.nanosBetween(MASK, 9)).isEqualTo(64);
        assertThat(clock.nanosBetween(0, MASK)).isEqualTo(1_801_439_850_948_192L);
        assertThat(clock(1_000_000).nanosBetween(7, 7)).isZero();
    }

    @Test
    void aDeviceWithoutAClockIsUnsupported() {
        assertThatThrownBy(() -> clock(0))
                .isInstanceOf(UnsupportedVerbException.class)
                .hasMessageContaining("does not stamp completions");
        tells = false;
        DeviceClock clock = clock(1000);
        assertThatThrownBy(clock::now)
                .isInstanceOf(UnsupportedVerbException.class)
                .hasMessageContaining("ibv_query_rt_values_ex");
    }
}
