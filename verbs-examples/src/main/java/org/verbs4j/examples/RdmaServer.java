package org.verbs4j.examples;

import org.verbs4j.cm.Connection;
import org.verbs4j.cm.ConnectionParameters;
import org.verbs4j.cm.ConnectionRequest;
import org.verbs4j.cm.Listener;

import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code rdma_server} of rdma-core 44: takes a message of 16 bytes and answers with one. */
@Command(
        name = "rdma-server",
        mixinStandardHelpOptions = true,
        versionProvider = Main.Version.class,
        description = "Answers one rdma_client, as rdma_server does.")
final class RdmaServer extends Tool {
    private static final int DEFAULT_BACKLOG = 0;

    @Option(names = "-s", paramLabel = "<server_address>", description = "default 0.0.0.0")
    private String server = "0.0.0.0";

    @Option(names = "-p", paramLabel = "<port_number>", description = "default 7471")
    private int port = OneMessage.PORT;

    @Override
    void run() throws InterruptedException {
        print("rdma_server: start");
        boolean done = false;
        try (Listener listener = Listener.bind(OneMessage.address(server, port), DEFAULT_BACKLOG);
                ConnectionRequest request = listener.accept();
                OneMessage exchange = new OneMessage(request.context())) {
            exchange.sayIfNotInline(this, "rdma_server");
            try (Connection _ = request.accept(exchange.pair(), ConnectionParameters.defaults())) {
                exchange.awaitReceive();
                exchange.send();
                exchange.awaitSend();
            }
            done = true;
        } finally {
            print("rdma_server: end " + (done ? 0 : -1));
        }
    }
}
