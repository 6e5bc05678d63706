package org.verbs4j.examples;

import static org.verbs4j.Access.*;

import org.verbs4j.*;
import org.verbs4j.cm.*;

import java.net.InetSocketAddress;
import java.time.Duration;

/**
 * {@code serve} sends every message back, to any number of clients; {@code ask HOST COUNT
 * [SECONDS]} asks a hundred times a second, and goes on when the server has been killed and started
 * again, or gives up when there is none for so long, a minute by default.
 */
public final class Echo {
    private static final int PORT = 18517;
    private static final long SIZE = 64;
    private static final int AT_A_TIME = 8;
    private static final String LIMIT_SECONDS = "60";

    private Echo() {}

    public static void main(String[] args) throws InterruptedException {
        if (args[0].equals("serve")) {
            serve();
        } else {
            String seconds = args.length > 3 ? args[3] : LIMIT_SECONDS;
            Duration limit = Duration.ofSeconds(Long.parseLong(seconds));
            try {
                ask(new InetSocketAddress(args[1], PORT), Integer.parseInt(args[2]), limit);
            } catch (ConnectionException e) {
                System.err.println(e.getMessage());
                System.exit(1);
            }
        }
    }

    private static void serve() throws InterruptedException {
        try (Listener listener = Listener.bind(new InetSocketAddress(PORT), 64)) {
            System.out.println("listening");
            while (true) {
                ConnectionRequest request = listener.accept();
                Thread.ofPlatform().start(() -> serve(request));
            }
        }
    }

    private static void serve(ConnectionRequest asked) {
        try (ConnectionRequest request = asked;
                ProtectionDomain domain = request.context().newProtectionDomain();
                CompletionChannel channel = request.context().newCompletionChannel();
                CompletionQueue queue =
                        request.context().newCompletionQueue(2 * AT_A_TIME, channel, 0);
                RcQueuePair pair =
                        domain.newRcQueuePair(queue, queue)
                                .maxSendRequests(AT_A_TIME)
                                .maxReceiveRequests(AT_A_TIME)
                                .build();
                MemoryRegion memory = domain.allocate(AT_A_TIME * SIZE, LOCAL_WRITE)) {
            for (int slot = 0; slot < AT_A_TIME; slot++) {
                receive(pair, memory, slot);
            }
            try (Connection connection = request.accept(pair, ConnectionParameters.defaults())) {
                // Who waits for the end makes it flush what is outstanding, which ends the other
                // wait.
                Thread.ofVirtual().start(() -> awaitEnd(connection));
                echo(pair, queue, memory);
            }
            System.out.println("a client has gone");
        } catch (VerbsException | InterruptedException e) {
            System.out.println("a client is lost: " + e.getMessage());
        }
    }

    private static void awaitEnd(Connection connection) {
        try {
            connection.awaitDisconnect(Duration.ofDays(365));
        } catch (InterruptedException | IllegalStateException closed) {
            Thread.currentThread().interrupt();
        }
    }

    private static void receive(RcQueuePair pair, MemoryRegion memory, int slot) {
        pair.post(pair.newReceive().id(slot).into(memory, slot * SIZE, SIZE));
    }

    /** Until something does not succeed, which is the end. */
    private static void echo(RcQueuePair pair, CompletionQueue queue, MemoryRegion memory)
            throws InterruptedException {
        WorkCompletions done = WorkCompletions.allocate(AT_A_TIME);
        while (true) {
            queue.await(done, Duration.ofDays(1));
            for (int i = 0; i < done.size(); i++) {
                WorkCompletion completion = done.get(i);
                if (completion.status() != WorkStatus.SUCCESS) {
                    return;
                }
                int slot = (int) completion.wrId();
                if (completion.opcode() == WorkOpcode.RECEIVE) {
                    pair.post(
                            pair.newSend().id(slot).from(memory, slot * SIZE, SIZE).signaled(true));
                } else {
                    receive(pair, memory, slot);
                }
            }
        }
    }

    private static void ask(InetSocketAddress server, int count, Duration limit)
            throws InterruptedException {
        DeviceContext device;
        try (Connector way = Connector.resolve(server, limit)) {
            device = way.context(); // stays the same while connections come and go
        }
        try (ProtectionDomain domain = device.newProtectionDomain();
                CompletionChannel channel = device.newCompletionChannel();
                CompletionQueue queue = device.newCompletionQueue(8, channel, 0);
                MemoryRegion memory = domain.allocate(2 * SIZE, LOCAL_WRITE);
                Reconnector reconnector =
                        new Reconnector(
                                Connector.to(server),
                                same -> domain.newRcQueuePair(queue, queue).build(),
                                ConnectionParameters.defaults(),
                                Echo::tellFlushed)) {
            Connection connection = connected(reconnector, limit);
            for (int number = 1; number <= count; number++) {
                while (!connection.isConnected()
                        || !isAnswered(connection, queue, memory, number)) {
                    reconnector.lost();
                    connection = connected(reconnector, limit);
                }
                System.out.println("answered " + number);
                Thread.sleep(10);
            }
        }
    }

    private static Connection connected(Reconnector reconnector, Duration limit)
            throws InterruptedException {
        Connection connection = reconnector.connection(limit);
        System.out.println("connected");
        return connection;
    }

    /** Sends one message and compares what comes back; false when the connection is lost. */
    private static boolean isAnswered(
            Connection connection, CompletionQueue queue, MemoryRegion memory, int number)
            throws InterruptedException {
        RcQueuePair pair = connection.queuePair();
        String message = "message " + number;
        memory.segment().setString(0, message);
        pair.post(pair.newReceive().id(number).into(memory, SIZE, SIZE));
        pair.post(pair.newSend().id(number).from(memory, 0, SIZE).signaled(true));
        WorkCompletions done = WorkCompletions.allocate(2);
        for (int seen = 0; seen < 2; seen += done.size()) {
            if (queue.await(done, Duration.ofSeconds(5)) == 0) {
                return false;
            }
            boolean lost = false;
            for (int i = 0; i < done.size(); i++) {
                if (done.get(i).status() != WorkStatus.SUCCESS) {
                    tellFlushed(done.get(i)); // polled here, so the reconnector does not see it
                    lost = true;
                }
            }
            if (lost) {
                return false;
            }
        }
        if (!memory.segment().getString(SIZE).equals(message)) {
            throw new IllegalStateException("another answer than " + message);
        }
        return true;
    }

    private static void tellFlushed(WorkCompletion request) {
        System.out.println("flushed " + request.wrId());
    }
}
