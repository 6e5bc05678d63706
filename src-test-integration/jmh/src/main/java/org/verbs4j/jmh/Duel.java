package org.verbs4j.jmh;

import com.sun.management.ThreadMXBean;

import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Contenders side by side: short slices of each in turn, many rounds, the median slice of each.
 *
 * <p>On a shared machine the speed of the processor changes by half within seconds, and whoever
 * runs first or longest is judged by that. Slices of some 20 µs are mostly not interrupted, all
 * contenders see the same machine, and the median forgets the slices that were. Ratios of medians
 * hold within a few per cent where absolute times do not.
 *
 * @param <K> what names a contender
 */
final class Duel<K extends Enum<K>> {
    /**
     * How much is done: operations in a slice, rounds, and the time for which each contender is
     * warmed up.
     */
    record Effort(int operations, int rounds, int warmUpMillis, int allocationSlices) {
        /**
         * A slice of 960 operations divides by every batch size; 50 of them are the 48,000 of the
         * allocation gate.
         */
        static Effort nullDevice(String thoroughness) {
            return switch (thoroughness) {
                case "full" -> new Effort(960, 2000, 500, 50);
                case "quick" -> new Effort(960, 1200, 250, 50);
                case "smoke" -> new Effort(960, 10, 1, 1);
                default ->
                        throw new IllegalArgumentException(
                                "full, quick or smoke, not " + thoroughness);
            };
        }
    }

    /** What one contender did in this JVM. */
    record Outcome(
            double nanosPerOperation, List<Double> slices, long allocatedBytes, long checksum) {}

    private final Map<K, Slice> contenders = new LinkedHashMap<>();
    private final Effort effort;

    Duel(Effort effort) {
        this.effort = effort;
    }

    Duel<K> with(K name, Slice slice) {
        contenders.put(name, slice);
        return this;
    }

    /**
     * Runs all contenders.
     *
     * @throws IllegalStateException when their checksums differ: somebody did not do the work
     */
    Map<K, Outcome> run() {
        List<K> names = List.copyOf(contenders.keySet());
        Slice[] slices = contenders.values().toArray(Slice[]::new);
        long[] checksums = warmUp(names, slices);
        long[][] times = new long[slices.length][effort.rounds];
        for (int round = 0; round < effort.rounds; round++) {
            for (int turn = 0; turn < slices.length; turn++) {
                // Whoever follows a long system call or a cold cache is someone else in every
                // round.
                int who = (round + turn) % slices.length;
                long begin = System.nanoTime();
                long checksum = slices[who].run(effort.operations);
                times[who][round] = System.nanoTime() - begin;
                if (checksum != checksums[who]) {
                    throw new IllegalStateException(
                            names.get(who) + " gave another checksum than before");
                }
            }
        }
        Map<K, Outcome> outcomes = new LinkedHashMap<>();
        for (int who = 0; who < slices.length; who++) {
            double[] perOperation =
                    Arrays.stream(times[who])
                            .mapToDouble(t -> (double) t / effort.operations)
                            .toArray();
            outcomes.put(
                    names.get(who),
                    new Outcome(
                            median(perOperation),
                            Arrays.stream(perOperation).boxed().toList(),
                            allocated(slices[who]),
                            checksums[who]));
        }
        return outcomes;
    }

    private long[] warmUp(List<K> names, Slice[] slices) {
        long[] checksums = new long[slices.length];
        for (int who = 0; who < slices.length; who++) {
            checksums[who] = slices[who].run(effort.operations);
            if (checksums[who] != checksums[0]) {
                throw new IllegalStateException(
                        names.get(who)
                                + " gave checksum "
                                + checksums[who]
                                + ", "
                                + names.get(0)
                                + " "
                                + checksums[0]);
            }
        }
        // In turns, so that no profile is of one contender alone, as in a program that does more
        // than one thing.
        List<Long> spent = new ArrayList<>();
        for (int who = 0; who < slices.length; who++) {
            spent.add(0L);
        }
        long limit = effort.warmUpMillis * 1_000_000L;
        while (spent.stream().anyMatch(time -> time < limit)) {
            for (int who = 0; who < slices.length; who++) {
                long begin = System.nanoTime();
                slices[who].run(effort.operations);
                spent.set(who, spent.get(who) + System.nanoTime() - begin);
            }
        }
        return checksums;
    }

    /** Exact: what this thread allocated, no other. */
    private long allocated(Slice slice) {
        if (!(ManagementFactory.getThreadMXBean() instanceof ThreadMXBean threads)) {
            throw new IllegalStateException("this JVM does not count allocations");
        }
        long before = threads.getCurrentThreadAllocatedBytes();
        for (int i = 0; i < effort.allocationSlices; i++) {
            slice.run(effort.operations);
        }
        return threads.getCurrentThreadAllocatedBytes() - before;
    }

    static double median(double[] values) {
        double[] sorted = values.clone();
        Arrays.sort(sorted);
        int middle = sorted.length / 2;
        return sorted.length % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
    }
}
