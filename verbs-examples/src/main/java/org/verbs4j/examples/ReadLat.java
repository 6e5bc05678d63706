package org.verbs4j.examples;

import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** {@code ib_read_lat} of perftest 4.5: its flags, its output, and either side of its exchange. */
@Command(
        name = "read-lat",
        mixinStandardHelpOptions = true,
        versionProvider = Main.Version.class,
        modelTransformer = PerfOptions.Fit.class,
        sortOptions = false,
        description = "Measures the latency of RDMA READ, as ib_read_lat does.")
final class ReadLat extends PerfTool {
    @Mixin private final PerfOptions options = new PerfOptions(PerfVerb.READ, false);

    @Override
    PerfOptions options() {
        return options;
    }
}
