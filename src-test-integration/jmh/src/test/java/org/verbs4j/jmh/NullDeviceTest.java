package org.verbs4j.jmh;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;

/** What needs a JVM of its own on the null device. */
class NullDeviceTest {
    @TempDir Path directory;

    private final NativeParts parts = NativeParts.build();

    @Test
    void fewShapesOfForeignCallsAreLinkedBeforeTheFirstCompletion() throws IOException {
        long shapes =
                StartUp.shapes(
                        new JavaProcess().onNullDevice(parts), directory.resolve("classes.log"));

        assertThat(shapes).isBetween(1L, (long) StartUp.MAX_SHAPES);
    }

    /** One short duel for each operation: the checksums of all contenders are compared in it. */
    @Test
    void everyContenderOfEveryOperationDoesTheWork() throws IOException {
        Path result = directory.resolve("result.json");
        List<String> command =
                new JavaProcess()
                        .onNullDevice(parts)
                        .command(
                                NullDuels.class,
                                parts.directory().toString(),
                                result.toString(),
                                "smoke",
                                "1");

        JavaProcess.run(command);

        assertThat(result).content().contains(Operation.BATCH_32.name(), Contender.JNI.name());
    }
}
