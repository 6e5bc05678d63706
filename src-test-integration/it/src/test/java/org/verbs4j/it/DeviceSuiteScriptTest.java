package org.verbs4j.it;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/** A signal to {@code run-device-suite} alone, not to its process group, leaves nothing running. */
@Timeout(value = 1, unit = TimeUnit.MINUTES)
class DeviceSuiteScriptTest {
    private static final Duration LIMIT = Duration.ofSeconds(20);

    /** In the place of the launcher: says its number and stays. */
    private static final String STAYS =
            """
            #!/bin/bash
            echo $$ >"${0%/*}/started.$$"
            exec sleep 1000
            """;

    @ParameterizedTest
    @CsvSource({"TERM, 1", "INT, 1", "HUP, 1", "TERM, 2"})
    void aSignalEndsWhatWasStarted(String signal, String times, @TempDir Path root)
            throws Exception {
        Path it = Files.createDirectories(root.resolve("src-test-integration/it/target"));
        Files.createFile(it.resolve("class-path"));
        Path here = ToolRun.repository().resolve("src-test-integration");
        Path ground = Files.createDirectories(root.resolve("src-test-integration/rxe"));
        Files.copy(here.resolve("rxe/lib.sh"), ground.resolve("lib.sh"));
        Path script = it.resolveSibling("run-device-suite");
        Files.copy(here.resolve("it/run-device-suite"), script);
        Path launcher = Files.writeString(root.resolve("verbs"), STAYS);
        for (Path executable : List.of(script, launcher)) {
            Files.setPosixFilePermissions(executable, PosixFilePermissions.fromString("rwxr-xr-x"));
        }
        // A shell cannot trap what it was started to ignore, such as by nohup.
        Process suite =
                new ProcessBuilder(
                                "env",
                                "--default-signal=INT,HUP",
                                script.toString(),
                                "--engines",
                                "uml",
                                "--times",
                                times)
                        .redirectErrorStream(true)
                        .redirectOutput(root.resolve("out").toFile())
                        .start();
        List<ProcessHandle> started = List.of();
        try {
            int expected = processors() > 1 ? 2 : 1;
            long end = System.nanoTime() + LIMIT.toNanos();
            while (started.size() < expected) {
                assertThat(suite.isAlive()).as(Files.readString(root.resolve("out"))).isTrue();
                assertThat(System.nanoTime() - end).isNegative();
                Thread.sleep(20);
                started = started(root);
            }
            Process kill =
                    new ProcessBuilder("kill", "-" + signal, String.valueOf(suite.pid())).start();
            assertThat(kill.waitFor()).isZero();
            assertThat(suite.waitFor(LIMIT.toSeconds(), TimeUnit.SECONDS)).isTrue();
            assertThat(suite.exitValue()).isGreaterThan(128);
            for (ProcessHandle each : started) {
                each.onExit().get(LIMIT.toSeconds(), TimeUnit.SECONDS);
            }
        } finally {
            suite.destroyForcibly();
            started.forEach(ProcessHandle::destroyForcibly);
        }
    }

    /** With a second processor, the suite runs a part of itself beside the others. */
    private static int processors() throws IOException {
        Process nproc = new ProcessBuilder("nproc").start();
        return Integer.parseInt(nproc.inputReader().readLine());
    }

    private static List<ProcessHandle> started(Path root) throws IOException {
        try (Stream<Path> files = Files.list(root)) {
            return files.map(Path::getFileName)
                    .map(Path::toString)
                    .filter(name -> name.startsWith("started."))
                    .map(name -> Long.parseLong(name.substring("started.".length())))
                    .flatMap(pid -> ProcessHandle.of(pid).stream())
                    .toList();
        }
    }
}
