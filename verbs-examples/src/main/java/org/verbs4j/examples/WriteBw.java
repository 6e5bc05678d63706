package org.verbs4j.examples;

import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** {@code ib_write_bw} of perftest 4.5: its flags, its output, and either side of its exchange. */
@Command(
        name = "write-bw",
        mixinStandardHelpOptions = true,
        versionProvider = Main.Version.class,
        modelTransformer = PerfOptions.Fit.class,
        sortOptions = false,
        description = "Measures the bandwidth of RDMA WRITE, as ib_write_bw does.")
final class WriteBw extends PerfTool {
    @Mixin private final PerfOptions options = new PerfOptions(PerfVerb.WRITE, true);

    @Override
    PerfOptions options() {
        return options;
    }
}
