package org.verbs4j.examples;

import org.verbs4j.examples.kv.StoreClient;
import org.verbs4j.examples.kv.StoreClient.ServerWork;

import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Locale;

/** A client of {@link KvServer}, see {@link StoreClient}. */
@Command(
        name = "kv-client",
        mixinStandardHelpOptions = true,
        versionProvider = Main.Version.class,
        sortOptions = false,
        synopsisSubcommandLabel = "COMMAND",
        commandListHeading = "%nCommands:%n",
        description = "Gets, puts and counts in the memory of a kv-server.")
final class KvClient extends Tool {
    /** Keys of a measurement: more than one, so that not always the same bucket is read. */
    private static final int KEYS = 64;

    /** A part of the rounds for the compiler, before those that count. */
    private static final int WARM_UP = 5;

    @Option(
            names = {"-p", "--port"},
            paramLabel = "<port>",
            converter = CNumbers.TcpPort.class,
            description = "port of the server (default 7475)")
    private int port = KvServer.PORT;

    @Option(
            names = "--timeout",
            paramLabel = "<seconds>",
            converter = CNumbers.Count.class,
            description = "how long the server may keep silent (default 8)")
    private int silenceSeconds = 8;

    @Parameters(index = "0", paramLabel = "<host>", description = "address of the server")
    private String host = "";

    @Override
    void run() {
        throw new ParameterException(
                spec().commandLine(), "which command? One of: get, put, delete, add, bench");
    }

    /** What a command does, connected. */
    private interface Work {
        void with(StoreClient client) throws InterruptedException;
    }

    private int does(Work work) {
        return attempt(
                () -> {
                    Duration limit = TimeLimits.scaled(Duration.ofSeconds(silenceSeconds));
                    try (StoreClient client =
                            StoreClient.connect(RdmaPeer.address(host, port), limit)) {
                        work.with(client);
                    }
                });
    }

    @Command(
            customSynopsis = "verbs4j-examples kv-client <host> get <key>",
            mixinStandardHelpOptions = true,
            description = "Prints the value of a key. Fails when there is none.")
    int get(@Parameters(paramLabel = "<key>", description = "whose value") String key) {
        return does(
                client -> {
                    byte[] value = client.get(key);
                    if (value == null) {
                        throw new ToolFailure("no such key: " + key);
                    }
                    print(new String(value, StandardCharsets.UTF_8));
                });
    }

    @Command(
            customSynopsis = "verbs4j-examples kv-client <host> put <key> <value>",
            mixinStandardHelpOptions = true,
            description = "Stores a value, a new one or in place of the one before.")
    int put(
            @Parameters(paramLabel = "<key>", description = "under which key") String key,
            @Parameters(paramLabel = "<value>", description = "what, any text") String value) {
        return does(client -> client.put(key, value.getBytes(StandardCharsets.UTF_8)));
    }

    @Command(
            customSynopsis = "verbs4j-examples kv-client <host> delete <key>",
            mixinStandardHelpOptions = true,
            description = "Takes a value out. Fails when there is none.")
    int delete(@Parameters(paramLabel = "<key>", description = "whose value") String key) {
        return does(
                client -> {
                    if (!client.delete(key)) {
                        throw new ToolFailure("no such key: " + key);
                    }
                });
    }

    @Command(
            customSynopsis = "verbs4j-examples kv-client <host> add <counter> [<number>]",
            mixinStandardHelpOptions = true,
            description =
                    "Adds to a counter, which begins with 0, and prints it. Adding 0 only reads.")
    int add(
            @Parameters(paramLabel = "<counter>", description = "which one") String counter,
            @Parameters(
                            arity = "0..1",
                            defaultValue = "1",
                            paramLabel = "<number>",
                            description = "how much, may be negative (default 1)")
                    long number) {
        return does(client -> print(Long.toString(client.add(counter, number) + number)));
    }

    @Command(
            customSynopsis = "verbs4j-examples kv-client <host> bench [-n=<count>] [-s=<bytes>]",
            mixinStandardHelpOptions = true,
            description = {
                "Measures gets and additions one by one, and what the server had to do meanwhile.",
                "Leaves the keys bench-0 to bench-63 and the counter bench behind."
            })
    int bench(
            @Option(
                            names = {"-n", "--iters"},
                            defaultValue = "10000",
                            paramLabel = "<count>",
                            converter = CNumbers.Count.class,
                            description = "how many of each (default ${DEFAULT-VALUE})")
                    int count,
            @Option(
                            names = {"-s", "--size"},
                            defaultValue = "64",
                            paramLabel = "<bytes>",
                            converter = CNumbers.Count.class,
                            description = "length of a value (default ${DEFAULT-VALUE})")
                    int size) {
        return does(client -> bench(client, count, size));
    }

    private void bench(StoreClient client, int count, int size) throws InterruptedException {
        byte[] value = new byte[size];
        String[] keys = new String[KEYS];
        for (int i = 0; i < KEYS; i++) {
            keys[i] = "bench-" + i;
            client.put(keys[i], value);
        }
        get(client, keys, count / WARM_UP);
        add(client, count / WARM_UP);

        ServerWork start = client.work();
        long began = System.nanoTime();
        get(client, keys, count);
        long got = System.nanoTime();
        add(client, count);
        long added = System.nanoTime();
        ServerWork end = client.work();

        print(rate(count + " gets of " + size + " bytes", got - began, count));
        print(rate(count + " additions", added - got, count));
        print(
                String.format(
                        Locale.ROOT,
                        "the server meanwhile: %d messages, %.1f ms of CPU time in %.1f ms",
                        end.messages() - start.messages() - 1, // the one that asks
                        (end.cpuNanos() - start.cpuNanos()) / 1e6,
                        (added - began) / 1e6));
    }

    private static void get(StoreClient client, String[] keys, int count)
            throws InterruptedException {
        for (int i = 0; i < count; i++) {
            if (client.get(keys[i % keys.length]) == null) {
                throw new ToolFailure("somebody has deleted " + keys[i % keys.length]);
            }
        }
    }

    private static void add(StoreClient client, int count) throws InterruptedException {
        for (int i = 0; i < count; i++) {
            client.add("bench", 1);
        }
    }

    private static String rate(String what, long nanos, int count) {
        return String.format(
                Locale.ROOT,
                "%s: %.2f us each, %.0f/s",
                what,
                nanos / 1e3 / count,
                count / (nanos / 1e9));
    }
}
