package org.verbs4j.jmh;

import org.verbs4j.Devices;
import org.verbs4j.WorkCompletions;
import org.verbs4j.Write;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * How long a JVM takes to its first completion, with and without an AOT cache, and how many shapes
 * of foreign calls it links on the way: each costs some 23 ms once.
 */
final class StartUp {
    /**
     * What was measured.
     *
     * @param millis wall time of a whole process by what it did, median of the runs
     * @param shapes foreign-call shapes linked from start to first completion
     * @param cacheBytes size of the AOT cache of the whole path
     */
    record Result(Map<String, Double> millis, long shapes, long cacheBytes, int runs) {}

    static final int MAX_SHAPES = 8;

    private static final String HELLO = "hello";
    private static final String PAIR = "pair";

    private final NativeParts parts;
    private final Path directory;

    private StartUp(NativeParts parts, Path directory) {
        this.parts = parts;
        this.directory = directory;
    }

    /**
     * The program that is measured: nothing, or open, register, connect, write, complete, close.
     */
    public static void main(String[] args) {
        if (args[0].equals(PAIR)) {
            firstCompletion();
        }
        System.out.println("hello");
    }

    private static void firstCompletion() {
        try (Loopback loopback = Loopback.open(Devices.first(), 8)) {
            WorkCompletions done = WorkCompletions.allocate(1);
            Write write =
                    loopback.pair()
                            .newWrite()
                            .id(1)
                            .from(loopback.region(), 0, 8)
                            .to(loopback.remote(), 0)
                            .signaled(true);
            loopback.pair().post(write);
            while (loopback.queue().poll(done) == 0) {
                Thread.onSpinWait();
            }
            done.get(0).requireSuccess();
        }
    }

    static Result measure(NativeParts parts, Path directory, int runs) throws IOException {
        return new StartUp(parts, Files.createDirectories(directory)).measure(runs);
    }

    private JavaProcess process() {
        return new JavaProcess().onNullDevice(parts);
    }

    private Result measure(int runs) throws IOException {
        Path helloCache = record(HELLO);
        Path pairCache = record(PAIR);
        Map<String, List<String>> commands = new LinkedHashMap<>();
        commands.put("bare JVM", process().command(StartUp.class, HELLO));
        commands.put("to first completion", process().command(StartUp.class, PAIR));
        commands.put(
                "bare JVM, AOT cache",
                process().option("-XX:AOTCache=" + helloCache).command(StartUp.class, HELLO));
        commands.put(
                "to first completion, AOT cache",
                process().option("-XX:AOTCache=" + pairCache).command(StartUp.class, PAIR));
        Map<String, List<Double>> times = new LinkedHashMap<>();
        for (int run = 0; run < runs; run++) {
            for (Map.Entry<String, List<String>> entry : commands.entrySet()) {
                long begin = System.nanoTime();
                JavaProcess.run(entry.getValue());
                times.computeIfAbsent(entry.getKey(), _ -> new ArrayList<>())
                        .add((System.nanoTime() - begin) / 1e6);
            }
        }
        Map<String, Double> medians = new LinkedHashMap<>();
        times.forEach(
                (name, all) ->
                        medians.put(
                                name,
                                Duel.median(
                                        all.stream().mapToDouble(Double::doubleValue).toArray())));
        return new Result(medians, shapes(), Files.size(pairCache), runs);
    }

    /** Trains and assembles a cache in one step, as JDK 25 can. */
    private Path record(String what) throws IOException {
        Path cache = directory.resolve(what + ".aot");
        JavaProcess.run(
                process().option("-XX:AOTCacheOutput=" + cache).command(StartUp.class, what));
        return cache;
    }

    long shapes() throws IOException {
        return shapes(process(), directory.resolve("classes.log"));
    }

    /** The linker spins one hidden class for each shape; the log of loaded classes has them. */
    static long shapes(JavaProcess process, Path log) throws IOException {
        JavaProcess.run(
                process.option("-Xlog:class+load:file=" + log).command(StartUp.class, PAIR));
        try (var lines = Files.lines(log)) {
            return lines.filter(line -> line.contains("jdk.internal.foreign.abi.DowncallStub/"))
                    .count();
        }
    }
}
