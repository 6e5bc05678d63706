package org.verbs4j.it;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/** Our rping and that of rdma-core, each in either role. */
class RPingIT {
    private static final Duration LIMIT = Duration.ofSeconds(60);

    /** As many as take ten seconds in the slowest guest that all tests run in. */
    private static final int LONG_COUNT = TestPlace.engine().equals("qemu") ? 1_000 : 10_000;

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
        List<String> common = common(size, count, option);
        try (ToolRun serving = start(server, with(common, "-s"))) {
            awaitListening(common);
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
                                """
                                server DISCONNECT EVENT...
                                wait for RDMA_READ_ADV state 10
                                """);
                boolean verbose = option.equals("-v");
                assertThat(pinged.out()).isEqualTo(verbose ? lines("ping", size, count) : "");
                assertThat(served.out())
                        .isEqualTo(verbose ? lines("server ping", size, count) : "");
            }
        }
    }

    @ParameterizedTest
    @CsvSource({"c, java, 64", "java, c, 64", "c, java, 65535", "java, c, 65535"})
    void tenThousandPingsKeepTheirData(String server, String client, int size) throws Exception {
        List<String> common = common(size, LONG_COUNT, "-V");
        try (ToolRun serving = start(server, with(common, "-s"))) {
            awaitListening(common);
            try (ToolRun pinging = start(client, with(common, "-c"))) {
                ToolRun.Outcome pinged = pinging.await(LIMIT);
                assertThat(pinged.status()).as(pinged.err()).isZero();
                ToolRun.Outcome served = serving.await(LIMIT);
                assertThat(served.status()).as(served.err()).isZero();
            }
        }
    }

    /** The options that the others leave out: a wildcard of IPv6, a source, debugging. */
    @ParameterizedTest
    @CsvSource({"c, java", "java, c", "java, java"})
    void aWildcardServerAndAClientFromAnotherAddress(String server, String client)
            throws Exception {
        List<String> common = common(1000, 10, "-V");
        String source = CmPlace.addresses().getLast().getHostAddress();
        List<String> everywhere = new ArrayList<>(common);
        everywhere.set(1, "::0");
        try (ToolRun serving = start(server, with(everywhere, "-s", "-d"))) {
            awaitListening(common);
            try (ToolRun pinging = start(client, with(common, "-c", "-d", "-I", source))) {
                ToolRun.Outcome pinged = pinging.await(LIMIT);
                assertThat(pinged.status()).as(pinged.err()).isZero();
                assertThat(pinged.out()).isNotEmpty();
                assertThat(serving.await(LIMIT).status()).isZero();
            }
        }
    }

    @Test
    void ourPersistentServerServesSeveralClientsAtATime() throws Exception {
        List<String> common = common(64, 20, "-v");
        try (ToolRun serving = start("java", with(common, "-s", "-P"))) {
            awaitListening(common);
            for (int round = 0; round < 2; round++) {
                try (ToolRun first = start("java", with(common, "-c"));
                        ToolRun second = start("c", with(common, "-c"));
                        ToolRun third = start("java", with(common, "-c"))) {
                    for (ToolRun client : List.of(first, second, third)) {
                        pinged(client);
                    }
                }
            }
            assertThat(serving.hasEnded()).isFalse();
        }
    }

    /**
     * One after the other: of requests that come close together that server of rdma-core 44 keeps
     * the last only.
     */
    @Test
    void thePersistentServerInCServesOurClients() throws Exception {
        List<String> common = common(64, 20, "-v");
        try (ToolRun serving = start("c", with(common, "-s", "-P"))) {
            awaitListening(common);
            for (int round = 0; round < 3; round++) {
                try (ToolRun client = start("java", with(common, "-c"))) {
                    pinged(client);
                }
            }
            assertThat(serving.hasEnded()).isFalse();
        }
    }

    private static void pinged(ToolRun client) throws InterruptedException {
        ToolRun.Outcome pinged = client.await(LIMIT);
        assertThat(pinged.status()).as(client + pinged.err()).isZero();
        assertThat(pinged.out()).isEqualTo(lines("ping", 64, 20));
    }

    private static List<String> common(int size, int count, String option) {
        return List.of(
                "-a",
                CmPlace.addresses().getFirst().getHostAddress(),
                "-p",
                String.valueOf(ThreadLocalRandom.current().nextInt(20_000, 60_000)),
                "-S",
                String.valueOf(size),
                "-C",
                String.valueOf(count),
                option);
    }

    private static void awaitListening(List<String> common) throws Exception {
        KernelObjects.awaitListener(Integer.parseInt(common.get(3)));
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
