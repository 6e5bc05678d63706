package org.verbs4j.examples;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * What {@link Doctor} finds out from the kernel's files: limits, modules, processors, containers.
 */
final class MachineChecks {
    private static final long MEBIBYTE = 1 << 20;

    /** Less than this is gone with a few queues. */
    private static final long LEAST_LOCKED = MEBIBYTE;

    /** Less than this a program with buffers worth the name will meet. */
    private static final long COMFORTABLE_LOCKED = 1024 * MEBIBYTE;

    private static final int CAP_IPC_LOCK = 14;
    private static final Pattern SOFT_LIMIT = Pattern.compile("Max locked memory\\s+(\\S+).*");

    private final Machine machine;

    MachineChecks(Machine machine) {
        this.machine = machine;
    }

    List<Finding> all() {
        List<Finding> findings = new ArrayList<>();
        findings.add(verbsModule());
        findings.add(connectionModule());
        findings.addAll(deviceFiles());
        findings.add(lockedMemory());
        findings.add(hugePages());
        findings.add(governor());
        findings.addAll(container());
        return findings;
    }

    private Finding verbsModule() {
        Optional<String> version = machine.read("/sys/class/infiniband_verbs/abi_version");
        return version.isPresent()
                ? Finding.ok("kernel", "ib_uverbs is there, ABI " + version.get())
                : Finding.blocks(
                        "kernel",
                        "ib_uverbs is not loaded: programs cannot reach any RDMA device",
                        "modprobe ib_uverbs; in a container, on its host");
    }

    private Finding connectionModule() {
        return machine.exists("/sys/class/misc/rdma_cm")
                ? Finding.ok("kernel", "rdma_ucm is there: connections by IP address work")
                : Finding.warning(
                        "kernel",
                        "rdma_ucm is not loaded: connections by IP address (rdma_cm) fail",
                        "modprobe rdma_ucm; in a container, on its host");
    }

    /** What the kernel has, and what this process may open of it. */
    private List<Finding> deviceFiles() {
        List<Finding> findings = new ArrayList<>();
        for (String name : machine.names("/sys/class/infiniband_verbs")) {
            if (!name.startsWith("uverbs")) {
                continue;
            }
            String file = "/dev/infiniband/" + name;
            if (!machine.exists(file)) {
                findings.add(
                        Finding.blocks(
                                "device file",
                                file + " is not there, though the kernel has the device",
                                "in a container: --device " + file + "; else check udev"));
            } else if (!machine.isUsable(file)) {
                findings.add(
                        Finding.blocks(
                                "device file",
                                file + " may not be read and written by this user",
                                "rdma-core's udev rules give it to everybody (mode 0666)"));
            } else {
                findings.add(Finding.ok("device file", file + " can be opened"));
            }
        }
        return findings;
    }

    private Finding lockedMemory() {
        String limit =
                machine.lines("/proc/self/limits").stream()
                        .map(SOFT_LIMIT::matcher)
                        .filter(Matcher::matches)
                        .map(line -> line.group(1))
                        .findFirst()
                        .orElse("unlimited");
        if (limit.equals("unlimited") || maySurpassLimit()) {
            return Finding.ok("memlock", "locked memory is not limited");
        }
        long bytes = Long.parseUnsignedLong(limit);
        String found = "locked memory is limited to " + bytes / 1024 + " KiB";
        String advice =
                "ulimit -l unlimited, LimitMEMLOCK=infinity in a systemd unit, or docker run"
                        + " --ulimit memlock=-1";
        if (bytes < LEAST_LOCKED) {
            return Finding.blocks("memlock", found + ": few regions can be registered", advice);
        }
        return bytes < COMFORTABLE_LOCKED
                ? Finding.warning("memlock", found + ", which all regions together share", advice)
                : Finding.ok("memlock", found);
    }

    private boolean maySurpassLimit() {
        return machine.value("/proc/self/status", "CapEff")
                .map(mask -> (Long.parseUnsignedLong(mask, 16) >> CAP_IPC_LOCK & 1) != 0)
                .orElse(false);
    }

    private Finding hugePages() {
        String size = machine.value("/proc/meminfo", "Hugepagesize").orElse("");
        String free = machine.value("/proc/meminfo", "HugePages_Free").orElse("0");
        if (size.isEmpty()) {
            return Finding.note("huge pages", "this kernel has none", "");
        }
        return free.equals("0")
                ? Finding.note(
                        "huge pages",
                        "none of " + size + " is free",
                        "large regions register faster on them: sysctl vm.nr_hugepages=N")
                : Finding.ok("huge pages", free + " of " + size + " are free");
    }

    /** Whether the processor keeps its pace, without which times say little. */
    Finding governor() {
        Set<String> governors = new TreeSet<>();
        for (String name : machine.names("/sys/devices/system/cpu")) {
            machine.read("/sys/devices/system/cpu/" + name + "/cpufreq/scaling_governor")
                    .ifPresent(governors::add);
        }
        if (governors.isEmpty()) {
            return Finding.ok("processor", "no frequency governor, as in virtual machines");
        }
        return governors.equals(Set.of("performance"))
                ? Finding.ok("processor", "the frequency governor is performance")
                : Finding.note(
                        "processor",
                        "the frequency governor is " + String.join(", ", governors),
                        "latencies vary with the frequency: cpupower frequency-set -g performance");
    }

    private List<Finding> container() {
        List<Finding> findings = new ArrayList<>();
        boolean inside =
                machine.exists("/.dockerenv")
                        || machine.exists("/run/.containerenv")
                        || machine.read("/proc/1/cgroup")
                                .filter(text -> text.matches("(?s).*(docker|kubepods|lxc).*"))
                                .isPresent();
        findings.add(
                Finding.ok(
                        "container",
                        inside
                                ? "this is one: devices, modules and limits are its host's"
                                : "this is none, as far as one can see"));
        String group =
                "/sys/fs/cgroup" + machine.value("/proc/self/cgroup", "0:").orElse("").strip();
        for (String limit : machine.lines(group + "/rdma.max")) {
            if (limit.matches(".*=\\d+.*")) {
                findings.add(
                        Finding.warning(
                                "container",
                                "the control group limits RDMA objects: " + limit,
                                "raise rdma.max of " + group));
            }
        }
        machine.read(group + "/memory.max")
                .filter(limit -> !limit.equals("max"))
                .ifPresent(
                        limit ->
                                findings.add(
                                        Finding.note(
                                                "container",
                                                "memory is limited to "
                                                        + Long.parseLong(limit) / MEBIBYTE
                                                        + " MiB, registered memory included",
                                                "")));
        return findings;
    }
}
