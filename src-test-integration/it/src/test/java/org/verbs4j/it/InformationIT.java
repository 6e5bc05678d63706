package org.verbs4j.it;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.verbs4j.Device;
import org.verbs4j.Devices;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** What our information tools say is what the C tools say, byte for byte. */
class InformationIT {
    private static final Duration LIMIT = Duration.ofSeconds(30);

    private static List<String> words(String line) {
        String filled =
                line.replace("FIRST", Devices.first().name())
                        .replace("LAST", Devices.list().getLast().name());
        return filled.isEmpty() ? List.of() : Arrays.asList(filled.split(" "));
    }

    private static ToolRun.Outcome java(String tool, List<String> args)
            throws InterruptedException {
        List<String> all = new ArrayList<>(List.of(tool));
        all.addAll(args);
        try (ToolRun run = ToolRun.inProcess(all.toArray(String[]::new))) {
            return run.await(LIMIT);
        }
    }

    private static ToolRun.Outcome c(String tool, List<String> args) throws InterruptedException {
        List<String> all = new ArrayList<>(List.of("/usr/bin/ibv_" + tool));
        all.addAll(args);
        try (ToolRun run = ToolRun.process(all)) {
            return run.await(LIMIT);
        }
    }

    private static void assertSame(String tool, String line) throws InterruptedException {
        ToolRun.Outcome java = java(tool, words(line));
        ToolRun.Outcome c = c(tool, words(line));
        assertThat(java.out()).isEqualTo(c.out()).isNotEmpty();
        assertThat(java.err()).isEqualTo(c.err()).isEmpty();
        assertThat(java.status()).isEqualTo(c.status()).isZero();
    }

    @Test
    void devicesAreListedAlike() throws InterruptedException {
        assertSame("devices", "");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "-v",
                "-l",
                "-d FIRST",
                "-d LAST",
                "-i 1",
                "-d LAST -i 1",
                "-d FIRST -v",
                "-d LAST -v -i 1",
                "-v -i 0x1",
                "-v -l",
                "-l -d FIRST",
                "--list",
                "--verbose",
                "--ib-dev=LAST --ib-port=1 --verbose",
                "-vdLAST",
            })
    void devicesAreDescribedAlike(String line) throws InterruptedException {
        assertSame("devinfo", line);
    }

    /** The sentence is ours, what stands on standard output is the same. */
    @ParameterizedTest
    @ValueSource(strings = {"-d rxe9", "-i 9", "-d FIRST -i 9", "-d rxe9 -v"})
    void whatThereIsNotFailsInBoth(String line) throws InterruptedException {
        ToolRun.Outcome java = java("devinfo", words(line));
        ToolRun.Outcome c = c("devinfo", words(line));
        assertThat(java.out()).isEqualTo(c.out()).isEmpty();
        assertThat(java.status()).isEqualTo(1);
        assertThat(c.status()).isNotZero();
        assertThat(java.err()).startsWith("devinfo: no ");
        assertThat(java.err().lines()).hasSize(1);
    }

    /** The number of a file descriptor is each process's own. */
    private static String withoutDescriptor(String out) {
        return out.replaceFirst("FD \\d+", "FD");
    }

    @Test
    void eventsAreToldAlike() throws Exception {
        try (SpareDevice spare = SpareDevice.make();
                ToolRun c =
                        ToolRun.process(List.of("/usr/bin/ibv_asyncwatch", "-d", spare.name()));
                ToolRun java = ToolRun.inProcess("asyncwatch", "-d", spare.name())) {
            awaitLines(c, 1);
            awaitLines(java, 1);
            spare.ip("link", "set", spare.netdev(), "down");
            spare.ip("link", "set", spare.netdev(), "up");
            spare.ip("addr", "add", "10.79.0.9/24", "dev", spare.netdev());
            awaitLine(c, "IBV_EVENT_GID_CHANGE");
            awaitLines(java, lines(c));
            assertThat(withoutDescriptor(java.outSoFar()))
                    .isEqualTo(withoutDescriptor(c.outSoFar()))
                    .contains("IBV_EVENT_PORT_ERR (10), port 1\n", "IBV_EVENT_PORT_ACTIVE (9)");
        }
    }

    @Test
    void aWatchOfNoDeviceFails() throws InterruptedException {
        ToolRun.Outcome java = java("asyncwatch", List.of("-d", "rxe9"));
        assertThat(java.status()).isEqualTo(1);
        assertThat(java.err()).startsWith("asyncwatch: no device rxe9, there is: ");
    }

    @Test
    void aWatchIsOfTheFirstDevice() throws Exception {
        Device first = Devices.first();
        try (ToolRun java = ToolRun.inProcess("asyncwatch")) {
            awaitLines(java, 1);
            assertThat(java.outSoFar()).startsWith(first.name() + ": async event FD ");
        }
    }

    private static int lines(ToolRun tool) {
        return (int) tool.outSoFar().lines().count();
    }

    private static void awaitLine(ToolRun tool, String part) throws InterruptedException {
        long deadline = System.nanoTime() + TestPlace.limit(LIMIT).toNanos();
        while (!tool.outSoFar().contains(part)) {
            assertThat(System.nanoTime()).as(tool.outSoFar()).isLessThan(deadline);
            Thread.sleep(20);
        }
        Thread.sleep(TestPlace.limit(Duration.ofMillis(100)).toMillis()); // what else there is
    }

    private static void awaitLines(ToolRun tool, int count) throws InterruptedException {
        long deadline = System.nanoTime() + TestPlace.limit(LIMIT).toNanos();
        while (lines(tool) < count) {
            assertThat(System.nanoTime()).as(tool.outSoFar()).isLessThan(deadline);
            Thread.sleep(20);
        }
    }
}
