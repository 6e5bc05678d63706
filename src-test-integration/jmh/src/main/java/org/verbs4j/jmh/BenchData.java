package org.verbs4j.jmh;

import org.jspecify.annotations.Nullable;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * All that a run found: the raw results, as they are written to {@code results.json} and read from
 * it.
 */
final class BenchData {
    /** The machine, the JVM, the compiler, the date. */
    final Map<String, String> facts = new LinkedHashMap<>();

    /** One list for each JVM on the null device. */
    final List<List<Measurement>> nullDevice = new ArrayList<>();

    /** One for each JVM on a real device. */
    final List<DeviceDuels.Result> device = new ArrayList<>();

    /** What perftest's tools said in the same place, by command line. */
    final Map<String, Double> perftest = new LinkedHashMap<>();

    /** Why there is nothing from a real device, if so. */
    @Nullable String withoutDevice;

    StartUp.@Nullable Result startUp;

    List<Row> nullRows() {
        return Row.of(nullDevice);
    }

    List<Row> deviceRows() {
        return Row.of(device.stream().map(DeviceDuels.Result::measurements).toList());
    }
}
