package org.verbs4j.examples;

import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/**
 * {@code ib_atomic_lat} of perftest 4.5: its flags, its output, and either side of its exchange.
 */
@Command(
        name = "atomic-lat",
        mixinStandardHelpOptions = true,
        versionProvider = Main.Version.class,
        modelTransformer = PerfOptions.Fit.class,
        sortOptions = false,
        description = "Measures the latency of atomics, as ib_atomic_lat does.")
final class AtomicLat extends PerfTool {
    @Mixin private final PerfOptions options = new PerfOptions(PerfVerb.ATOMIC, false);

    @Override
    PerfOptions options() {
        return options;
    }
}
