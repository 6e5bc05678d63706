package org.verbs4j.jmh;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Results that were never measured: every gate met with room, unless a test doctors them. */
final class Samples {
    private static final double C_NANOS = 30;

    private Samples() {}

    /** Three JVMs in which each gate's contender is a little better than its limit. */
    static BenchData meetingEveryGate() {
        BenchData data = new BenchData();
        data.facts.put("date", "never");
        for (int jvm = 0; jvm < 3; jvm++) {
            data.nullDevice.add(measurements(Gates.NULL_DEVICE, 0.99 - 0.01 * jvm));
            List<Curve> curves =
                    List.of(
                            Curve.of(DeviceOperation.WRITE_8, Contender.C, slices(30_000)),
                            Curve.of(DeviceOperation.WRITE_8, Contender.API, slices(31_000)));
            data.device.add(
                    new DeviceDuels.Result(
                            "sample0", 100, 2450, measurements(Gates.DEVICE, 0.99), curves));
        }
        Map<String, Double> millis = new LinkedHashMap<>(Map.of("bare JVM", 100.0));
        millis.put("to first completion", 300.0);
        data.startUp = new StartUp.Result(millis, 7, 12_000_000, 5);
        return data;
    }

    private static List<Double> slices(double nanos) {
        List<Double> slices = new ArrayList<>();
        for (int i = 0; i < 1000; i++) {
            slices.add(nanos * (i % 100 == 0 ? 3 : 1 + i / 5000.0));
        }
        return slices;
    }

    private static List<Measurement> measurements(List<Gates.Gate> gates, double share) {
        List<Measurement> measurements = new ArrayList<>();
        for (Measured operation : gates.stream().map(Gates.Gate::operation).distinct().toList()) {
            measurements.add(new Measurement(operation.name(), Contender.C.name(), C_NANOS, 0, 1));
            measurements.add(
                    new Measurement(operation.name(), Contender.JNI.name(), 2.1 * C_NANOS, 0, 1));
            for (Gates.Gate gate : gates) {
                if (gate.operation() == operation && gate.baseline() == Contender.C) {
                    double nanos = C_NANOS * gate.limit() * share;
                    measurements.add(
                            new Measurement(
                                    operation.name(), gate.contender().name(), nanos, 0, 1));
                }
            }
        }
        return measurements;
    }

    /** The same with one contender of one operation changed in every JVM. */
    static void doctor(
            BenchData data, Measured operation, Contender who, double factor, long allocated) {
        for (List<Measurement> jvm : data.nullDevice) {
            jvm.replaceAll(
                    m ->
                            m.operation().equals(operation.name())
                                            && m.contender().equals(who.name())
                                    ? new Measurement(
                                            m.operation(),
                                            m.contender(),
                                            m.nanos() * factor,
                                            m.allocatedBytes() + allocated,
                                            m.checksum())
                                    : m);
        }
    }
}
