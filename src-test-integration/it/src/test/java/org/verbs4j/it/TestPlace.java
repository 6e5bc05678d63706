package org.verbs4j.it;

import org.verbs4j.Device;
import org.verbs4j.DeviceContext;
import org.verbs4j.Devices;

import java.time.Duration;
import java.util.List;
import java.util.Objects;

/**
 * Where the tests run, as the launcher {@code ./verbs on-rxe} told it, and how long things may take
 * there.
 */
public final class TestPlace {
    private static final int TIME_SCALE =
            Integer.parseInt(Objects.requireNonNullElse(System.getenv("VERBS4J_TIME_SCALE"), "1"));

    /** The one device that a program of the tests is to use; without it, all are there. */
    static final String ONLY_DEVICE = "org.verbs4j.it.device";

    private TestPlace() {}

    /** The devices to use, the first one first. */
    static List<Device> devices() {
        String only = System.getProperty(ONLY_DEVICE);
        return only == null ? Devices.list() : List.of(Devices.byName(only));
    }

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

    /** The release of the kernel, as {@code uname -r} tells it. */
    public static String kernel() {
        return System.getProperty("os.version");
    }

    /** Whether the kernel is of this version or a later one. */
    public static boolean kernelIsSince(int major, int minor) {
        String[] numbers = kernel().split("[^0-9]+", 3);
        int own = Integer.parseInt(numbers[0]);
        return own > major || (own == major && Integer.parseInt(numbers[1]) >= minor);
    }

    /** The provider of the first device, such as {@code rxe}. */
    public static String provider() {
        return Provider.NAME;
    }

    /** Asked once. */
    private static final class Provider {
        static final String NAME;

        static {
            try (DeviceContext context = Devices.first().open()) {
                NAME = context.provider();
            }
        }
    }

    /** A limit that holds on native hardware, stretched for this place. */
    public static Duration limit(Duration onHardware) {
        return onHardware.multipliedBy(TIME_SCALE);
    }
}
