package org.verbs4j.examples;

import java.util.ArrayList;
import java.util.List;

/** What stands in the way of RoCE v2, which is UDP to port 4791. */
final class NetworkChecks {
    private static final String PORT = "4791";

    private final Machine machine;

    NetworkChecks(Machine machine) {
        this.machine = machine;
    }

    List<Finding> all() {
        List<Finding> findings = new ArrayList<>();
        findings.add(socket());
        findings.add(firewall());
        return findings;
    }

    /** Soft-RoCE listens like any program; an adapter takes the packets before the kernel. */
    private Finding socket() {
        String hexadecimal = "%04X".formatted(Integer.parseInt(PORT));
        boolean taken =
                List.of("/proc/net/udp", "/proc/net/udp6").stream()
                        .flatMap(file -> machine.lines(file).stream())
                        .anyMatch(line -> line.matches(" *\\d+: \\w+:" + hexadecimal + " .*"));
        return Finding.ok(
                "port " + PORT,
                taken
                        ? "a socket of this machine listens to it, as soft-RoCE does"
                        : "no socket listens to it: soft-RoCE is not in use in this network"
                                + " namespace");
    }

    private Finding firewall() {
        List<String> rules = new ArrayList<>();
        rules.addAll(machine.programs().apply(List.of("nft", "list", "ruleset")));
        rules.addAll(machine.programs().apply(List.of("iptables-save")));
        if (rules.isEmpty()) {
            return Finding.ok("firewall", "no rules to be seen; only root sees them");
        }
        boolean closed =
                rules.stream()
                        .anyMatch(
                                rule ->
                                        rule.startsWith(":INPUT DROP")
                                                || (rule.contains("hook input")
                                                        && rule.contains("policy drop")));
        boolean named = rules.stream().anyMatch(rule -> rule.contains(PORT));
        if (closed && !named) {
            return Finding.warning(
                    "firewall",
                    "incoming packets are dropped by default, and no rule names UDP " + PORT,
                    "nft add rule inet filter input udp dport "
                            + PORT
                            + " accept; soft-RoCE needs it, adapters mostly do not");
        }
        return Finding.ok(
                "firewall", named ? "a rule names UDP " + PORT : "packets are let in by default");
    }
}
