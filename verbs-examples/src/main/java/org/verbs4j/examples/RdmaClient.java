package org.verbs4j.examples;

import org.verbs4j.cm.Connection;
import org.verbs4j.cm.ConnectionParameters;
import org.verbs4j.cm.Connector;

import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

import java.time.Duration;

/** {@code rdma_client} of rdma-core 44: sends a message of 16 bytes and takes the answer. */
@Command(
        name = "rdma-client",
        mixinStandardHelpOptions = true,
        versionProvider = Main.Version.class,
        description = "Sends a message to an rdma_server, as rdma_client does.")
final class RdmaClient extends Tool {
    private static final Duration RESOLVE_LIMIT = Duration.ofSeconds(2);

    @Option(names = "-s", paramLabel = "<server_address>", description = "default 127.0.0.1")
    private String server = "127.0.0.1";

    @Option(names = "-p", paramLabel = "<port_number>", description = "default 7471")
    private int port = OneMessage.PORT;

    @Override
    void run() throws InterruptedException {
        print("rdma_client: start");
        boolean done = false;
        try (Connector connector =
                        Connector.resolve(
                                OneMessage.address(server, port),
                                TimeLimits.scaled(RESOLVE_LIMIT));
                OneMessage exchange = new OneMessage(connector.context())) {
            exchange.sayIfNotInline(this, "rdma_client");
            try (Connection _ =
                    connector.connect(exchange.pair(), ConnectionParameters.defaults())) {
                exchange.send();
                exchange.awaitSend();
                exchange.awaitReceive();
            }
            done = true;
        } finally {
            print("rdma_client: end " + (done ? 0 : -1));
        }
    }
}
