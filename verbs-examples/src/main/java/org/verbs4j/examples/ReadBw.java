package org.verbs4j.examples;

import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** {@code ib_read_bw} of perftest 4.5: its flags, its output, and either side of its exchange. */
@Command(
        name = "read-bw",
        mixinStandardHelpOptions = true,
        versionProvider = Main.Version.class,
        modelTransformer = PerfOptions.Fit.class,
        sortOptions = false,
        description = "Measures the bandwidth of RDMA READ, as ib_read_bw does.")
final class ReadBw extends PerfTool {
    @Mixin private final PerfOptions options = new PerfOptions(PerfVerb.READ, true);

    @Override
    PerfOptions options() {
        return options;
    }
}
