package org.verbs4j.jmh;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;

import java.util.Map;
import java.util.Objects;

class DuelTest {
    private static final Duel.Effort LITTLE = new Duel.Effort(96, 20, 1, 10);

    private static long sum(int operations) {
        long sum = 0;
        for (int i = 0; i < operations; i++) {
            sum += i;
        }
        return sum;
    }

    @Test
    void everyContenderIsTimed() {
        Map<Contender, Duel.Outcome> outcomes =
                new Duel<Contender>(LITTLE)
                        .with(Contender.C, DuelTest::sum)
                        .with(Contender.API, DuelTest::sum)
                        .run();

        assertThat(outcomes).containsOnlyKeys(Contender.C, Contender.API);
        assertThat(Objects.requireNonNull(outcomes.get(Contender.C)).slices()).hasSize(20);
        assertThat(Objects.requireNonNull(outcomes.get(Contender.API)).allocatedBytes()).isZero();
    }

    @Test
    void aFastWrongPathIsRefused() {
        Duel<Contender> duel =
                new Duel<Contender>(LITTLE)
                        .with(Contender.C, DuelTest::sum)
                        .with(Contender.API, operations -> 0);

        assertThatThrownBy(duel::run)
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("checksum");
    }

    @Test
    void aContenderThatAllocatesIsFound() {
        Object[] kept = new Object[1];
        Map<Contender, Duel.Outcome> outcomes =
                new Duel<Contender>(LITTLE)
                        .with(
                                Contender.API,
                                operations -> {
                                    kept[0] = new Object();
                                    return sum(operations);
                                })
                        .run();

        assertThat(Objects.requireNonNull(outcomes.get(Contender.API)).allocatedBytes())
                .isEqualTo(10 * 16);
    }
}
