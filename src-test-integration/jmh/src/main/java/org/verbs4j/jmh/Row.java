package org.verbs4j.jmh;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;

/**
 * One contender of one operation over all JVMs.
 *
 * @param nanos median over the JVMs of the median slice, per operation
 * @param toC ratio to the C twin of the same JVM
 * @param toJni ratio to JNI of the same JVM, where JNI took part
 * @param allocatedBytes the most that any JVM's allocation run allocated
 */
record Row(
        Measured operation,
        Contender contender,
        double nanos,
        Ratio toC,
        Optional<Ratio> toJni,
        long allocatedBytes,
        int jvms) {

    /** The rows of all operations, in the order of their enums. */
    static List<Row> of(List<List<Measurement>> jvms) {
        Map<String, List<Map<Contender, Measurement>>> byOperation = new LinkedHashMap<>();
        for (Operation operation : Operation.values()) {
            byOperation.put(operation.name(), new ArrayList<>());
        }
        for (DeviceOperation operation : DeviceOperation.values()) {
            byOperation.put(operation.name(), new ArrayList<>());
        }
        for (List<Measurement> jvm : jvms) {
            Map<String, Map<Contender, Measurement>> one = new LinkedHashMap<>();
            for (Measurement m : jvm) {
                one.computeIfAbsent(m.operation(), _ -> new LinkedHashMap<>())
                        .put(Contender.valueOf(m.contender()), m);
            }
            one.forEach(
                    (operation, contenders) ->
                            byOperation
                                    .computeIfAbsent(operation, _ -> new ArrayList<>())
                                    .add(contenders));
        }
        List<Row> rows = new ArrayList<>();
        byOperation.forEach(
                (operation, runs) -> {
                    for (Contender contender : Contender.values()) {
                        of(Measured.valueOf(operation), contender, runs).ifPresent(rows::add);
                    }
                });
        return rows;
    }

    private static Optional<Row> of(
            Measured operation, Contender contender, List<Map<Contender, Measurement>> all) {
        List<Map<Contender, Measurement>> runs =
                all.stream().filter(run -> run.containsKey(contender)).toList();
        if (runs.isEmpty()) {
            return Optional.empty();
        }
        double[] nanos = runs.stream().mapToDouble(run -> in(run, contender).nanos()).toArray();
        long allocated =
                runs.stream()
                        .mapToLong(run -> in(run, contender).allocatedBytes())
                        .max()
                        .orElseThrow();
        Ratio toC = ratio(contender, Contender.C, runs).orElseThrow();
        return Optional.of(
                new Row(
                        operation,
                        contender,
                        Duel.median(nanos),
                        toC,
                        ratio(contender, Contender.JNI, runs),
                        allocated,
                        runs.size()));
    }

    private static Measurement in(Map<Contender, Measurement> run, Contender contender) {
        return Objects.requireNonNull(run.get(contender), contender.title());
    }

    private static Optional<Ratio> ratio(
            Contender contender, Contender to, List<Map<Contender, Measurement>> runs) {
        double[] ratios =
                runs.stream()
                        .filter(run -> run.containsKey(to))
                        .mapToDouble(run -> in(run, contender).nanos() / in(run, to).nanos())
                        .toArray();
        return ratios.length == 0 ? Optional.empty() : Optional.of(Ratio.of(ratios));
    }
}
