package org.verbs4j.jmh;

import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.annotations.Warmup;
import org.verbs4j.Access;
import org.verbs4j.Devices;
import org.verbs4j.MemoryRegion;
import org.verbs4j.RcQueuePair;

import java.util.concurrent.TimeUnit;

/**
 * Control verbs on the first verbs device: {@code ./verbs on-rxe -- ./verbs bench jmh
 * DeviceBenchmark}.
 */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.MICROSECONDS)
@Fork(1)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 5, time = 1)
public class DeviceBenchmark {
    /** Bytes to register. */
    @Param({"4096", "1048576"})
    public int length = 4096;

    private @org.jspecify.annotations.Nullable Loopback loopback;

    /** Opens the device. */
    @Setup(Level.Trial)
    public void open() {
        loopback = Loopback.open(Devices.first(), length);
    }

    private Loopback loopback() {
        Loopback opened = loopback;
        if (opened == null) {
            throw new IllegalStateException("not opened");
        }
        return opened;
    }

    /** Registers memory that is there already, and deregisters it. */
    @Benchmark
    public int register() {
        Loopback opened = loopback();
        try (MemoryRegion region =
                opened.domain()
                        .register(
                                opened.region().segment().asSlice(0, length), Access.LOCAL_WRITE)) {
            return region.lkey();
        }
    }

    /** A reliable queue pair from nothing to connected, and its end. */
    @Benchmark
    public int connect() {
        Loopback opened = loopback();
        try (RcQueuePair pair =
                opened.domain().newRcQueuePair(opened.queue(), opened.queue()).build()) {
            pair.connect(pair.endpoint());
            return pair.number();
        }
    }

    /** Closes the device. */
    @TearDown(Level.Trial)
    public void close() {
        loopback().close();
    }
}
