package org.verbs4j.bindings;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;
import org.verbs4j.bindings.HeaderText.Function;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Every inline function that the installed headers have, called in C and in Java. */
class InlinesAgainstCTest {
    private final Oracle oracle = Oracle.get();
    private final Set<String> compared = new TreeSet<>();

    @TestFactory
    Stream<DynamicTest> everyInlineFunctionDoesWhatCDoes() {
        List<Function> inlines = oracle.headers().inlines();
        Stream<DynamicTest> each =
                inlines.stream()
                        .map(
                                inline ->
                                        DynamicTest.dynamicTest(
                                                inline.name(), () -> compare(inline)));
        return Stream.concat(
                each, Stream.of(DynamicTest.dynamicTest("none is left out", () -> count(inlines))));
    }

    private void compare(Function inline) {
        for (Scenario scenario : scenarios(inline)) {
            oracle.compare(inline.name(), scenario, arguments(inline));
        }
        compared.add(inline.name());
    }

    private void count(List<Function> inlines) {
        System.out.println(
                "inline functions compared with C: " + compared.size() + " of " + inlines.size());
        assertThat(compared)
                .containsExactlyInAnyOrderElementsOf(
                        inlines.stream().map(Function::name).collect(Collectors.toSet()))
                .hasSameSizeAs(inlines);
    }

    private long[] arguments(Function inline) {
        long[] arguments = oracle.arguments(inline);
        switch (inline.name()) {
            case "ibv_is_qpt_supported" -> arguments[1] = Verbs.IBV_QPT_UD();
            // The region must cover the buffer, which C asserts.
            case "rdma_post_recv" -> arguments[3] = 100;
            default -> {}
        }
        return arguments;
    }

    private List<Scenario> scenarios(Function inline) {
        List<Scenario> scenarios = new ArrayList<>();
        switch (inline.name()) {
            // A loop that ends only with a completion or a failure.
            case "rdma_get_send_comp", "rdma_get_recv_comp" -> {
                scenarios.add(Scenario.answering(0, 0, 0, 0, 1));
                scenarios.add(Scenario.answering(1));
            }
            // A pointer that is not NULL is followed.
            case "ibv_create_wq" -> {
                scenarios.add(Scenario.answering(oracle.object("struct ibv_wq *")));
                scenarios.add(Scenario.answering(0).failingWith(Posix.ENOMEM()));
            }
            // The oracle looks at the address only where there must be one.
            case "rdma_post_ud_send" -> {
                scenarios.add(
                        Scenario.answering(0)
                                .on("the queue pair is for datagrams", Circumstances::datagrams));
                scenarios.add(Scenario.answering(Posix.EINVAL()));
            }
            default -> {
                scenarios.add(Scenario.answering(0));
                scenarios.add(Scenario.answering(0).failingWith(Posix.ENOMEM()));
                scenarios.add(Scenario.answering(Posix.EINVAL()).failingWith(Posix.EBUSY()));
                // Every narrower type gets a number with its highest bit set.
                scenarios.add(Scenario.answering(0x8765_4321_fedc_ba98L));
            }
        }
        return scenarios;
    }
}
