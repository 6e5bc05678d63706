package org.verbs4j.examples;

import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** {@code ib_send_lat} of perftest 4.5: its flags, its output, and either side of its exchange. */
@Command(
        name = "send-lat",
        mixinStandardHelpOptions = true,
        versionProvider = Main.Version.class,
        modelTransformer = PerfOptions.Fit.class,
        sortOptions = false,
        description = "Measures the latency of SEND, as ib_send_lat does.")
final class SendLat extends PerfTool {
    @Mixin private final PerfOptions options = new PerfOptions(PerfVerb.SEND, false);

    @Override
    PerfOptions options() {
        return options;
    }
}
