package org.verbs4j.it;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** Our udaddy and mckey and those of rdma-core, each in either role. */
class DatagramToolsIT {
    private static final Duration LIMIT = Duration.ofSeconds(60);

    private static ToolRun start(String kind, String tool, String arguments) {
        List<String> command = new ArrayList<>(List.of(tool));
        command.addAll(List.of(arguments.split(" ")));
        return kind.equals("c")
                ? ToolRun.process(command)
                : ToolRun.inProcess(command.toArray(String[]::new));
    }

    /** rdma_cm has no table of listeners to look at without netlink, so the test takes its time. */
    private static void awaitListening() throws InterruptedException {
        Thread.sleep(TestPlace.limit(Duration.ofMillis(300)).toMillis());
    }

    private static void succeeded(ToolRun run, String out) throws InterruptedException {
        ToolRun.Outcome outcome = run.await(LIMIT);
        assertThat(outcome.status()).as(outcome.err() + outcome.out()).isZero();
        assertThat(outcome.err()).isEmpty();
        assertThat(outcome.out()).isEqualTo(out);
    }

    private static String lines(String... lines) {
        return String.join("\n", lines) + "\n";
    }

    @ParameterizedTest
    @CsvSource({
        "java, java, -C 10 -S 100",
        "c, java, -C 10 -S 100",
        "java, c, -C 10 -S 100",
        "c, java, -C 20 -S 1024 -c 3",
        "java, c, -C 20 -S 1024 -c 3",
        "java, c, -C 0",
    })
    void udaddySaysWhatTheCToolSays(String server, String client, String options) throws Exception {
        String address = CmPlace.addresses().getFirst().getHostAddress();
        boolean transfers = !options.equals("-C 0");
        try (ToolRun serving = start(server, "udaddy", "-b " + address + " " + options)) {
            awaitListening();
            try (ToolRun asking = start(client, "udaddy", "-s " + address + " " + options)) {
                succeeded(
                        asking,
                        lines("udaddy: starting client", "udaddy: connecting")
                                + (transfers
                                        ? lines(
                                                "initiating data transfers",
                                                "receiving data transfers",
                                                "data transfers complete")
                                        : "")
                                + lines("test complete", "return status 0"));
                succeeded(
                        serving,
                        lines("udaddy: starting server")
                                + (transfers
                                        ? lines(
                                                "receiving data transfers",
                                                "sending replies",
                                                "data transfers complete")
                                        : "")
                                + lines("test complete", "return status 0"));
            }
        }
    }

    @ParameterizedTest
    @CsvSource({
        "java, java, -s",
        "c, java, -s",
        "java, c, -s",
        "c, java, -s -o",
        "java, c, -s -o",
    })
    void mckeySaysWhatTheCToolSays(String listener, String sender, String role) throws Exception {
        String common =
                "-m 239.77.1.2 -C 10 -S 100 -b " + CmPlace.addresses().getFirst().getHostAddress();
        String joined = "mckey: joining\nmckey: joined dgid: ::ffff:239.77.1.2 mlid 0x0 sl 0\n";
        String done = "data transfers complete\ntest complete\nreturn status 0\n";
        try (ToolRun listening = start(listener, "mckey", common)) {
            awaitListening();
            try (ToolRun sending = start(sender, "mckey", common + " " + role)) {
                succeeded(
                        sending,
                        "mckey: starting client\n" + joined + "initiating data transfers\n" + done);
                succeeded(
                        listening,
                        "mckey: starting server\n" + joined + "receiving data transfers\n" + done);
            }
        }
    }
}
