package org.verbs4j.it;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.net.InetAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/** Our rping and that of rdma-core, each in either role. */
class RPingIT {
    private static final Duration LIMIT = Duration.ofSeconds(60);

    private static ToolRun start(String kind, List<String> arguments) {
        List<String> command = new ArrayList<>(List.of("rping"));
        command.addAll(arguments);
        return kind.equals("c")
                ? ToolRun.process(command)
                : ToolRun.inProcess(command.toArray(String[]::new));
    }

    private static List<String> with(List<String> list, String... more) {
        List<String> all = new ArrayList<>(list);
        all.addAll(List.of(more));
        return all;
    }

    @ParameterizedTest
    @CsvSource({
        "java, java, 64, 20, -v",
        "c, java, 64, 20, -v",
        "java, c, 64, 20, -v",
        "java, c, 65535, 50, -V",
        "c, java, 65535, 50, -V",
        "java, c, 64, 20, -q",
        "c, java, 64, 20, -q",
        "java, java, 26, 5, -v",
    })
    void bothSidesSayWhatTheCToolSays(
            String server, String client, int size, int count, String option) throws Exception {
        InetAddress address = CmPlace.addresses().getFirst();
        String port = String.valueOf(ThreadLocalRandom.current().nextInt(20_000, 60_000));
        List<String> common =
                List.of(
                        "-a",
                        address.getHostAddress(),
                        "-p",
                        port,
                        "-S",
                        String.valueOf(size),
                        "-C",
                        String.valueOf(count),
                        option);
        try (ToolRun serving = start(server, with(common, "-s"))) {
            awaitListening(Integer.parseInt(port));
            try (ToolRun pinging = start(client, with(common, "-c"))) {
                ToolRun.Outcome pinged = pinging.await(LIMIT);
                ToolRun.Outcome served = serving.await(LIMIT);
                assertThat(pinged.status()).as(pinged.err()).isZero();
                assertThat(served.status()).as(served.err()).isZero();
                if (client.equals("java") || !pinged.err().isEmpty()) {
                    // the C client ends without waiting for the server's answer
                    assertThat(pinged.err()).isEqualTo("client DISCONNECT EVENT...\n");
                }
                assertThat(served.err())
                        .isEqualTo(
                                "server DISCONNECT EVENT...\n"
                                        + "wait for RDMA_READ_ADV state 10\n");
                boolean verbose = option.equals("-v");
                assertThat(pinged.out()).isEqualTo(verbose ? lines("ping", size, count) : "");
                assertThat(served.out())
                        .isEqualTo(verbose ? lines("server ping", size, count) : "");
            }
        }
    }

    /** rdma_cm has no table of listeners to look at without netlink, so the test takes its time. */
    private static void awaitListening(int port) throws InterruptedException {
        Thread.sleep(TestPlace.limit(Duration.ofMillis(300)).toMillis());
    }

    private static String lines(String who, int size, int count) {
        return IntStream.range(0, count)
                .mapToObj(ping -> who + " data: " + data(ping, size) + "\n")
                .collect(Collectors.joining());
    }

    private static String data(int ping, int size) {
        StringBuilder text = new StringBuilder("rdma-ping-" + ping + ": ");
        for (int letter = 'A' + ping; text.length() < size - 1; letter++) {
            text.append((char) ('A' + (letter - 'A') % ('z' - 'A' + 1)));
        }
        return text.substring(0, size - 1);
    }
}
