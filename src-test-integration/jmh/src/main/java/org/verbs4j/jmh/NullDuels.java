package org.verbs4j.jmh;

import com.google.gson.Gson;

import org.verbs4j.Devices;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Random;

/**
 * One JVM's worth of duels on the null device: every operation, every contender; the result as
 * JSON.
 *
 * <p>Arguments: the directory of the compiled C parts, the file to write, {@code quick}, {@code
 * full} or {@code smoke}, a seed for the order of operations, and optionally the operations wanted.
 */
final class NullDuels {
    private static final int LENGTH = 8;

    private final NativeParts parts;
    private final NullDevice device;
    private final Duel.Effort effort;

    private NullDuels(NativeParts parts, Duel.Effort effort) {
        this.parts = parts;
        this.effort = effort;
        device = new NullDevice(parts.nullDevice());
        JniVerbs.load(parts.jni());
    }

    public static void main(String[] args) throws IOException {
        NativeParts parts = NativeParts.at(Path.of(args[0]));
        NullDuels duels = new NullDuels(parts, Duel.Effort.nullDevice(args[2]));
        List<Operation> operations =
                new ArrayList<>(
                        args.length > 4
                                ? Arrays.stream(args).skip(4).map(Operation::valueOf).toList()
                                : List.of(Operation.values()));
        // Another order in every JVM: what an earlier operation did to the profiles of a later one
        // is part of the spread.
        Collections.shuffle(operations, new Random(Long.parseLong(args[3])));
        List<Measurement> measurements = new ArrayList<>();
        for (Operation operation : operations) {
            measurements.addAll(duels.run(operation));
        }
        Files.writeString(Path.of(args[1]), new Gson().toJson(measurements));
    }

    private List<Measurement> run(Operation operation) {
        try (Arena arena = Arena.ofConfined();
                Loopback critical =
                        CallPolicy.CRITICAL.open(
                                () -> Loopback.open(Devices.byName("null0"), LENGTH));
                Loopback plain =
                        CallPolicy.PLAIN_POST.open(
                                () -> Loopback.open(Devices.byName("null0"), LENGTH));
                CTwin c = new CTwin(parts.twins(), critical)) {
            device.prepare(critical, operation);
            device.prepare(plain, operation);
            BindingsSlices bindings = new BindingsSlices(arena, critical);
            Duel<Contender> duel =
                    new Duel<Contender>(effort)
                            .with(Contender.C, c.of(operation))
                            .with(Contender.API, new ApiSlices(critical).of(operation))
                            .with(Contender.BINDINGS, bindings.of(operation));
            if (operation == Operation.POST
                    || operation == Operation.PAIR
                    || operation == Operation.SYSCALL_PAIR) {
                duel.with(Contender.API_PLAIN, new ApiSlices(plain).of(operation));
                duel.with(Contender.BINDINGS_PLAIN, bindings.plainPostOf(operation));
            }
            if (operation == Operation.FULL_PAIR) {
                duel.with(Contender.GENERATED, new GeneratedSlices(arena, critical)::fullPair);
            }
            new JniSlices(arena, critical)
                    .of(operation)
                    .ifPresent(slice -> duel.with(Contender.JNI, slice));
            List<Measurement> measurements = new ArrayList<>();
            duel.run()
                    .forEach(
                            (who, outcome) ->
                                    measurements.add(
                                            new Measurement(
                                                    operation.name(),
                                                    who.name(),
                                                    outcome.nanosPerOperation(),
                                                    outcome.allocatedBytes(),
                                                    outcome.checksum())));
            return measurements;
        }
    }
}
