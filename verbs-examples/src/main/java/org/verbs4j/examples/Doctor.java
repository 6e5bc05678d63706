package org.verbs4j.examples;

import org.jspecify.annotations.Nullable;

import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;

/** Looks for what stands between this machine, or the way to another, and RDMA. */
@Command(
        name = "doctor",
        mixinStandardHelpOptions = true,
        versionProvider = Main.Version.class,
        sortOptions = false,
        description = {
            "Checks what stands between this machine and RDMA, and says what to do about each.",
            "With <host>, where `doctor --serve` or the C tools `ibv_rc_pingpong -g N` and `rping"
                    + " -s` wait, it also tries TCP, rdma_cm and an RC ping-pong, and names the"
                    + " layer that fails.",
            "Exit status 1 when something blocks."
        })
final class Doctor extends Tool {
    @Option(names = "--json", description = "print the findings as one JSON object")
    private boolean json;

    @Option(
            names = "--serve",
            description = "wait for one `doctor <host>` of another machine, then end")
    private boolean serve;

    @Parameters(
            arity = "0..1",
            paramLabel = "<host>",
            description = "try the way to <host> as well")
    private @Nullable String host;

    @Override
    void run() throws InterruptedException {
        if (serve) {
            PeerChecks.serve(this);
            return;
        }
        List<Finding> findings = new ArrayList<>();
        Machine machine = Machine.here();
        List<Finding> library = new LibraryChecks(machine).all();
        findings.addAll(library);
        findings.addAll(new MachineChecks(machine).all());
        if (!library.getFirst().isBlocking()) {
            findings.addAll(new DeviceChecks(machine).all());
        }
        findings.addAll(new NetworkChecks(machine).all());
        boolean healthy = findings.stream().noneMatch(Finding::isBlocking);
        if (host != null && healthy) {
            findings.addAll(PeerChecks.of(host));
        }
        report(findings);
        long blocking = findings.stream().filter(Finding::isBlocking).count();
        if (blocking > 0) {
            throw new ToolFailure(
                    blocking == 1 ? "1 finding blocks RDMA" : blocking + " findings block RDMA");
        }
    }

    private void report(List<Finding> findings) {
        if (json) {
            print(
                    findings.stream()
                            .map(Finding::toJson)
                            .collect(
                                    Collectors.joining(
                                            ",\n  ",
                                            "{\"blocked\":"
                                                    + findings.stream()
                                                            .anyMatch(Finding::isBlocking)
                                                    + ",\"findings\":[\n  ",
                                            "]}")));
            return;
        }
        for (Finding finding : findings) {
            print(line(finding.level().toString(), finding.check(), finding.found()));
            if (!finding.advice().isEmpty()) {
                print(line("", "", "-> " + finding.advice()));
            }
        }
    }

    private static String line(String level, String check, String text) {
        return String.format(Locale.ROOT, "%-8s %-13s %s", level, check, text);
    }
}
