package org.verbs4j.examples;

import org.verbs4j.examples.kv.StoreServer;
import org.verbs4j.examples.kv.TableShape;

import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

import java.util.Locale;

/** Serves a key-value store, see {@link StoreServer}. */
@Command(
        name = "kv-server",
        mixinStandardHelpOptions = true,
        versionProvider = Main.Version.class,
        sortOptions = false,
        description = {
            "Serves a key-value store whose clients read and count without waking the server.",
            "Clients get values by RDMA READ and add to counters by remote fetch-and-add, which the"
                + " device does alone; only a put, a delete and a new counter are messages that the"
                + " server's program takes and checks. Ends with Ctrl-C; nothing is kept."
        })
final class KvServer extends Tool {
    /** Nobody's by the lists of IANA. */
    static final int PORT = 7475;

    @Option(
            names = {"-a", "--address"},
            paramLabel = "<address>",
            description = "where to listen (default any address, IPv4 and IPv6)")
    private String address = "0.0.0.0";

    @Option(
            names = {"-p", "--port"},
            paramLabel = "<port>",
            converter = CNumbers.TcpPort.class,
            description = "port to listen on (default 7475)")
    private int port = PORT;

    @Option(
            names = "--buckets",
            paramLabel = "<count>",
            converter = CNumbers.Count.class,
            description = "room for values, a power of two (default 16384)")
    private int buckets = 16_384;

    @Option(
            names = "--max-key",
            paramLabel = "<bytes>",
            converter = CNumbers.Count.class,
            description = "longest key, a multiple of 8 up to 248 (default 64)")
    private int maxKey = 64;

    @Option(
            names = "--max-value",
            paramLabel = "<bytes>",
            converter = CNumbers.Count.class,
            description = "longest value, a multiple of 8 up to 65528 (default 256)")
    private int maxValue = 256;

    @Option(
            names = "--counters",
            paramLabel = "<count>",
            converter = CNumbers.Count.class,
            description = "room for counters, a power of two (default 1024)")
    private int counters = 1024;

    @Override
    void run() throws InterruptedException {
        TableShape shape = new TableShape(buckets, maxKey, maxValue);
        try (StoreServer server =
                new StoreServer(RdmaPeer.address(address, port), shape, counters, this::print)) {
            print(
                    String.format(
                            Locale.ROOT,
                            "%d buckets and %d counters, %.1f MiB, on %s",
                            buckets,
                            counters,
                            server.byteSize() / 1024. / 1024.,
                            RdmaPeer.text(server.address())));
            server.serve();
        }
    }
}
