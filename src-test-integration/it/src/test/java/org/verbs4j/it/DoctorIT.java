package org.verbs4j.it;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.verbs4j.Device;
import org.verbs4j.DeviceContext;
import org.verbs4j.Devices;

import java.time.Duration;

/** The doctor on a machine where RDMA works, and on the way to one. */
class DoctorIT {
    private static final Duration LIMIT = Duration.ofSeconds(60);

    private static ToolRun.Outcome doctor(String... args) throws InterruptedException {
        String[] all = new String[args.length + 1];
        all[0] = "doctor";
        System.arraycopy(args, 0, all, 1, args.length);
        try (ToolRun run = ToolRun.inProcess(all)) {
            return run.await(LIMIT);
        }
    }

    @Test
    void whereRdmaWorksNothingBlocks() throws InterruptedException {
        ToolRun.Outcome outcome = doctor();
        assertThat(outcome.err()).isEmpty();
        assertThat(outcome.status()).isZero();
        assertThat(outcome.out()).contains("libibverbs of rdma-core ").doesNotContain("BLOCKS");
        for (Device device : Devices.list()) {
            try (DeviceContext context = device.open()) {
                assertThat(outcome.out())
                        .contains(device.name() + "/1")
                        .contains(
                                "GID %d is chosen by default"
                                        .formatted(
                                                context.port(1)
                                                        .routableGid()
                                                        .orElseThrow()
                                                        .index()));
            }
        }
    }

    @Test
    void theSameIsSaidInJson() throws InterruptedException {
        ToolRun.Outcome outcome = doctor("--json");
        assertThat(outcome.status()).isZero();
        assertThat(outcome.out().strip())
                .startsWith("{\"blocked\":false,\"findings\":[")
                .endsWith("]}")
                .contains("{\"level\":\"OK\",\"check\":\"library\",");
    }

    @Test
    void theWayToAPeerIsTriedLayerByLayer() throws Exception {
        String host = CmPlace.addresses().getFirst().getHostAddress();
        try (ToolRun server = ToolRun.jar("doctor", "--serve")) {
            TcpPorts.awaitListening(18515, server);
            KernelObjects.awaitListener(7174); // that of its rping
            ToolRun.Outcome outcome = doctor(host);
            assertThat(outcome.err()).isEmpty();
            assertThat(outcome.out())
                    .contains(" TCP ", "answers", " rdma_cm ", " RC ping-pong ", "usec/iter");
            assertThat(outcome.status()).isZero();
            assertThat(server.await(LIMIT).out()).endsWith("served\n");
        }
    }

    @Test
    void withoutAPeerTheLayersAreNamed() throws InterruptedException {
        ToolRun.Outcome outcome = doctor(CmPlace.addresses().getFirst().getHostAddress());
        assertThat(outcome.status()).isEqualTo(1);
        assertThat(outcome.err()).isEqualTo("doctor: 2 findings block RDMA\n");
        assertThat(outcome.out())
                .contains("BLOCKS   TCP", "couldn't connect to", "BLOCKS   rdma_cm")
                .doesNotContain("RC ping-pong");
    }
}
