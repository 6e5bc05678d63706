package org.verbs4j.examples;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

class ReadmeTest {
    @ParameterizedTest
    @CsvSource({"A program, Loopback", "Connecting by IP address, RemoteGreeting"})
    void theProgramInReadmeIsTheOneThatTheDeviceTestsRun(String heading, String program)
            throws IOException {
        Matcher readme =
                Pattern.compile("\n## " + heading + "\n.*?\n```java\n(.*?)```\n", Pattern.DOTALL)
                        .matcher(Files.readString(Path.of("../README.md")));

        assertThat(readme.find()).as("a java block under \"%s\"", heading).isTrue();
        assertThat(readme.group(1))
                .isEqualTo(
                        Files.readString(
                                Path.of(
                                        "src/main/java/org/verbs4j/examples/"
                                                + program
                                                + ".java")));
    }
}
