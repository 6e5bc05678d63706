package org.verbs4j.it;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Assumptions;
import org.verbs4j.WorkStatus;

import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;

/**
 * A line of the conformance table.
 *
 * @param id its number, such as {@code 65a}
 * @param section the heading that it is under
 * @param text what is so
 * @param measured what soft-RoCE does before Linux 6.12, as measured here
 * @param newer what soft-RoCE does from Linux 6.12 on, from the reference
 * @param others what other providers do, from the reference
 */
record Fact(String id, String section, String text, String measured, String newer, String others) {

    /** What is expected of the device at hand. */
    String expectation() {
        if (!TestPlace.provider().equals("rxe")) {
            return others;
        }
        return TestPlace.kernelIsSince(6, 12) ? newer : measured;
    }

    /**
     * Demands that a request of a side, {@code sender} or {@code receiver}, ended as the table
     * says. Where the table has it from the reference only, another end is told, not failed.
     */
    void requireStatus(String side, WorkStatus actual) {
        String expected =
                Arrays.stream(expectation().split("; "))
                        .filter(part -> part.startsWith(side + " "))
                        .map(part -> part.substring(side.length() + 1))
                        .collect(Collectors.joining());
        assertThat(expected).as("%s of %s, expected at this place", side, this).isNotEmpty();
        List<String> any = List.of(expected.split(" or "));
        boolean known = expectation().equals(measured);
        if (!known) {
            Assumptions.assumeTrue(
                    any.contains(actual.name()),
                    () -> side + ": the reference has " + expected + ", here it is " + actual);
        }
        assertThat(actual.name()).as("%s, %s", this, side).isIn(any);
    }
}
