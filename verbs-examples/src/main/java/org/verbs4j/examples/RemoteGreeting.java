package org.verbs4j.examples;

import static org.verbs4j.Access.*;

import org.verbs4j.*;
import org.verbs4j.cm.*;

import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.time.Duration;

/** {@code serve} lends memory; {@code greet HOST} writes into it and reads it back meanwhile. */
public final class RemoteGreeting {
    private static final int PORT = 18516;
    private static final Duration LIMIT = Duration.ofMinutes(1);

    public static void main(String[] args) throws InterruptedException {
        if (args[0].equals("serve")) {
            serve();
        } else {
            greet(new InetSocketAddress(args[1], PORT));
        }
    }

    private static void serve() throws InterruptedException {
        try (Listener listener = Listener.bind(new InetSocketAddress(PORT), 1);
                ConnectionRequest request = listener.accept();
                ProtectionDomain domain = request.context().newProtectionDomain();
                CompletionQueue queue = request.context().newCompletionQueue(4);
                RcQueuePair pair =
                        domain.newRcQueuePair(queue, queue)
                                .remoteAccess(REMOTE_WRITE, REMOTE_READ)
                                .build();
                MemoryRegion memory =
                        domain.allocate(4096, LOCAL_WRITE, REMOTE_WRITE, REMOTE_READ)) {
            ByteBuffer where = ByteBuffer.allocate(RemoteBuffer.ENCODED_LENGTH);
            memory.remote().encode(where);
            ConnectionParameters lend =
                    ConnectionParameters.defaults().withPrivateData(where.flip());
            try (Connection connection = request.accept(pair, lend)) {
                connection.awaitDisconnect(LIMIT);
            }
            System.out.println("left behind: " + memory.segment().getString(0));
        }
    }

    private static void greet(InetSocketAddress server) throws InterruptedException {
        try (Connector connector = Connector.resolve(server, LIMIT);
                ProtectionDomain domain = connector.context().newProtectionDomain();
                CompletionChannel channel = connector.context().newCompletionChannel();
                CompletionQueue queue = connector.context().newCompletionQueue(4, channel, 0);
                RcQueuePair pair = domain.newRcQueuePair(queue, queue).build();
                MemoryRegion memory = domain.allocate(4096, LOCAL_WRITE);
                Connection connection =
                        connector.connect(pair, ConnectionParameters.defaults(), LIMIT)) {
            RemoteBuffer remote = RemoteBuffer.decode(connection.privateData());
            SendBatch both = // a reliable queue pair carries them out in order
                    pair.newSendBatch(2)
                            .add(pair.newWrite().from(memory, 0, 64).to(remote, 0).signaled(true))
                            .add(
                                    pair.newRead()
                                            .from(remote, 0)
                                            .into(memory, 64, 64)
                                            .signaled(true));
            memory.segment().setString(0, "hello from " + ProcessHandle.current().pid());
            pair.post(both); // one downcall
            WorkCompletions done = WorkCompletions.allocate(2);
            for (int seen = 0; seen < both.size(); seen += done.size()) {
                if (queue.await(done, Duration.ofSeconds(5)) == 0) {
                    throw new IllegalStateException("nothing has happened for 5 seconds");
                }
                for (int i = 0; i < done.size(); i++) {
                    done.get(i).requireSuccess();
                }
            }
            System.out.println("read back: " + memory.segment().getString(64));
        }
    }
}
