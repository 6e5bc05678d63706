package org.verbs4j.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.DisabledIfEnvironmentVariable;
import org.verbs4j.cm.ConnectionException;
import org.verbs4j.cm.EventChannel;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.TimeUnit;

/**
 * What is wrong with the machine is said. Only in guests, which belong to the tests: here the
 * device node is moved away for a moment.
 */
@Timeout(value = 3, unit = TimeUnit.MINUTES)
@DisabledIfEnvironmentVariable(named = "VERBS4J_ENGINE", matches = "host")
class CmDiagnosisIT {
    private static final Path NODE = Path.of("/dev/infiniband/rdma_cm");

    @Test
    void theMissingDeviceNodeIsNamed() throws Exception {
        try (EventChannel channel = EventChannel.open()) { // the library has begun
            assertThat(channel.fileDescriptor()).isNotNegative();
        }
        Path away = NODE.resolveSibling("moved-away");
        Files.move(NODE, away);
        try {
            assertThatThrownBy(EventChannel::open)
                    .isInstanceOfSatisfying(
                            ConnectionException.class,
                            e -> assertThat(e.verb()).isEqualTo("rdma_create_event_channel"))
                    .hasMessageContaining("/dev/infiniband/rdma_cm is missing")
                    .hasMessageContaining("rdma_ucm");
        } finally {
            Files.move(away, NODE);
        }
        EventChannel.open().close();
    }

    @Test
    void anotherNetworkNamespaceIsNamed() throws Exception {
        String address = CmPlace.addresses().getFirst().getHostAddress();
        try (ToolRun client =
                ToolRun.jarUnder(
                        new String[] {"unshare", "-n"}, "rping", "-c", "-a", address, "-C", "1")) {
            ToolRun.Outcome outcome = client.await(Duration.ofSeconds(60));
            assertThat(outcome.status()).as(outcome.err()).isEqualTo(1);
            assertThat(outcome.err())
                    .startsWith("rping: rdma_resolve_addr: ")
                    .contains(address)
                    .contains("is in another network namespace than this program");
        }
    }
}
