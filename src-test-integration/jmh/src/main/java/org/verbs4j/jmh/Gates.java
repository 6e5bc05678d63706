package org.verbs4j.jmh;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * What the hot path must not exceed. One table, no other place has a figure of it.
 *
 * <p>Targets are what the design reached when it was chosen; limits leave room for a shared
 * machine. A limit is on the median over several JVMs of the ratio within each.
 */
final class Gates {
    /**
     * One limit.
     *
     * @param target what the design is built for, 0 where only the limit is stated
     * @param limit a greater ratio fails
     */
    record Gate(
            Measured operation,
            Contender contender,
            Contender baseline,
            double target,
            double limit) {
        String title() {
            return operation.title() + ": " + contender.title() + " / " + baseline.title();
        }
    }

    /** How a gate was met; a gate without a measurement is not met. */
    record Verdict(Gate gate, Optional<Ratio> measured) {
        boolean passed() {
            return measured.isPresent() && measured.get().median() <= gate.limit;
        }

        @Override
        public String toString() {
            String value = measured.map(Ratio::toString).orElse("not measured");
            return String.format(
                    Locale.ROOT,
                    "%s %s: %s, limit %.2f",
                    passed() ? "ok  " : "FAIL",
                    gate.title(),
                    value,
                    gate.limit);
        }
    }

    static final List<Gate> NULL_DEVICE =
            List.of(
                    gate(Operation.POST, Contender.BINDINGS, Contender.C, 1.20, 1.35),
                    gate(Operation.POST, Contender.BINDINGS, Contender.JNI, 0, 0.90),
                    gate(Operation.POLL_HIT, Contender.BINDINGS, Contender.C, 1.10, 1.30),
                    gate(Operation.POLL_HIT, Contender.BINDINGS, Contender.JNI, 0, 0.85),
                    gate(Operation.POLL_EMPTY, Contender.BINDINGS, Contender.C, 1.50, 1.65),
                    gate(Operation.POLL_EMPTY, Contender.BINDINGS, Contender.JNI, 0, 0.80),
                    gate(Operation.PAIR, Contender.BINDINGS, Contender.C, 1.25, 1.32),
                    gate(Operation.PAIR, Contender.BINDINGS, Contender.JNI, 0, 0.85),
                    gate(Operation.FULL_PAIR, Contender.API, Contender.C, 1.30, 1.42),
                    gate(Operation.FULL_PAIR, Contender.API, Contender.JNI, 0, 0.95),
                    gate(Operation.PAIR, Contender.BINDINGS_PLAIN, Contender.C, 1.37, 1.45),
                    gate(Operation.SYSCALL_PAIR, Contender.BINDINGS_PLAIN, Contender.C, 1.07, 1.12),
                    gate(Operation.BATCH_4, Contender.BINDINGS, Contender.C, 1.15, 1.25),
                    gate(Operation.BATCH_16, Contender.BINDINGS, Contender.C, 1.04, 1.08),
                    gate(Operation.BATCH_32, Contender.BINDINGS, Contender.C, 1.01, 1.05),
                    gate(Operation.FILL, Contender.BINDINGS, Contender.C, 1.3, 1.5),
                    gate(Operation.READ, Contender.API, Contender.C, 1.3, 1.5));

    static final List<Gate> DEVICE =
            List.of(gate(DeviceOperation.WRITE_8, Contender.API, Contender.C, 1.05, 1.10));

    private Gates() {}

    static List<Gate> all() {
        return Stream.concat(NULL_DEVICE.stream(), DEVICE.stream()).toList();
    }

    private static Gate gate(
            Measured operation,
            Contender contender,
            Contender baseline,
            double target,
            double limit) {
        return new Gate(operation, contender, baseline, target, limit);
    }

    static List<Verdict> judge(List<Gate> gates, List<Row> rows) {
        List<Verdict> verdicts = new ArrayList<>();
        for (Gate gate : gates) {
            Optional<Ratio> measured =
                    rows.stream()
                            .filter(
                                    row ->
                                            row.operation() == gate.operation
                                                    && row.contender() == gate.contender)
                            .findFirst()
                            .flatMap(
                                    row ->
                                            gate.baseline == Contender.JNI
                                                    ? row.toJni()
                                                    : Optional.of(row.toC()));
            verdicts.add(new Verdict(gate, measured));
        }
        return verdicts;
    }

    /** Rows that allocated anything at all: none may. */
    static List<Row> allocating(List<Row> rows) {
        return rows.stream().filter(row -> row.allocatedBytes() > 0).toList();
    }
}
