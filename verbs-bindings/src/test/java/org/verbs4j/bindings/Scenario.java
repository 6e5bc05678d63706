package org.verbs4j.bindings;

import java.util.List;
import java.util.function.Consumer;
import java.util.stream.LongStream;

/**
 * What the fakes answer, one result after the other, which errno they leave, and what is special
 * about the objects.
 */
record Scenario(String name, List<Long> results, int errno, Consumer<Oracle> arrangement) {
    static Scenario answering(long... results) {
        List<Long> list = LongStream.of(results).boxed().toList();
        return new Scenario("the fakes answer " + list, list, 0, world -> {});
    }

    Scenario failingWith(int error) {
        return new Scenario(name + " with errno " + error, results, error, arrangement);
    }

    Scenario on(String circumstance, Consumer<Oracle> change) {
        return new Scenario(
                circumstance + ", " + name, results, errno, arrangement.andThen(change));
    }
}
