package org.verbs4j.it;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.verbs4j.examples.RemoteGreeting;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;

/** Our rdma-server and rdma-client and those of rdma-core, and the greeting of the README. */
class RdmaServerIT {
    private static final int GREETING_PORT = 18_516;
    private static final Duration LIMIT = Duration.ofSeconds(60);

    private static ToolRun start(String kind, String role, String address, String port) {
        return kind.equals("c")
                ? ToolRun.process(List.of("rdma_" + role, "-s", address, "-p", port))
                : ToolRun.inProcess("rdma-" + role, "-s", address, "-p", port);
    }

    @ParameterizedTest
    @CsvSource({"java, java", "c, java", "java, c"})
    void eachServesTheOther(String server, String client) throws Exception {
        String address = CmPlace.addresses().getFirst().getHostAddress();
        String port = String.valueOf(ThreadLocalRandom.current().nextInt(20_000, 60_000));
        try (ToolRun serving = start(server, "server", address, port)) {
            KernelObjects.awaitListener(Integer.parseInt(port));
            try (ToolRun asking = start(client, "client", address, port)) {
                assertThat(asking.await(LIMIT))
                        .isEqualTo(
                                new ToolRun.Outcome(
                                        0, "rdma_client: start\nrdma_client: end 0\n", ""));
                assertThat(serving.await(LIMIT))
                        .isEqualTo(
                                new ToolRun.Outcome(
                                        0, "rdma_server: start\nrdma_server: end 0\n", ""));
            }
        }
    }

    @Test
    void aClientWithoutServerSaysWhy() throws Exception {
        String address = CmPlace.addresses().getFirst().getHostAddress();
        try (ToolRun asking = start("java", "client", address, "7999")) {
            ToolRun.Outcome outcome = asking.await(LIMIT);
            assertThat(outcome.status()).isEqualTo(1);
            assertThat(outcome.out()).isEqualTo("rdma_client: start\nrdma_client: end -1\n");
            assertThat(outcome.err()).startsWith("rdma-client: ").contains("nobody listens");
        }
    }

    private static ToolRun greeting(String... arguments) {
        return ToolRun.program(RemoteGreeting.class, arguments);
    }

    @Test
    void theGreetingIsWrittenAndReadBack() throws Exception {
        String address = CmPlace.addresses().getFirst().getHostAddress();
        try (ToolRun serving = greeting("serve")) {
            KernelObjects.awaitListener(GREETING_PORT);
            try (ToolRun greeting = greeting("greet", address)) {
                ToolRun.Outcome greeted = greeting.await(LIMIT);
                assertThat(greeted.status()).as(greeted.err()).isZero();
                assertThat(greeted.out()).matches("read back: hello from \\d+\n");
                ToolRun.Outcome served = serving.await(LIMIT);
                assertThat(served.status()).as(served.err()).isZero();
                assertThat(served.out())
                        .isEqualTo(greeted.out().replace("read back", "left behind"));
            }
        }
    }
}
