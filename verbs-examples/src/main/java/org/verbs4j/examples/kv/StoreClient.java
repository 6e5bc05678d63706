package org.verbs4j.examples.kv;

import org.jspecify.annotations.Nullable;
import org.verbs4j.Access;
import org.verbs4j.CompletionChannel;
import org.verbs4j.CompletionQueue;
import org.verbs4j.DeviceContext;
import org.verbs4j.FetchAndAdd;
import org.verbs4j.MemoryRegion;
import org.verbs4j.ProtectionDomain;
import org.verbs4j.RcQueuePair;
import org.verbs4j.ReceiveRequest;
import org.verbs4j.Send;
import org.verbs4j.SendRequest;
import org.verbs4j.WorkCompletion;
import org.verbs4j.cm.Connection;
import org.verbs4j.cm.ConnectionParameters;
import org.verbs4j.cm.Connector;
import org.verbs4j.examples.RdmaPeer;
import org.verbs4j.examples.Resources;
import org.verbs4j.examples.TimeLimits;
import org.verbs4j.examples.ToolFailure;
import org.verbs4j.examples.kv.Answer.Status;
import org.verbs4j.examples.kv.Message.Operation;

import java.lang.foreign.ValueLayout;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;

/**
 * A client of a {@link StoreServer}. Belongs to one thread; several clients are several
 * connections.
 */
public final class StoreClient implements AutoCloseable {
    private static final Duration RESOLVE_LIMIT = Duration.ofSeconds(2);
    private static final int REQUESTS = 4;
    private static final long ONE_SIDED_ID = 1;
    private static final long MESSAGE_ID = 2;
    private static final long ANSWER_ID = 3;
    private static final byte[] NOTHING = {};

    private final Resources resources = new Resources();
    private final RdmaPeer server;
    private final RcQueuePair pair;
    private final RemoteTable values;
    private final RemoteTable counters;
    private final MemoryRegion messages;
    private final Send message;
    private final MemoryRegion answers;
    private final ReceiveRequest receive;
    private final MemoryRegion before;
    private final FetchAndAdd add;

    /** Counters stay where they are, so that each is looked for once. */
    private final Map<String, Integer> known = new HashMap<>();

    private int sequence;
    private boolean oneSidedDone;
    private boolean sent;
    private boolean answered;

    /**
     * What the server has had to do until now.
     *
     * @param messages of all clients
     * @param cpuNanos processor time of its process
     */
    public record ServerWork(long messages, long cpuNanos) {}

    /**
     * Connects.
     *
     * @param silenceLimit how long the server may take for anything
     */
    public static StoreClient connect(InetSocketAddress address, Duration silenceLimit)
            throws InterruptedException {
        try (Connector connector = Connector.resolve(address, TimeLimits.scaled(RESOLVE_LIMIT))) {
            return new StoreClient(connector, address, silenceLimit);
        }
    }

    private StoreClient(Connector connector, InetSocketAddress address, Duration silenceLimit)
            throws InterruptedException {
        String name = "the server " + RdmaPeer.text(address);
        try {
            DeviceContext context = connector.context();
            ProtectionDomain domain = resources.keep(context.newProtectionDomain());
            CompletionChannel channel = resources.keep(context.newCompletionChannel());
            CompletionQueue queue =
                    resources.keep(context.newCompletionQueue(2 * REQUESTS, channel, 0));
            pair =
                    resources.keep(
                            domain.newRcQueuePair(queue, queue)
                                    .maxSendRequests(REQUESTS)
                                    .maxReceiveRequests(1)
                                    .build());
            answers = resources.keep(domain.allocate(Answer.ENCODED_LENGTH, Access.LOCAL_WRITE));
            receive = pair.newReceive().id(ANSWER_ID).into(answers, 0, Answer.ENCODED_LENGTH);
            pair.post(receive);
            Connection connection =
                    resources.keep(
                            connector.connect(
                                    pair,
                                    ConnectionParameters.defaults()
                                            .withPrivateData(Offer.greeting()),
                                    silenceLimit));
            server = new RdmaPeer(name, connection, queue, silenceLimit);
            Offer offer = Offer.decode(connection.privateData(), name);
            values =
                    resources.keep(
                            new RemoteTable(
                                    offer.values(), domain, pair, ONE_SIDED_ID, this::carry));
            counters =
                    resources.keep(
                            new RemoteTable(
                                    offer.counters(), domain, pair, ONE_SIDED_ID, this::carry));
            messages = resources.keep(domain.allocate(Message.maxLength(values.shape())));
            message = pair.newSend().id(MESSAGE_ID);
            before = resources.keep(domain.allocate(Long.BYTES, Access.LOCAL_WRITE));
            add = pair.newFetchAndAdd().id(ONE_SIDED_ID).into(before, 0);
        } catch (RuntimeException | InterruptedException e) {
            resources.closeAfter(e);
            throw e;
        }
    }

    /**
     * Reads a value out of the server's memory.
     *
     * @return null when there is none
     */
    public byte @Nullable [] get(String key) throws InterruptedException {
        return values.find(bytes(key)) == RemoteTable.ABSENT ? null : values.value();
    }

    /**
     * Adds to a counter in the server's memory. It is made, of 0, when it is not there: by the
     * server, as everything new.
     *
     * @return what it was before
     */
    public long add(String key, long delta) throws InterruptedException {
        Integer at = known.get(key);
        if (at == null) {
            at = counterOf(bytes(key));
            known.put(key, at);
        }
        carry(add.at(counters.remote(), counters.valueOffset(at)).add(delta));
        return before.segment().get(ValueLayout.JAVA_LONG, 0);
    }

    private int counterOf(byte[] key) throws InterruptedException {
        int at = counters.find(key);
        if (at == RemoteTable.ABSENT) {
            ask(Operation.COUNT, key, NOTHING);
            at = counters.find(key);
        }
        if (at == RemoteTable.ABSENT) {
            throw new ToolFailure(server + " has made a counter that cannot be found");
        }
        return at;
    }

    /** Stores a value, a new one or in place of the one before. */
    public void put(String key, byte[] value) throws InterruptedException {
        ask(Operation.PUT, bytes(key), value);
    }

    /**
     * Takes a value out.
     *
     * @return false when there was none
     */
    public boolean delete(String key) throws InterruptedException {
        return ask(Operation.DELETE, bytes(key), NOTHING).status() == Status.DONE;
    }

    /** Asks what the server has had to do. */
    public ServerWork work() throws InterruptedException {
        Answer answer = ask(Operation.STATUS, NOTHING, NOTHING);
        return new ServerWork(answer.messages(), answer.cpuNanos());
    }

    /** How often a read met a write and was done again. */
    public long repeats() {
        return values.repeats() + counters.repeats();
    }

    private byte[] bytes(String key) {
        byte[] bytes = key.getBytes(StandardCharsets.UTF_8);
        int most = values.shape().maxKey();
        if (bytes.length == 0 || bytes.length > most) {
            throw new ToolFailure(
                    "a key has 1 to %d bytes on this server, not %d".formatted(most, bytes.length));
        }
        return bytes;
    }

    private Answer ask(Operation operation, byte[] key, byte[] value) throws InterruptedException {
        int most = values.shape().maxValue();
        if (value.length > most) {
            throw new ToolFailure(
                    "a value has up to %d bytes on this server, not %d"
                            .formatted(most, value.length));
        }
        new Message(++sequence, operation, key, value).encode(messages.segment().asByteBuffer());
        sent = false;
        answered = false;
        int length = Message.HEADER + key.length + value.length;
        pair.post(message.from(messages, 0, length));
        while (!sent || !answered) {
            server.await(this::note);
        }
        Answer answer = Answer.decode(answers.segment().asByteBuffer());
        pair.post(receive);
        return checked(answer, operation);
    }

    private Answer checked(Answer answer, Operation operation) {
        if (answer.sequence() != sequence) {
            throw new ToolFailure(server + " has answered another message");
        }
        return switch (answer.status()) {
            case DONE, ABSENT -> answer;
            case FULL ->
                    throw new ToolFailure(
                            server
                                    + " has no room near the place of this key: start it with more "
                                    + (operation == Operation.PUT ? "--buckets" : "--counters"));
            case REFUSED -> throw new ToolFailure(server + " refuses the " + operation);
        };
    }

    /** Posts a request of which the server notices nothing, and waits for its end. */
    private void carry(SendRequest request) throws InterruptedException {
        oneSidedDone = false;
        pair.post(request);
        while (!oneSidedDone) {
            server.await(this::note);
        }
    }

    private void note(WorkCompletion completion) {
        long id = completion.wrId();
        oneSidedDone |= id == ONE_SIDED_ID;
        sent |= id == MESSAGE_ID;
        answered |= id == ANSWER_ID;
    }

    /** Disconnects. */
    @Override
    public void close() {
        resources.close();
    }
}
