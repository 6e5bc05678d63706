package org.verbs4j.examples;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

class ReadmeTest {
    private static final Pattern PROGRAM =
            Pattern.compile("\n## A program\n.*?\n```java\n(.*?)```\n", Pattern.DOTALL);

    @Test
    void theProgramInReadmeIsTheOneThatTheDeviceTestsRun() throws IOException {
        Matcher readme = PROGRAM.matcher(Files.readString(Path.of("../README.md")));

        assertThat(readme.find()).as("a java block under \"A program\"").isTrue();
        assertThat(readme.group(1))
                .isEqualTo(
                        Files.readString(
                                Path.of("src/main/java/org/verbs4j/examples/Loopback.java")));
    }
}
