package org.verbs4j.examples;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;

/** Where a device is in the machine: its NUMA node and its interrupts. */
final class PlacementChecks {
    private final Machine machine;

    PlacementChecks(Machine machine) {
        this.machine = machine;
    }

    List<Finding> of(String device) {
        String base = "/sys/class/infiniband/" + device + "/device";
        Optional<String> node = machine.read(base + "/numa_node");
        if (node.isEmpty()) {
            return List.of(
                    Finding.ok(device, "is software: no NUMA node and no interrupts of its own"));
        }
        List<Finding> findings = new ArrayList<>();
        findings.add(node(device, node.get(), base));
        interrupts(device, base).ifPresent(findings::add);
        return findings;
    }

    private Finding node(String device, String node, String base) {
        long nodes =
                machine.names("/sys/devices/system/node").stream()
                        .filter(name -> name.matches("node\\d+"))
                        .count();
        if (nodes <= 1 || node.equals("-1")) {
            return Finding.ok(device, "the machine has one NUMA node");
        }
        String local = machine.read(base + "/local_cpulist").orElse("");
        String allowed = machine.value("/proc/self/status", "Cpus_allowed_list").orElse("");
        String found =
                "is on NUMA node %s (processors %s), this process may run on processors %s"
                        .formatted(node, local, allowed);
        return local.equals(allowed)
                ? Finding.ok(device, found)
                : Finding.note(
                        device,
                        found,
                        "numactl --cpunodebind=%s --membind=%s".formatted(node, node));
    }

    private Optional<Finding> interrupts(String device, String base) {
        List<String> numbers = machine.names(base + "/msi_irqs");
        Set<String> places = new TreeSet<>();
        for (String number : numbers) {
            machine.read("/proc/irq/" + number + "/effective_affinity_list").ifPresent(places::add);
        }
        if (places.isEmpty()) {
            return Optional.empty();
        }
        String found =
                "%d interrupts, on processors %s"
                        .formatted(numbers.size(), String.join(", ", places));
        return Optional.of(
                numbers.size() > 1 && places.size() == 1
                        ? Finding.warning(
                                device,
                                found,
                                "spread them: irqbalance, or /proc/irq/N/smp_affinity_list")
                        : Finding.ok(device, found));
    }
}
