package org.verbs4j;

import org.verbs4j.bindings.Posix;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;

/**
 * Collects requests and posts them by {@code ibv_wr_start}, one {@code ibv_wr_*} each and {@code
 * ibv_wr_complete}, see {@code ibv_wr_post(3)}: the way to what {@link QueuePair#post(SendBatch)}
 * cannot, such as atomic writes and segmented sends. It costs several calls a request and memory of
 * Java; post what classic requests can by those.
 *
 * <p>Belongs to one thread at a time, the one that posts to the queue pair. In C the provider holds
 * the queue's lock from start to complete, and the program must come to the end in any case; here
 * requests are only collected, and {@link #post()} does all of it at once.
 */
public final class ExtendedSender {
    private static final Set<SendOperation> READS =
            EnumSet.of(
                    SendOperation.READ,
                    SendOperation.COMPARE_AND_SWAP,
                    SendOperation.FETCH_AND_ADD);

    private final QueuePair pair;
    private final boolean softRoce;
    private final List<ExtendedRequest> requests = new ArrayList<>();

    ExtendedSender(QueuePair pair) {
        this.pair = pair;
        this.softRoce = pair.setup().context().provider().equals("rxe");
    }

    /** Adds a send, {@code ibv_wr_send}. */
    public ExtendedRequest send() {
        return add(new ExtendedRequest(this, SendOperation.SEND, null, 0, 0, 0));
    }

    /**
     * Adds a send with a number, {@code ibv_wr_send_imm}.
     *
     * @param immediate in host order; the peer reads it in host order
     */
    public ExtendedRequest sendWithImmediate(int immediate) {
        return add(
                new ExtendedRequest(
                        this, SendOperation.SEND_WITH_IMMEDIATE, null, 0, immediate, 0));
    }

    /**
     * Adds a send that invalidates a key of the peer's, {@code ibv_wr_send_inv}.
     *
     * @param remoteKey of a memory window of type 2
     */
    public ExtendedRequest sendAndInvalidate(int remoteKey) {
        return add(
                new ExtendedRequest(
                        this, SendOperation.SEND_AND_INVALIDATE, null, remoteKey, 0, 0));
    }

    /**
     * Adds a write, {@code ibv_wr_rdma_write}.
     *
     * @param to what the peer has told; that the message fits is up to the caller
     */
    public ExtendedRequest write(RemoteBuffer to) {
        return add(new ExtendedRequest(this, SendOperation.WRITE, to, to.rkey(), 0, 0));
    }

    /**
     * Adds a write with a number, which uses up one of the peer's receives, {@code
     * ibv_wr_rdma_write_imm}.
     *
     * @param to as in {@link #write}
     * @param immediate in host order; the peer reads it in host order
     */
    public ExtendedRequest writeWithImmediate(RemoteBuffer to, int immediate) {
        return add(
                new ExtendedRequest(
                        this, SendOperation.WRITE_WITH_IMMEDIATE, to, to.rkey(), immediate, 0));
    }

    /**
     * Adds a read, {@code ibv_wr_rdma_read}.
     *
     * @param from what the peer has told
     */
    public ExtendedRequest read(RemoteBuffer from) {
        return add(new ExtendedRequest(this, SendOperation.READ, from, from.rkey(), 0, 0));
    }

    /**
     * Adds a compare-and-swap of 8 bytes, {@code ibv_wr_atomic_cmp_swp}; the old value comes into
     * the request's part.
     *
     * @param word 8 bytes of the peer's, aligned
     * @param expected in host order
     * @param value what to write if the old value is the expected one
     */
    public ExtendedRequest compareAndSwap(RemoteBuffer word, long expected, long value) {
        return add(
                new ExtendedRequest(
                        this, SendOperation.COMPARE_AND_SWAP, word, word.rkey(), expected, value));
    }

    /**
     * Adds a fetch-and-add of 8 bytes, {@code ibv_wr_atomic_fetch_add}; the old value comes into
     * the request's part.
     *
     * @param word 8 bytes of the peer's, aligned
     * @param addend what to add
     */
    public ExtendedRequest fetchAndAdd(RemoteBuffer word, long addend) {
        return add(
                new ExtendedRequest(
                        this, SendOperation.FETCH_AND_ADD, word, word.rkey(), addend, 0));
    }

    /**
     * Adds an atomic write of 8 bytes, {@code ibv_wr_atomic_write}.
     *
     * @param word 8 bytes of the peer's, aligned
     * @param value in host order
     */
    public ExtendedRequest atomicWrite(RemoteBuffer word, long value) {
        return add(
                new ExtendedRequest(this, SendOperation.ATOMIC_WRITE, word, word.rkey(), value, 0));
    }

    /**
     * Adds the invalidation of a key of this side, {@code ibv_wr_local_inv}.
     *
     * @param key of a memory window of type 2
     */
    public ExtendedRequest invalidate(int key) {
        return add(new ExtendedRequest(this, SendOperation.LOCAL_INVALIDATE, null, key, 0, 0));
    }

    /**
     * Adds the binding of a memory window of type 2, {@code ibv_wr_bind_mw}; as {@link BindWindow}.
     *
     * @param window of the queue pair's domain, not bound
     * @param newKey its key from then on: any with the upper 24 bits of {@link MemoryWindow#rkey()}
     * @param part of a region with {@link Access#MEMORY_WINDOW_BIND}
     * @param access what the peer may do
     * @throws IllegalArgumentException when window or region are of another domain
     */
    public ExtendedRequest bindWindow(
            MemoryWindow window, int newKey, MemorySlice part, Access... access) {
        for (ProtectionDomain domain :
                List.of(window.protectionDomain(), part.region().protectionDomain())) {
            if (!domain.sharesMemoryWith(pair.protectionDomain())) {
                throw new IllegalArgumentException(
                        "window and region must be of the protection domain of " + pair);
            }
        }
        return add(
                new ExtendedRequest(
                        this, newKey, new ExtendedRequest.Binding(window, part, List.of(access))));
    }

    /**
     * Adds a send of raw packets that the device cuts into segments, {@code ibv_wr_send_tso}.
     *
     * @param header what each packet begins with, copied now; at most 65535 bytes
     * @param segmentSize payload bytes of a packet, 1 to 65535
     */
    public ExtendedRequest segmentedSend(MemorySegment header, int segmentSize) {
        Arguments.range("segmentSize", segmentSize, 1, 0xffff);
        Arguments.range("the header's length", header.byteSize(), 0, 0xffff);
        return add(
                new ExtendedRequest(
                        this,
                        SendOperation.SEGMENTED_SEND,
                        null,
                        0,
                        segmentSize,
                        0,
                        header.toArray(ValueLayout.JAVA_BYTE)));
    }

    private ExtendedRequest add(ExtendedRequest request) {
        if (!pair.setup().extendedSends().contains(request.operation)) {
            throw new IllegalStateException(
                    pair
                            + " was not made for "
                            + request.operation
                            + ": give it to extendedSends of its builder");
        }
        if (pair instanceof ReliableQueuePair reliable && READS.contains(request.operation)) {
            reliable.requireReads();
        }
        requests.add(request);
        return request;
    }

    /** How many requests are collected. */
    public int size() {
        return requests.size();
    }

    /** Forgets what is collected. */
    public void clear() {
        requests.clear();
    }

    /**
     * Posts what is collected, all or nothing, and forgets it: {@code ibv_wr_start} to {@code
     * ibv_wr_complete}, see {@code ibv_wr_post(3)}.
     *
     * @throws PostException when it is not accepted, with the cause; nothing was posted, and the
     *     requests are still here
     * @throws IllegalStateException when the queue pair is closed or not ready to send, or a region
     *     is closed
     */
    public void post() {
        int errno = tryPost();
        if (errno != 0) {
            throw new PostException(
                    "ibv_wr_complete",
                    errno,
                    0,
                    isFull(errno) ? PostFailure.fullSend(pair) : pair + " refuses " + requests);
        }
    }

    /**
     * As {@link #post()}, for a queue that may be full.
     *
     * @return false when it is full: nothing was posted, and the requests are still here
     */
    public boolean offer() {
        int errno = tryPost();
        if (errno != 0 && !isFull(errno)) {
            throw new PostException("ibv_wr_complete", errno, 0, pair + " refuses " + requests);
        }
        return errno == 0;
    }

    /**
     * soft-RoCE says ENOSPC; inline data that is too long would as well, but was refused before.
     */
    private static boolean isFull(int errno) {
        return PostFailure.isFull(errno) || errno == Posix.ENOSPC();
    }

    private int tryPost() {
        if (requests.isEmpty()) {
            return 0;
        }
        for (ExtendedRequest request : requests) {
            request.requireAddress(pair.setup().type());
            request.parts()
                    .forEach(part -> part.region().requirePart(part.offset(), part.length()));
        }
        // A provider looks into what is bound and into destinations: they must not go meanwhile.
        List<Lifecycle> bound = new ArrayList<>();
        for (ExtendedRequest request : requests) {
            ExtendedRequest.Binding binding = request.binding;
            if (binding != null) {
                bound.add(binding.window().life());
                bound.add(binding.part().region().life());
            }
            AddressHandle destination = request.destination();
            if (destination != null) {
                bound.add(destination.life());
            }
        }
        return Lifecycle.make(this::postPrepared, bound.toArray(Lifecycle[]::new));
    }

    private int postPrepared() {
        try (ExtendedPost prepared = new ExtendedPost(requests, softRoce)) {
            long qp = WorkQueues.SENDS.enter(pair);
            if (qp == 0) {
                throw pair.sendsShut();
            }
            int errno;
            try {
                errno = prepared.run(qp);
            } finally {
                WorkQueues.SENDS.leave(pair);
            }
            if (errno == 0) {
                requests.clear();
            }
            return errno;
        }
    }

    void requirePart(MemorySlice part, int before) {
        if (!part.region().protectionDomain().sharesMemoryWith(pair.protectionDomain())) {
            throw new IllegalArgumentException(
                    part.region() + " is of another protection domain than " + pair);
        }
        Arguments.range("length", part.length(), 0, pair.maxMessageSize());
        if (before >= pair.maxSendSge()) {
            throw new IllegalArgumentException(
                    "a request of "
                            + pair
                            + " has at most "
                            + pair.maxSendSge()
                            + " parts: build it with a larger maxSendSge");
        }
        if (before > 0 && softRoce) {
            throw new UnsupportedVerbException(
                    "ibv_wr_set_sge_list",
                    Posix.EOPNOTSUPP(),
                    "the provider rxe sends as many bytes of each part as the first one has: post"
                            + " a classic request of several parts, or one part here");
        }
    }

    void requireDestination(AddressHandle handle) {
        handle.requireUsableBy(pair);
    }

    void requireInline(long length) {
        if (length > pair.maxInlineData()) {
            throw new IllegalArgumentException(
                    length
                            + " bytes of inline data exceed the "
                            + pair.maxInlineData()
                            + " of "
                            + pair
                            + ": build it with a larger maxInlineData, or send from a region");
        }
    }

    /** For messages; allocates. */
    @Override
    public String toString() {
        return "extended sender of " + pair + " with " + requests;
    }
}
