package org.verbs4j.examples;

import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** {@code ib_atomic_bw} of perftest 4.5: its flags, its output, and either side of its exchange. */
@Command(
        name = "atomic-bw",
        mixinStandardHelpOptions = true,
        versionProvider = Main.Version.class,
        modelTransformer = PerfOptions.Fit.class,
        sortOptions = false,
        description = "Measures the bandwidth of atomics, as ib_atomic_bw does.")
final class AtomicBw extends PerfTool {
    @Mixin private final PerfOptions options = new PerfOptions(PerfVerb.ATOMIC, true);

    @Override
    PerfOptions options() {
        return options;
    }
}
