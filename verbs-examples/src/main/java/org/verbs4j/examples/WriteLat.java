package org.verbs4j.examples;

import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** {@code ib_write_lat} of perftest 4.5: its flags, its output, and either side of its exchange. */
@Command(
        name = "write-lat",
        mixinStandardHelpOptions = true,
        versionProvider = Main.Version.class,
        modelTransformer = PerfOptions.Fit.class,
        sortOptions = false,
        description = "Measures the latency of RDMA WRITE, as ib_write_lat does.")
final class WriteLat extends PerfTool {
    @Mixin private final PerfOptions options = new PerfOptions(PerfVerb.WRITE, false);

    @Override
    PerfOptions options() {
        return options;
    }
}
