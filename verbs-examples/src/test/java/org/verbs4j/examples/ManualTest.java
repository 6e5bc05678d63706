package org.verbs4j.examples;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;

class ManualTest {
    private static final Path DOCS = Path.of("../docs/tools");

    @Test
    void thePagesInDocsAreThoseOfTheCode() throws IOException {
        Map<String, String> written = new TreeMap<>();
        try (Stream<Path> files = Files.list(DOCS)) {
            for (Path file : files.toList()) {
                written.put(file.getFileName().toString(), Files.readString(file));
            }
        }
        assertThat(written).as("stale: run `./verbs manual docs/tools`").isEqualTo(Manual.pages());
    }

    @Test
    void everyToolHasAPageWithAllItsOptions() {
        assertThat(Manual.pages().get("uc-pingpong.md"))
                .contains("--port=<port>", "--mtu=<size>", "--gid-idx", "## EXIT STATUS");
        assertThat(Manual.pages()).doesNotContainKey("manual.md").containsKey("README.md");
    }
}
