package org.verbs4j.examples.kv;

import org.verbs4j.Access;
import org.verbs4j.CompletionChannel;
import org.verbs4j.CompletionQueue;
import org.verbs4j.DeviceContext;
import org.verbs4j.MemoryRegion;
import org.verbs4j.ProtectionDomain;
import org.verbs4j.RcQueuePair;
import org.verbs4j.ReceiveRequest;
import org.verbs4j.SharedReceiveQueue;
import org.verbs4j.VerbsException;
import org.verbs4j.WorkCompletion;
import org.verbs4j.WorkCompletions;
import org.verbs4j.cm.Connection;
import org.verbs4j.cm.ConnectionParameters;
import org.verbs4j.cm.ConnectionRequest;
import org.verbs4j.examples.RdmaPeer;

import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Semaphore;
import java.util.function.Consumer;

/**
 * What a server has on one device: the tables registered, one queue of receives that all clients
 * share, and the thread that answers. Each client has a thread that waits for its end.
 */
final class StorePort implements AutoCloseable {
    private static final int MOST_CLIENTS = 128;
    private static final int RECEIVES = 256;

    /** A client waits for each answer, so that more is one that does not take them. */
    private static final int ANSWERS = 4;

    private static final int COMPLETIONS = 32;
    private static final long ANSWER_ID = -1;
    private static final Duration LONG = Duration.ofHours(1);

    private final Store store;
    private final Consumer<String> log;
    private final ProtectionDomain domain;
    private final MemoryRegion values;
    private final MemoryRegion counters;
    private final MemoryRegion inbox;
    private final MemoryRegion outbox;
    private final CompletionChannel channel;
    private final CompletionQueue queue;
    private final SharedReceiveQueue receives;
    private final int messageRoom;
    private final Map<Integer, StoreGuest> guests = new ConcurrentHashMap<>();
    private final Semaphore places = new Semaphore(MOST_CLIENTS);
    private final Thread thread;

    StorePort(DeviceContext context, Store store, Consumer<String> log) {
        this.store = store;
        this.log = log;
        messageRoom = Message.maxLength(store.values().shape());
        domain = context.newProtectionDomain();
        values = domain.register(store.values().memory(), Access.REMOTE_READ);
        counters =
                domain.register(
                        store.counters().memory(),
                        Access.LOCAL_WRITE,
                        Access.REMOTE_READ,
                        Access.REMOTE_ATOMIC);
        inbox = domain.allocate((long) RECEIVES * messageRoom, Access.LOCAL_WRITE);
        outbox = domain.allocate(Answer.ENCODED_LENGTH);
        channel = context.newCompletionChannel();
        queue = context.newCompletionQueue(RECEIVES + MOST_CLIENTS * ANSWERS, channel, 0);
        receives = domain.newSharedReceiveQueue(RECEIVES, 1);
        for (int i = 0; i < RECEIVES; i++) {
            post(receives.newReceive(), i);
        }
        thread = Thread.ofPlatform().daemon().name("kv-server " + context).start(this::answerAll);
    }

    private void post(ReceiveRequest receive, long slot) {
        receives.post(receive.id(slot).into(inbox, slot * messageRoom, messageRoom));
    }

    /** Connects a client and waits for its end. */
    void serve(ConnectionRequest request) {
        try (request) {
            if (!places.tryAcquire()) {
                log.accept("refused " + request + ": there are " + MOST_CLIENTS + " already");
                return;
            }
            try (RcQueuePair pair = newPair()) {
                StoreGuest guest = new StoreGuest(pair, outbox, ANSWER_ID);
                guests.put(pair.number(), guest);
                try (Connection connection = request.accept(pair, acceptance())) {
                    String name = name(connection);
                    log.accept("+ " + name);
                    guest.connected(connection);
                    while (!connection.awaitDisconnect(LONG)) {}
                    log.accept("- " + name + " after " + guest.messages() + " messages");
                } finally {
                    guests.remove(pair.number());
                }
            } finally {
                places.release();
            }
        } catch (VerbsException e) {
            log.accept(request + ": " + e.getMessage());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt(); // the server is closed
        }
    }

    private static String name(Connection connection) {
        InetSocketAddress address = connection.remoteAddress();
        return address == null ? "a client" : RdmaPeer.text(address);
    }

    private RcQueuePair newPair() {
        return domain.newRcQueuePair(queue, queue)
                .sharedReceiveQueue(receives)
                .remoteAccess(Access.REMOTE_READ, Access.REMOTE_ATOMIC)
                .maxSendRequests(ANSWERS)
                .maxInlineData(Answer.ENCODED_LENGTH)
                .build();
    }

    private ConnectionParameters acceptance() {
        Offer offer =
                new Offer(
                        new Offer.Place(store.values().shape(), values.remote()),
                        new Offer.Place(store.counters().shape(), counters.remote()));
        return ConnectionParameters.defaults().withPrivateData(offer.encode());
    }

    private void answerAll() {
        WorkCompletions completions = WorkCompletions.allocate(COMPLETIONS);
        ReceiveRequest receive = receives.newReceive();
        try {
            while (true) {
                int taken = queue.await(completions, LONG);
                for (int i = 0; i < taken; i++) {
                    handle(completions.get(i), receive);
                }
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt(); // the server is closed
        }
    }

    /** A request that failed is of a client that has gone, or will have to. */
    private void handle(WorkCompletion completion, ReceiveRequest receive) {
        StoreGuest guest = guests.get(completion.queuePairNumber());
        boolean good = completion.isSuccess();
        long slot = completion.wrId();
        if (guest != null && !good) {
            guest.end();
        } else if (guest != null && slot != ANSWER_ID) {
            guest.answer(store.apply(message(slot, completion.byteLength())));
        }
        if (slot != ANSWER_ID) {
            post(receive, slot);
        }
    }

    private ByteBuffer message(long slot, long length) {
        return inbox.segment().asSlice(slot * messageRoom, length).asByteBuffer();
    }

    @Override
    public void close() {
        thread.interrupt();
        boolean interrupted = Thread.interrupted();
        while (thread.isAlive()) {
            try {
                thread.join();
            } catch (InterruptedException e) {
                interrupted = true;
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
        receives.close();
        queue.close();
        channel.close();
        outbox.close();
        inbox.close();
        counters.close();
        values.close();
        domain.close();
    }
}
