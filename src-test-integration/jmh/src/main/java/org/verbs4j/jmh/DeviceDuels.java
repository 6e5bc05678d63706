package org.verbs4j.jmh;

import com.google.gson.Gson;

import org.verbs4j.Device;
import org.verbs4j.Devices;
import org.verbs4j.bindings.Verbs;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;

/**
 * One JVM's worth of duels on a real device: Java and its C twin on the same queue pair and queue,
 * in turns.
 *
 * <p>The queue pair is connected to itself. Arguments: the directory of the compiled C parts, the
 * file to write, {@code quick} or {@code full}, and optionally the operations wanted.
 */
final class DeviceDuels {
    /** What a JVM found: medians, and distributions of what is a latency. */
    record Result(
            String device,
            double nanoTimeNanos,
            double cyclesPerMicro,
            List<Measurement> measurements,
            List<Curve> curves) {}

    private final NativeParts parts;
    private final Device device;
    private final boolean quick;
    private final double nanoTime = costOfNanoTime();
    private double cyclesPerMicro;
    private final List<Measurement> measurements = new ArrayList<>();
    private final List<Curve> curves = new ArrayList<>();

    private DeviceDuels(NativeParts parts, Device device, boolean quick) {
        this.parts = parts;
        this.device = device;
        this.quick = quick;
    }

    public static void main(String[] args) throws IOException {
        DeviceDuels duels =
                new DeviceDuels(
                        NativeParts.at(Path.of(args[0])), Devices.first(), args[2].equals("quick"));
        List<DeviceOperation> operations =
                args.length > 3
                        ? List.of(args).subList(3, args.length).stream()
                                .map(DeviceOperation::valueOf)
                                .toList()
                        : List.of(DeviceOperation.values());
        operations.forEach(duels::run);
        Result result =
                new Result(
                        duels.device.name(),
                        duels.nanoTime,
                        duels.cyclesPerMicro,
                        duels.measurements,
                        duels.curves);
        Files.writeString(Path.of(args[1]), new Gson().toJson(result));
    }

    /**
     * 25 µs in a User-Mode Linux guest, where it is a system call: slices must be long beside it.
     */
    private static double costOfNanoTime() {
        double[] costs = new double[200];
        for (int i = 0; i < costs.length; i++) {
            long begin = System.nanoTime();
            costs[i] = System.nanoTime() - begin;
        }
        return Duel.median(costs);
    }

    /**
     * Slices of some milliseconds; a latency's are short, so that its distribution is of few
     * operations each.
     */
    private Duel.Effort effort(DeviceOperation operation) {
        int slower = quick ? 1 : 4;
        if (!operation.isStream()) {
            return new Duel.Effort(16, 500 * slower, 400 * slower, 20);
        }
        int operations = operation.length() > 4096 ? 128 : 512;
        int rounds = operation.length() > 4096 ? 15 : 60;
        return new Duel.Effort(operations, rounds * slower, 300 * slower, 2);
    }

    private void run(DeviceOperation operation) {
        try (Loopback loopback = Loopback.openUnconnected(device, operation.length());
                Loopback peer = loopback.sibling()) {
            if (operation == DeviceOperation.PING_PONG) {
                loopback.pair().connect(peer.pair().endpoint());
                peer.pair().connect(loopback.pair().endpoint());
            } else {
                loopback.pair().connect(loopback.pair().endpoint());
            }
            try (CTwin c = new CTwin(parts.twins(), loopback);
                    SocketSlices sockets = new SocketSlices(operation.length())) {
                cyclesPerMicro = cyclesPerMicro == 0 ? c.cyclesPerMicro() : cyclesPerMicro;
                c.peer(peer);
                c.opcode(opcode(operation));
                Duel<Contender> duel =
                        new Duel<Contender>(effort(operation))
                                .with(Contender.C, twin(c, operation))
                                .with(
                                        Contender.API,
                                        new DeviceSlices(loopback, peer).of(operation));
                if (operation == DeviceOperation.PING_PONG
                        || operation == DeviceOperation.BANDWIDTH_1) {
                    duel.with(Contender.SOCKETS, sockets::pingPong);
                }
                record(operation, duel.run());
            }
        }
    }

    private static int opcode(DeviceOperation operation) {
        return switch (operation) {
            case READ_8 -> Verbs.IBV_WR_RDMA_READ();
            case FETCH_AND_ADD -> Verbs.IBV_WR_ATOMIC_FETCH_AND_ADD();
            case PING_PONG -> Verbs.IBV_WR_SEND();
            default -> Verbs.IBV_WR_RDMA_WRITE();
        };
    }

    private static Slice twin(CTwin c, DeviceOperation operation) {
        if (operation.isStream()) {
            return c.loop("stream", operation.depth(), operation.batch());
        }
        return c.loop(operation == DeviceOperation.PING_PONG ? "ping_pong" : "pair");
    }

    private void record(DeviceOperation operation, Map<Contender, Duel.Outcome> outcomes) {
        Map<Contender, Duel.Outcome> ordered = new EnumMap<>(outcomes);
        int operations = effort(operation).operations();
        ordered.forEach(
                (who, outcome) -> {
                    // What the clock itself takes is no part of the operation.
                    double clock = nanoTime / operations;
                    double nanos = outcome.nanosPerOperation() - clock;
                    measurements.add(
                            new Measurement(
                                    operation.name(),
                                    who.name(),
                                    nanos,
                                    outcome.allocatedBytes(),
                                    outcome.checksum()));
                    if (!operation.isStream()) {
                        List<Double> slices =
                                outcome.slices().stream().map(slice -> slice - clock).toList();
                        curves.add(Curve.of(operation, who, slices));
                    }
                });
    }
}
