package org.verbs4j.it;

import java.time.Duration;
import java.util.Objects;

/**
 * Where the tests run, as the launcher {@code ./verbs on-rxe} told it, and how long things may take
 * there.
 */
public final class TestPlace {
    private static final int TIME_SCALE =
            Integer.parseInt(Objects.requireNonNullElse(System.getenv("VERBS4J_TIME_SCALE"), "1"));

    private TestPlace() {}

    /** {@code host}, {@code uml} or {@code qemu}. */
    public static String engine() {
        return Objects.requireNonNullElse(System.getenv("VERBS4J_ENGINE"), "host");
    }

    /**
     * How many times longer than on hardware anything may take here: 1, 3 under UML, 10 under TCG.
     */
    public static int timeScale() {
        return TIME_SCALE;
    }

    /** A limit that holds on native hardware, stretched for this place. */
    public static Duration limit(Duration onHardware) {
        return onHardware.multipliedBy(TIME_SCALE);
    }
}
