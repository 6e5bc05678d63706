package org.verbs4j.examples;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.verbs4j.Mtu;
import org.verbs4j.examples.Finding.Level;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.function.Function;

/** The doctor's checks on machines made of a few files. */
class DoctorChecksTest {
    @TempDir private Path root = Path.of("");

    private void file(String name, String text) throws IOException {
        Path file = root.resolve(name.substring(1));
        Files.createDirectories(file.getParent());
        Files.writeString(file, text);
    }

    private Machine machine(Function<List<String>, List<String>> programs) {
        return new Machine(root, programs);
    }

    private Machine machine() {
        return machine(_ -> List.of());
    }

    private Finding finding(String check, String part) {
        return only(new MachineChecks(machine()).all(), check, part);
    }

    private static Finding only(List<Finding> findings, String check, String part) {
        return findings.stream()
                .filter(each -> each.check().equals(check) && each.found().contains(part))
                .findFirst()
                .orElseThrow(() -> new AssertionError("no " + check + " in " + findings));
    }

    @Test
    void modulesThatAreMissingBlock() {
        assertThat(finding("kernel", "ib_uverbs").level()).isEqualTo(Level.BLOCKS);
        assertThat(finding("kernel", "ib_uverbs").advice()).contains("modprobe ib_uverbs");
        assertThat(finding("kernel", "rdma_ucm").level()).isEqualTo(Level.WARNING);
    }

    @Test
    void modulesThatAreThereAreFine() throws IOException {
        file("/sys/class/infiniband_verbs/abi_version", "6\n");
        file("/sys/class/misc/rdma_cm/dev", "10:58\n");
        assertThat(finding("kernel", "ib_uverbs is there, ABI 6").level()).isEqualTo(Level.OK);
        assertThat(finding("kernel", "rdma_ucm is there").level()).isEqualTo(Level.OK);
    }

    @Test
    void aDeviceWithoutItsFileBlocks() throws IOException {
        file("/sys/class/infiniband_verbs/uverbs0/ibdev", "mlx5_0");
        assertThat(finding("device file", "/dev/infiniband/uverbs0 is not there").level())
                .isEqualTo(Level.BLOCKS);
        file("/dev/infiniband/uverbs0", "");
        assertThat(finding("device file", "can be opened").level()).isEqualTo(Level.OK);
    }

    @ParameterizedTest
    @CsvSource({
        "unlimited, OK, is not limited",
        "65536, BLOCKS, limited to 64 KiB",
        "8388608, WARNING, limited to 8192 KiB",
        "4294967296, OK, limited to 4194304 KiB",
    })
    void lockedMemoryMustBeEnough(String limit, Level level, String found) throws IOException {
        file(
                "/proc/self/limits",
                """
                Limit                     Soft Limit           Hard Limit           Units
                Max locked memory         %s              %s              bytes
                """
                        .formatted(limit, limit));
        file("/proc/self/status", "Name:\tjava\nCapEff:\t0000000000000000\n");
        assertThat(finding("memlock", found).level()).isEqualTo(level);
    }

    @Test
    void whoMayLockMemoryIsNotLimited() throws IOException {
        file("/proc/self/limits", "Max locked memory         65536      65536      bytes\n");
        file("/proc/self/status", "CapEff:\t0000000000004000\n");
        assertThat(finding("memlock", "is not limited").level()).isEqualTo(Level.OK);
    }

    @Test
    void hugePagesAndGovernorsAreAdviceOnly() throws IOException {
        file("/proc/meminfo", "HugePages_Free:        0\nHugepagesize:       2048 kB\n");
        file("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor", "powersave\n");
        file("/sys/devices/system/cpu/cpu1/cpufreq/scaling_governor", "performance\n");
        assertThat(finding("huge pages", "none of 2048 kB is free").level()).isEqualTo(Level.NOTE);
        assertThat(finding("processor", "performance, powersave").level()).isEqualTo(Level.NOTE);
        file("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor", "performance\n");
        file("/proc/meminfo", "HugePages_Free:        7\nHugepagesize:       2048 kB\n");
        assertThat(finding("processor", "is performance").level()).isEqualTo(Level.OK);
        assertThat(finding("huge pages", "7 of 2048 kB are free").level()).isEqualTo(Level.OK);
    }

    @Test
    void theLimitsOfAContainerAreShown() throws IOException {
        file("/.dockerenv", "");
        file("/proc/self/cgroup", "0::/pod\n");
        file("/sys/fs/cgroup/pod/rdma.max", "mlx5_0 hca_handle=2 hca_object=max\n");
        file("/sys/fs/cgroup/pod/memory.max", "1073741824\n");
        assertThat(finding("container", "this is one").level()).isEqualTo(Level.OK);
        assertThat(finding("container", "mlx5_0 hca_handle=2").level()).isEqualTo(Level.WARNING);
        assertThat(finding("container", "limited to 1024 MiB").level()).isEqualTo(Level.NOTE);
    }

    @Test
    void aFirewallThatDropsWithoutNamingThePortIsAWarning() {
        Function<List<String>, List<String>> closed =
                command ->
                        command.getFirst().equals("nft")
                                ? List.of("type filter hook input priority filter; policy drop;")
                                : List.of();
        assertThat(only(new NetworkChecks(machine(closed)).all(), "firewall", "dropped").level())
                .isEqualTo(Level.WARNING);
        assertThat(
                        only(
                                        new NetworkChecks(
                                                        machine(
                                                                _ ->
                                                                        List.of(
                                                                                ":INPUT DROP",
                                                                                "-A INPUT -p udp"
                                                                                    + " --dport"
                                                                                    + " 4791 -j"
                                                                                    + " ACCEPT")))
                                                .all(),
                                        "firewall",
                                        "4791")
                                .level())
                .isEqualTo(Level.OK);
        assertThat(only(new NetworkChecks(machine()).all(), "firewall", "only root").level())
                .isEqualTo(Level.OK);
    }

    @Test
    void softRocesSocketIsSeen() throws IOException {
        file(
                "/proc/net/udp",
                """
                   sl  local_address rem_address
                  123: 00000000:12B7 00000000:0000 07 00000000:00000000
                """);
        assertThat(only(new NetworkChecks(machine()).all(), "port 4791", "a socket").level())
                .isEqualTo(Level.OK);
    }

    @Test
    void countersOfTroubleAreShown() throws IOException {
        file("/sys/class/infiniband/mlx5_0/ports/1/hw_counters/out_of_sequence", "17\n");
        file("/sys/class/infiniband/mlx5_0/ports/1/hw_counters/rx_write_requests", "99\n");
        file("/sys/class/infiniband/mlx5_0/ports/1/counters/port_rcv_errors", "0\n");
        Machine machine =
                machine(
                        _ ->
                                List.of(
                                        "NIC statistics:",
                                        "     rx_prio3_pause: 5",
                                        "     rx_bytes: 9"));
        Finding finding = new CounterChecks(machine).of("mlx5_0", 1, List.of("eth0")).getFirst();
        assertThat(finding.level()).isEqualTo(Level.NOTE);
        assertThat(finding.found()).endsWith("device is up: out_of_sequence 17, rx_prio3_pause 5");
        file("/sys/class/infiniband/mlx5_0/ports/1/hw_counters/rnr_nak_retry_err", "3\n");
        assertThat(new CounterChecks(machine()).of("mlx5_0", 1, List.of()).getFirst().found())
                .endsWith("device is up: out_of_sequence 17, rnr_nak_retry_err 3");
    }

    @Test
    void placementIsThatOfTheDevice() throws IOException {
        PlacementChecks checks = new PlacementChecks(machine());
        assertThat(checks.of("rxe0").getFirst().found()).contains("software");
        String device = "/sys/class/infiniband/mlx5_0/device";
        file(device + "/numa_node", "1\n");
        file(device + "/local_cpulist", "16-31\n");
        file(device + "/msi_irqs/45", "msix");
        file(device + "/msi_irqs/46", "msix");
        file("/proc/irq/45/effective_affinity_list", "0\n");
        file("/proc/irq/46/effective_affinity_list", "0\n");
        file("/sys/devices/system/node/node0/cpulist", "0-15\n");
        file("/sys/devices/system/node/node1/cpulist", "16-31\n");
        file("/proc/self/status", "Cpus_allowed_list:\t0-31\n");
        List<Finding> findings = checks.of("mlx5_0");
        assertThat(findings.getFirst().advice()).isEqualTo("numactl --cpunodebind=1 --membind=1");
        assertThat(findings.getLast().level()).isEqualTo(Level.WARNING);
        file("/proc/irq/46/effective_affinity_list", "17\n");
        file("/proc/self/status", "Cpus_allowed_list:\t16-31\n");
        assertThat(checks.of("mlx5_0")).extracting(Finding::level).containsOnly(Level.OK);
    }

    @ParameterizedTest
    @CsvSource({
        "BYTES_1024, 1500, NOTE",
        "BYTES_4096, 9000, OK",
        "BYTES_1024, 9000, WARNING",
        "BYTES_2048, 4100, NOTE",
        "BYTES_2048, 4192, WARNING",
    })
    void theMtuOfTheInterfaceDecides(Mtu active, int netdevMtu, Level level) {
        Finding finding = DeviceChecks.mtu("rxe0/1", active, Mtu.BYTES_4096, "eth0", netdevMtu);
        assertThat(finding.level()).isEqualTo(level);
    }

    @Test
    void aFindingIsJson() {
        assertThat(Finding.note("a \"b\"", "c\\d\n", "").toJson())
                .isEqualTo(
                        "{\"level\":\"NOTE\",\"check\":\"a \\\"b\\\"\",\"found\":\"c\\\\d\\u000a\","
                                + "\"advice\":\"\"}");
    }

    @Test
    void aProgramThatIsNotThereSaysNothing() {
        assertThat(Machine.here().programs().apply(List.of("no-such-program"))).isEmpty();
        assertThat(Machine.here().programs().apply(List.of("false"))).isEmpty();
        assertThat(Machine.here().programs().apply(List.of("echo", "hello")))
                .containsExactly("hello");
    }
}
