package org.verbs4j.examples;

import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** {@code ib_send_bw} of perftest 4.5: its flags, its output, and either side of its exchange. */
@Command(
        name = "send-bw",
        mixinStandardHelpOptions = true,
        versionProvider = Main.Version.class,
        modelTransformer = PerfOptions.Fit.class,
        sortOptions = false,
        description = "Measures the bandwidth of SEND, as ib_send_bw does.")
final class SendBw extends PerfTool {
    @Mixin private final PerfOptions options = new PerfOptions(PerfVerb.SEND, true);

    @Override
    PerfOptions options() {
        return options;
    }
}
