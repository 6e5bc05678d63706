package org.verbs4j.it;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.verbs4j.Access;
import org.verbs4j.DeviceContext;
import org.verbs4j.Devices;
import org.verbs4j.MemoryRegion;
import org.verbs4j.ProtectionDomain;
import org.verbs4j.RemoteBuffer;
import org.verbs4j.VerbsException;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;

/**
 * What one process has made is used by another, {@code ibv_import_device(3)} and its kin, on a
 * device of the tests' own: soft-RoCE has none of it.
 */
class ImportedContextTest {
    private static final Duration LIMIT = Duration.ofSeconds(30);
    private static final int SIZE = 8192;

    /** Makes a domain and a region, says what they are, and keeps them until a file is there. */
    static final class Exporter {
        private Exporter() {}

        public static void main(String[] args) throws InterruptedException {
            try (DeviceContext context = Devices.first().open();
                    ProtectionDomain domain = context.newProtectionDomain();
                    MemoryRegion region = domain.allocate(SIZE, Access.LOCAL_WRITE)) {
                System.out.printf(
                        "%d %d %d %d %d %d.%n",
                        ProcessHandle.current().pid(),
                        context.commandFileDescriptor(),
                        domain.kernelHandle(),
                        region.kernelHandle(),
                        region.address(),
                        region.rkey());
                Waits.until("the end", () -> Files.exists(Path.of(args[0])));
            }
        }
    }

    /** Imports all that by the descriptor that it was started with, and says what came. */
    static final class Importer {
        private Importer() {}

        public static void main(String[] args) {
            try (DeviceContext context = Devices.importContext(Integer.parseInt(args[0]));
                    ProtectionDomain domain =
                            context.importProtectionDomain(Integer.parseInt(args[1]));
                    MemoryRegion region =
                            domain.importMemoryRegion(
                                    Integer.parseInt(args[2]), Long.parseLong(args[3]));
                    ProtectionDomain own = context.newProtectionDomain()) {
                System.out.println(context.device().name() + " of " + context.ports().size());
                System.out.println(domain.kernelHandle() + ", own " + own.kernelHandle());
                System.out.println(region.remote());
                say(() -> context.importProtectionDomain(99));
                say(() -> domain.importMemoryRegion(99, 0));
                say(() -> Devices.importContext(0));
            }
        }

        private static void say(Runnable refused) {
            try {
                refused.run();
            } catch (VerbsException e) {
                System.out.println(e.getMessage());
            }
        }
    }

    @Test
    void anotherProcessUsesWhatOneHasMadeAndLeavesIt(@TempDir Path shared, @TempDir Path other)
            throws InterruptedException {
        Fabric fabric = new Fabric(shared);
        Path end = other.resolve("end");
        String[] exporting = fabric.inDirectory(fabric.javaCommand(Exporter.class), end.toString());
        try (ToolRun exporter = ToolRun.process(List.of(exporting))) {
            Waits.until("objects", () -> exporter.hasEnded() || exporter.outSoFar().contains("."));
            assertThat(exporter.hasEnded()).as("%s", exporter).isFalse();
            String[] made = exporter.outSoFar().strip().replace(".", "").split(" ", -1);
            assertThat(fabric.living()).containsExactly("context-1", "mr-1", "pd-1");

            // As by SCM_RIGHTS: the descriptor is open in the new process from the beginning.
            String[] importing =
                    fabric.inDirectory(
                            List.of("bash", "-c", "exec 9<>/proc/$1/fd/$2; shift 2; exec \"$@\""),
                            "bash",
                            made[0],
                            made[1]);
            List<String> command =
                    Stream.of(
                                    List.of(importing),
                                    fabric.javaCommand(Importer.class),
                                    List.of("9", made[2], made[3], made[4]))
                            .flatMap(List::stream)
                            .toList();
            try (ToolRun importer = ToolRun.process(command)) {
                ToolRun.Outcome imported = importer.await(LIMIT);
                assertThat(imported.status()).as("%s", imported).isZero();
                assertThat(imported.out().lines())
                        .satisfiesExactly(
                                line -> assertThat(line).isEqualTo("null0 of 1"),
                                line -> assertThat(line).isEqualTo(made[2] + ", own 2"),
                                line ->
                                        assertThat(line)
                                                .isEqualTo(
                                                        new RemoteBuffer(
                                                                        Long.parseLong(made[4]),
                                                                        SIZE,
                                                                        Integer.parseInt(made[5]))
                                                                .toString()),
                                line ->
                                        assertThat(line)
                                                .startsWith("ibv_import_pd: ENOENT")
                                                .contains("no protection domain with the kernel's"),
                                line ->
                                        assertThat(line)
                                                .startsWith("ibv_import_mr: ENOENT")
                                                .contains("no region with the kernel's number 99"),
                                line ->
                                        assertThat(line)
                                                .startsWith("ibv_import_device: EINVAL")
                                                .contains("with file descriptor 0"));
            }
            assertThat(fabric.living()).containsExactly("context-1", "mr-1", "pd-1");

            assertThat(end.toFile().mkdir()).isTrue();
            assertThat(exporter.await(LIMIT).status()).isZero();
            assertThat(fabric.living()).as("not destroyed").isEmpty();
        }
    }
}
