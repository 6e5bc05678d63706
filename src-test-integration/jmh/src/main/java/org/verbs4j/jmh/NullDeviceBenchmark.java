package org.verbs4j.jmh;

import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OperationsPerInvocation;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.annotations.Warmup;
import org.verbs4j.Devices;

import java.lang.foreign.Arena;
import java.util.concurrent.TimeUnit;

/**
 * The operations of {@link Operation} on the null device by JMH: the level of each, in a JVM of its
 * own. For ratios use {@link Duel}: the forks of JMH do not take turns, and on a shared machine
 * they drift apart.
 */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Fork(1)
@Warmup(iterations = 4, time = 1)
@Measurement(iterations = 5, time = 1)
public class NullDeviceBenchmark {
    private static final int SLICE = 960;

    /** What is done. */
    @Param({
        "POST",
        "POLL_HIT",
        "POLL_EMPTY",
        "NOTIFY",
        "RECEIVE",
        "PAIR",
        "FULL_PAIR",
        "BATCH_4",
        "BATCH_16",
        "BATCH_32",
        "FILL",
        "READ"
    })
    public Operation operation = Operation.PAIR;

    /** Who does it. */
    @Param({"C", "API", "BINDINGS", "JNI"})
    public Contender contender = Contender.API;

    private final Arena arena = Arena.ofShared();
    private Closing closing = () -> {};
    private Slice slice = operations -> operations;

    /** Like AutoCloseable, without an exception. */
    private interface Closing {
        void close();
    }

    /** Opens the null device and makes the contender. */
    @Setup(Level.Trial)
    public void open() {
        NativeParts parts = NativeParts.build();
        System.setProperty("org.verbs4j.libibverbs", parts.nullDevice().toString());
        Loopback loopback =
                CallPolicy.CRITICAL.open(() -> Loopback.open(Devices.byName("null0"), 8));
        CTwin twin = new CTwin(parts.twins(), loopback);
        closing =
                () -> {
                    twin.close();
                    loopback.close();
                };
        new NullDevice(parts.nullDevice()).prepare(loopback, operation);
        JniVerbs.load(parts.jni());
        slice =
                switch (contender) {
                    case C -> twin.of(operation);
                    case BINDINGS -> new BindingsSlices(arena, loopback).of(operation);
                    case JNI ->
                            new JniSlices(arena, loopback)
                                    .of(operation)
                                    .orElse(operations -> operations);
                    default -> new ApiSlices(loopback).of(operation);
                };
    }

    /** One slice; the figure is for one operation. */
    @Benchmark
    @OperationsPerInvocation(SLICE)
    public long run() {
        return slice.run(SLICE);
    }

    /** Closes the device. */
    @TearDown(Level.Trial)
    public void close() {
        closing.close();
        arena.close();
    }
}
