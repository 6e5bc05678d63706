package org.verbs4j.it;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.verbs4j.Access;
import org.verbs4j.CompletionQueue;
import org.verbs4j.MemoryRegion;
import org.verbs4j.ProtectionDomain;
import org.verbs4j.RcQueuePair;
import org.verbs4j.SharedReceiveQueue;
import org.verbs4j.WorkCompletions;
import org.verbs4j.cm.Connection;
import org.verbs4j.cm.ConnectionParameters;
import org.verbs4j.cm.ConnectionRequest;
import org.verbs4j.cm.Connector;
import org.verbs4j.cm.Listener;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/** A connection whose receives come from a shared queue: what rdma_create_srq is for in C. */
@Timeout(value = 2, unit = TimeUnit.MINUTES)
class CmSharedReceiveIT {
    private static final Duration LIMIT = CmPlace.limit(10);

    @Test
    void aConnectionTakesFromASharedReceiveQueue() throws Exception {
        try (Listener listener = Listener.bind(CmPlace.anyPort(), 1);
                Connector connector = Connector.resolve(listener.localAddress(), LIMIT);
                CmSide client = new CmSide(connector.context());
                ProtectionDomain domain = connector.context().newProtectionDomain();
                CompletionQueue queue = connector.context().newCompletionQueue(8);
                SharedReceiveQueue shared = domain.newSharedReceiveQueue(4, 1);
                MemoryRegion memory = domain.allocate(64, Access.LOCAL_WRITE);
                RcQueuePair pair =
                        domain.newRcQueuePair(queue, queue).sharedReceiveQueue(shared).build()) {
            shared.post(shared.newReceive().id(7).into(memory, 0, 64));
            CompletableFuture<Connection> accepted = new CompletableFuture<>();
            Thread.ofPlatform()
                    .start(
                            () -> {
                                try (ConnectionRequest request = listener.accept(LIMIT)) {
                                    accepted.complete(
                                            request.accept(
                                                    pair, ConnectionParameters.defaults(), LIMIT));
                                } catch (Throwable e) {
                                    accepted.completeExceptionally(e);
                                }
                            });
            try (Connection _ =
                            connector.connect(client.pair, ConnectionParameters.defaults(), LIMIT);
                    Connection _ = accepted.get(LIMIT.toMillis(), TimeUnit.MILLISECONDS)) {
                client.memory.segment().setString(0, "shared");
                client.send(1, 0, 7);
                client.await();
                WorkCompletions one = WorkCompletions.allocate(1);
                Waits.until("the message", () -> queue.poll(one) == 1);
                one.get(0).requireSuccess();
                assertThat(one.get(0).wrId()).isEqualTo(7);
                assertThat(memory.segment().getString(0)).isEqualTo("shared");
            }
        }
    }
}
