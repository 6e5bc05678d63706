package org.verbs4j.it;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

import java.time.Duration;
import java.util.List;

/** README's program runs. That README shows it to the letter is a test of verbs-examples. */
class LoopbackIT {
    @Test
    void theProgramInReadmeRuns() throws InterruptedException {
        List<String> command =
                ToolRun.jvm(
                        "--enable-native-access=ALL-UNNAMED",
                        "-cp",
                        ToolRun.jarFile().toString(),
                        "org.verbs4j.examples.Loopback");
        try (ToolRun program = ToolRun.process(command)) {
            assertThat(program.await(Duration.ofSeconds(30)))
                    .isEqualTo(new ToolRun.Outcome(0, "hello from the left\n", ""));
        }
    }
}
