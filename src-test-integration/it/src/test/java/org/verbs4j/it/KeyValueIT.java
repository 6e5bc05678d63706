package org.verbs4j.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.verbs4j.examples.RdmaPeer;
import org.verbs4j.examples.ToolFailure;
import org.verbs4j.examples.kv.StoreClient;

import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;

/** The key-value store: its tools, and what its server notices of its clients. */
class KeyValueIT {
    private static final Duration LIMIT = Duration.ofSeconds(60);

    /** What the tools promise. */
    private static final Duration LOST_LIMIT = Duration.ofSeconds(10);

    private static final String HOST = CmPlace.addresses().getFirst().getHostAddress();

    private static String port;
    private static ToolRun server;

    @BeforeAll
    static void serve() throws InterruptedException {
        port = anyPort();
        server = serve(port);
    }

    @AfterAll
    static void end() {
        server.close();
    }

    private static String anyPort() {
        return String.valueOf(ThreadLocalRandom.current().nextInt(20_000, 60_000));
    }

    private static ToolRun serve(String port) throws InterruptedException {
        ToolRun tool =
                ToolRun.jar("kv-server", "-p", port, "--max-value", "4000", "--buckets", "1024");
        awaitOutput(tool, " on ");
        return tool;
    }

    private static void awaitOutput(ToolRun tool, String text) throws InterruptedException {
        long deadline = System.nanoTime() + TestPlace.limit(LIMIT).toNanos();
        while (!tool.outSoFar().contains(text)) {
            assertThat(tool.hasEnded()).as(tool + " ended early").isFalse();
            assertThat(System.nanoTime()).as("%s says %s", tool, text).isLessThan(deadline);
            Thread.sleep(20);
        }
    }

    private static ToolRun start(String... command) {
        return startAt(port, command);
    }

    private static ToolRun startAt(String where, String... command) {
        List<String> all = new ArrayList<>(List.of("kv-client", "-p", where, HOST));
        all.addAll(List.of(command));
        return ToolRun.inProcess(all.toArray(String[]::new));
    }

    private static ToolRun.Outcome run(String... command) throws InterruptedException {
        try (ToolRun client = start(command)) {
            return client.await(LIMIT);
        }
    }

    private static ToolRun.Outcome said(String out) {
        return new ToolRun.Outcome(0, out, "");
    }

    private static ToolRun.Outcome failed(String sentence) {
        return new ToolRun.Outcome(1, "", "kv-client: " + sentence + "\n");
    }

    private static StoreClient connect() throws InterruptedException {
        return StoreClient.connect(
                RdmaPeer.address(HOST, Integer.parseInt(port)), CmPlace.limit(8));
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    @Test
    void whatIsPutIsGotUntilItIsDeleted() throws Exception {
        assertThat(run("get", "colour")).isEqualTo(failed("no such key: colour"));
        assertThat(run("put", "colour", "grün")).isEqualTo(said(""));
        assertThat(run("get", "colour")).isEqualTo(said("grün\n"));
        assertThat(run("put", "colour", "blue")).isEqualTo(said(""));
        assertThat(run("get", "colour")).isEqualTo(said("blue\n"));
        assertThat(run("delete", "colour")).isEqualTo(said(""));
        assertThat(run("get", "colour")).isEqualTo(failed("no such key: colour"));
        assertThat(run("delete", "colour")).isEqualTo(failed("no such key: colour"));
    }

    @Test
    void aCounterBeginsWithZeroAndGoesBothWays() throws Exception {
        assertThat(run("add", "visits")).isEqualTo(said("1\n"));
        assertThat(run("add", "visits", "41")).isEqualTo(said("42\n"));
        assertThat(run("add", "visits", "--", "-50")).isEqualTo(said("-8\n"));
        assertThat(run("add", "visits", "0")).isEqualTo(said("-8\n"));
    }

    @Test
    void theServersProcessorIsIdleWhileOthersReadAndCount() throws Exception {
        int count = 5_000;
        try (StoreClient client = connect()) {
            client.put("key", new byte[64]);
            client.add("counter", 0);
            StoreClient.ServerWork before = client.work();
            for (int i = 0; i < count; i++) {
                assertThat(client.get("key")).hasSize(64);
                assertThat(client.add("counter", 1)).isEqualTo(i);
            }
            StoreClient.ServerWork after = client.work();
            assertThat(after.messages()).as("but that which asks").isEqualTo(before.messages() + 1);
            assertThat((after.cpuNanos() - before.cpuNanos()) / 1e9)
                    .as("seconds of the server's processor for %s gets and additions", 2 * count)
                    .isLessThan(TestPlace.timeScale() * 0.1);
        }
    }

    @Test
    void theMeasurementTellsWhatTheServerHadToDo() throws Exception {
        ToolRun.Outcome outcome = run("bench", "-n", "500", "-s", "100");
        assertThat(outcome.err()).isEmpty();
        assertThat(outcome.out())
                .matches(
                        "500 gets of 100 bytes: [0-9.]+ us each, \\d+/s\n"
                                + "500 additions: [0-9.]+ us each, \\d+/s\n"
                                + "the server meanwhile: 0 messages, [0-9.]+ ms of CPU time in"
                                + " [0-9.]+ ms\n");
    }

    /** A reader that meets a writer gets the one value or the other, never half of each. */
    @Test
    void aValueIsWholeWhileOthersPutIt() throws Exception {
        AtomicBoolean end = new AtomicBoolean();
        try (ExecutorService pool = Executors.newFixedThreadPool(3)) {
            List<Future<Long>> writers = new ArrayList<>();
            try (StoreClient reader = connect()) {
                reader.put("key", filled((byte) 'a'));
                for (byte letter : new byte[] {'b', 'c'}) {
                    writers.add(pool.submit(() -> write(filled(letter), end)));
                }
                for (int i = 0; i < 3_000; i++) {
                    byte[] value = reader.get("key");
                    assertThat(value).isEqualTo(filled(value[0]));
                }
            } finally {
                end.set(true);
            }
            for (Future<Long> writer : writers) {
                assertThat(writer.get(LIMIT.toSeconds(), TimeUnit.SECONDS)).isPositive();
            }
        }
    }

    private static long write(byte[] value, AtomicBoolean end) throws InterruptedException {
        long count = 0;
        try (StoreClient writer = connect()) {
            while (!end.get()) {
                writer.put("key", value);
                count++;
            }
        }
        return count;
    }

    private static byte[] filled(byte letter) {
        byte[] value = new byte[3_999];
        Arrays.fill(value, letter);
        return value;
    }

    @Test
    void severalClientsCountToTheirSum() throws Exception {
        int clients = 6;
        int each = 500;
        Callable<Void> counting =
                () -> {
                    try (StoreClient client = connect()) {
                        for (int i = 0; i < each; i++) {
                            client.add("all", 1);
                        }
                    }
                    return null;
                };
        try (ExecutorService pool = Executors.newFixedThreadPool(clients)) {
            for (Future<Void> future : pool.invokeAll(Collections.nCopies(clients, counting))) {
                future.get(LIMIT.toSeconds(), TimeUnit.SECONDS);
            }
        }
        assertThat(run("add", "all", "0")).isEqualTo(said(clients * each + "\n"));
    }

    @Test
    void manyKeysShareTheTableAndAreFoundAgain() throws Exception {
        try (StoreClient client = connect()) {
            for (int i = 0; i < 600; i++) {
                client.put("key" + i, bytes("value" + i));
            }
            for (int i = 0; i < 600; i += 2) {
                assertThat(client.delete("key" + i)).isTrue();
            }
            for (int i = 0; i < 600; i++) {
                byte[] value = client.get("key" + i);
                if (i % 2 == 0) {
                    assertThat(value).isNull();
                } else {
                    assertThat(value).isEqualTo(bytes("value" + i));
                }
            }
        }
    }

    @Test
    void whatDoesNotFitIsNamed() throws Exception {
        String long65 = "k".repeat(65);
        assertThat(run("put", long65, "x"))
                .isEqualTo(failed("a key has 1 to 64 bytes on this server, not 65"));
        assertThat(run("put", "k", "x".repeat(4001)))
                .isEqualTo(failed("a value has up to 4000 bytes on this server, not 4001"));
    }

    @Test
    void aFullNeighbourhoodIsNamedAndKeepsWhatItHas() throws Exception {
        String small = anyPort();
        try (ToolRun serving = ToolRun.inProcess("kv-server", "-p", small, "--buckets", "16")) {
            awaitOutput(serving, " on ");
            InetSocketAddress address = RdmaPeer.address(HOST, Integer.parseInt(small));
            try (StoreClient client = StoreClient.connect(address, CmPlace.limit(8))) {
                for (int i = 0; i < 16; i++) {
                    client.put("k" + i, bytes("v" + i));
                }
                assertThatThrownBy(() -> client.put("one more", bytes("v")))
                        .isInstanceOf(ToolFailure.class)
                        .hasMessageEndingWith(
                                "has no room near the place of this key: start it with more"
                                        + " --buckets");
                assertThat(client.get("k7")).isEqualTo(bytes("v7"));
                assertThat(client.get("one more")).isNull();
                assertThat(client.delete("k7")).isTrue();
                client.put("one more", bytes("v"));
                assertThat(client.get("one more")).isEqualTo(bytes("v"));
            }
        }
    }

    @Test
    void aServerThatIsKilledIsMissedInTime() throws Exception {
        String where = anyPort();
        try (ToolRun doomed = serve(where);
                ToolRun client = startAt(where, "bench", "-n", "100000000")) {
            awaitOutput(doomed, "+ ");
            Thread.sleep(500);
            doomed.kill();
            ToolRun.Outcome outcome = client.await(LOST_LIMIT);
            assertThat(outcome).isEqualTo(failed("the server " + HOST + ":" + where + " has gone"));
        }
    }

    @Test
    void theServerOutlivesClientsThatAreKilled() throws Exception {
        long started = lines("+ ");
        try (ToolRun client =
                ToolRun.jar("kv-client", "-p", port, HOST, "bench", "-n", "100000000")) {
            awaitLines("+ ", started + 1);
            Thread.sleep(500);
            client.kill();
            awaitLines("- ", started + 1);
        }
        assertThat(run("put", "still", "here")).isEqualTo(said(""));
        assertThat(run("get", "still")).isEqualTo(said("here\n"));
    }

    private static long lines(String start) {
        return server.outSoFar().lines().filter(line -> line.startsWith(start)).count();
    }

    private static void awaitLines(String start, long count) throws InterruptedException {
        long deadline = System.nanoTime() + TestPlace.limit(LIMIT).toNanos();
        while (lines(start) < count) {
            assertThat(System.nanoTime()).as("%s times %s", count, start).isLessThan(deadline);
            Thread.sleep(20);
        }
    }

    @Test
    void aStrangerIsRefusedAndTheServerGoesOn() throws Exception {
        try (ToolRun rping = ToolRun.inProcess("rping", "-c", "-a", HOST, "-p", port, "-C", "1")) {
            ToolRun.Outcome outcome = rping.await(LIMIT);
            assertThat(outcome.status()).isEqualTo(1);
            assertThat(outcome.err()).contains("the program at the other end refused");
        }
        awaitOutput(server, "which is not a kv-client of this version");
        assertThat(run("put", "still", "here")).isEqualTo(said(""));
    }

    @Test
    void whatAnswersButIsNoStoreIsNamed() throws Exception {
        String other = anyPort();
        try (ToolRun rping = ToolRun.inProcess("rping", "-s", "-a", HOST, "-p", other)) {
            KernelObjects.awaitListener(Integer.parseInt(other));
            try (ToolRun client = ToolRun.inProcess("kv-client", "-p", other, HOST, "get", "k")) {
                assertThat(client.await(LOST_LIMIT))
                        .isEqualTo(
                                failed(
                                        "the server "
                                                + HOST
                                                + ":"
                                                + other
                                                + " is not a kv-server of this version"));
            }
            assertThat(rping.hasEnded() || rping.outSoFar().isEmpty()).isTrue();
        }
    }

    @Test
    void withoutAServerNobodyListens() throws Exception {
        try (ToolRun client = startAt(anyPort(), "get", "key")) {
            ToolRun.Outcome outcome = client.await(LIMIT);
            assertThat(outcome.status()).isEqualTo(1);
            assertThat(outcome.err()).startsWith("kv-client: ").contains("nobody listens");
            assertThat(outcome.err().lines()).hasSize(1);
        }
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "--buckets 1000 | a table has a power of two of buckets, 16 to 268435456, not 1000",
                "--max-key 12   | the longest key is a multiple of 8, from 8 to 248, not 12",
                "--max-value 70000 | the longest value is a multiple of 8, from 8 to 65528, not"
                        + " 70000",
                "--counters 17  | a table has a power of two of buckets, 16 to 268435456, not 17",
            })
    void aTableThatCannotBeIsRefused(String options, String sentence) throws Exception {
        try (ToolRun tool = ToolRun.inProcess(("kv-server " + options.strip()).split(" "))) {
            assertThat(tool.await(LIMIT))
                    .isEqualTo(new ToolRun.Outcome(1, "", "kv-server: " + sentence + "\n"));
        }
    }

    /** The server has the port of all addresses, of which the kernel says so in two ways. */
    @ParameterizedTest
    @ValueSource(strings = {"0.0.0.0", "an address of this machine"})
    void aPortInUseIsNamed(String address) throws Exception {
        String where = address.equals("0.0.0.0") ? address : HOST;
        try (ToolRun second = ToolRun.inProcess("kv-server", "-a", where, "-p", port)) {
            ToolRun.Outcome outcome = second.await(LIMIT);
            assertThat(outcome.status()).isEqualTo(1);
            assertThat(outcome.err()).startsWith("kv-server: ").contains(":" + port + " is in use");
        }
    }
}
