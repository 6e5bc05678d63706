package org.verbs4j.examples;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class ClockCyclesTest {
    @Test
    void theLinesAreThoseOfTheCTool() {
        ClockCycles cycles = new ClockCycles(-1);
        for (long time : new long[] {1000, 1010, 1040, 1041}) {
            cycles.add(time);
        }
        assertThat(cycles.lines())
                .containsExactly(
                        "Max receive completion clock cycles = 30",
                        "Min receive completion clock cycles = 1",
                        "Average receive completion clock cycles = 13.666667");
    }

    @Test
    void oneReceiveIsNoDistance() {
        ClockCycles cycles = new ClockCycles(-1);
        assertThat(cycles.lines()).isEmpty();
        cycles.add(5);
        assertThat(cycles.lines()).isEmpty();
        cycles.add(5);
        assertThat(cycles.lines()).first().asString().endsWith(" = 0");
    }

    @Test
    void aClockThatWrapsAroundGoesOn() {
        ClockCycles cycles = new ClockCycles(0xffff);
        cycles.add(0xfffe);
        cycles.add(3);
        assertThat(cycles.lines().getFirst()).endsWith(" = 5");
    }
}
