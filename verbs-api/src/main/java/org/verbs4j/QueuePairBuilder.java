package org.verbs4j;

import org.jspecify.annotations.Nullable;

import java.util.Collections;
import java.util.EnumSet;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.Function;
import java.util.stream.Stream;

/**
 * Options that every type of queue pair has: {@code struct ibv_qp_init_attr}, and what the move to
 * INIT takes. What a type cannot do without is a parameter of the method that made the builder.
 * Belongs to one thread.
 *
 * @param <B> the builder of the type
 */
public abstract sealed class QueuePairBuilder<B extends QueuePairBuilder<B>>
        permits ConnectedQueuePair.Builder, UdQueuePair.Builder, RawPacketQueuePair.Builder {
    private static final int MOST = Integer.MAX_VALUE;
    private static final int DEFAULT_REQUESTS = 128;

    final DeviceContext context;
    final @Nullable ProtectionDomain domain;
    final @Nullable CompletionQueue sendQueue;
    final @Nullable CompletionQueue receiveQueue;
    @Nullable XrcDomain xrcDomain;
    @Nullable SharedReceiveQueue sharedReceiveQueue;

    @Nullable Integer port;
    @Nullable GidEntry gid;
    @Nullable Integer gidIndex;
    int partitionKeyIndex;
    int packetSequence = ThreadLocalRandom.current().nextInt(1 << 24);
    int queueKey;
    int maxSendRequests = DEFAULT_REQUESTS;
    int maxReceiveRequests = DEFAULT_REQUESTS;
    int maxSendSge = 1;
    int maxReceiveSge = 1;
    int maxInlineData;
    boolean signalAll;
    final Set<SendOperation> extendedSends = EnumSet.noneOf(SendOperation.class);
    Access[] remoteAccess = {};
    Set<QueuePairOption> options = Set.of();
    @Nullable Integer sourceQueuePair;

    QueuePairBuilder(
            ProtectionDomain domain, CompletionQueue sendQueue, CompletionQueue receiveQueue) {
        this.context = domain.context();
        this.domain = domain;
        this.sendQueue = Objects.requireNonNull(sendQueue, "sendQueue"); // C would crash
        this.receiveQueue = Objects.requireNonNull(receiveQueue, "receiveQueue");
        for (CompletionQueue queue : new CompletionQueue[] {sendQueue, receiveQueue}) {
            if (queue.context() != context) {
                throw new IllegalArgumentException(
                        "the " + queue + " is of another context than the " + domain);
            }
        }
    }

    /** Of an XRC receiver, which has no requests and so no queues and no protection domain. */
    QueuePairBuilder(XrcDomain xrcDomain) {
        this.context = xrcDomain.context();
        this.xrcDomain = xrcDomain;
        this.domain = null;
        this.sendQueue = null;
        this.receiveQueue = null;
    }

    /** Makes the queue pair in INIT, while nothing that it needs can be closed. */
    final <Q extends QueuePair> Q make(QueuePairType type, Function<QueuePairSetup, Q> wrap) {
        return Lifecycle.make(() -> makeHeld(type, wrap), parents());
    }

    private <Q extends QueuePair> Q makeHeld(QueuePairType type, Function<QueuePairSetup, Q> wrap) {
        Q pair = wrap.apply(new QueuePairCreation(this, type).create());
        context.queuePairs().add(pair);
        try {
            pair.moveToInit();
            return pair;
        } catch (RuntimeException e) {
            closeAfter(pair, e);
            throw e;
        }
    }

    private static void closeAfter(QueuePair pair, RuntimeException cause) {
        try {
            pair.close();
        } catch (RuntimeException e) {
            cause.addSuppressed(e);
        }
    }

    final Lifecycle[] parents() {
        return Stream.of(
                        domain == null ? null : domain.life(),
                        xrcDomain == null ? null : xrcDomain.life(),
                        sendQueue == null ? null : sendQueue.life(),
                        receiveQueue == null ? null : receiveQueue.life(),
                        sharedReceiveQueue == null ? null : sharedReceiveQueue.life())
                .filter(Objects::nonNull)
                .distinct()
                .toArray(Lifecycle[]::new);
    }

    /** Takes a shared receive queue in. */
    final B takeReceivesFrom(SharedReceiveQueue queue) {
        if (domain == null || !queue.receiveDomain().sharesMemoryWith(domain)) {
            // The device would fail with a protection error.
            throw new IllegalArgumentException(
                    queue + " is of another protection domain than the queue pair");
        }
        sharedReceiveQueue = queue;
        return self();
    }

    abstract B self();

    /**
     * Sets the port. By default the first one that is ACTIVE.
     *
     * @param number from 1; {@code build} refuses one that the device does not have
     */
    public final B port(int number) {
        port = number;
        return self();
    }

    /**
     * Sets the local GID and its port. By default {@link Port#routableGid()} of the port.
     *
     * @param entry of the port's table, as it is now: {@link QueuePair#endpoint()} and {@link
     *     ConnectedQueuePair#connect(QueuePairEndpoint)} refuse to go on when another GID has taken
     *     its place
     */
    public final B gid(GidEntry entry) {
        gid = entry;
        gidIndex = null;
        port = entry.port();
        return self();
    }

    /**
     * Sets the local GID. By default {@link Port#routableGid()} of the port.
     *
     * @param index in the port's table; {@code build} refuses one that is empty and lists the
     *     usable ones
     */
    public final B gidIndex(int index) {
        gidIndex = index;
        gid = null;
        return self();
    }

    /**
     * Sets the partition.
     *
     * @param index of the port's table, 0 to 65535, 0 at first: {@code pkey_index}
     */
    public final B partitionKeyIndex(int index) {
        partitionKeyIndex = Arguments.range("partitionKeyIndex", index, 0, 0xffff);
        return self();
    }

    /**
     * Sets the number of the first packet. By default random, so that packets of an earlier
     * connection do not fit.
     *
     * @param psn 24 bits
     */
    public final B packetSequence(int psn) {
        packetSequence = Arguments.range("packetSequence", psn, 0, 0xff_ffff);
        return self();
    }

    /**
     * Sets how many sends may be outstanding: {@code max_send_wr}.
     *
     * @param count 128 at first, 0 to {@link DeviceAttributes#maxQueuePairRequests()}; the device
     *     may round up
     */
    public final B maxSendRequests(int count) {
        maxSendRequests = Arguments.range("maxSendRequests", count, 0, MOST);
        return self();
    }

    /**
     * Sets how many receives may be outstanding: {@code max_recv_wr}.
     *
     * @param count 128 at first, 0 to {@link DeviceAttributes#maxQueuePairRequests()}; the device
     *     may round up
     */
    public final B maxReceiveRequests(int count) {
        maxReceiveRequests = Arguments.range("maxReceiveRequests", count, 0, MOST);
        return self();
    }

    /**
     * Sets how many parts a send may have: {@code max_send_sge}.
     *
     * @param count 1 at first, 0 to {@link DeviceAttributes#maxSge()}
     */
    public final B maxSendSge(int count) {
        maxSendSge = Arguments.range("maxSendSge", count, 0, MOST);
        return self();
    }

    /**
     * Sets how many parts a receive may have: {@code max_recv_sge}.
     *
     * @param count 1 at first, 0 to {@link DeviceAttributes#maxSge()}
     */
    public final B maxReceiveSge(int count) {
        maxReceiveSge = Arguments.range("maxReceiveSge", count, 0, MOST);
        return self();
    }

    /**
     * Sets how large an inline message may be: {@code max_inline_data}. Devices differ and do not
     * tell their limit: some hundred bytes.
     *
     * @param bytes 0 at first, not negative; the device may round up
     */
    public final B maxInlineData(int bytes) {
        maxInlineData = Arguments.range("maxInlineData", bytes, 0, MOST);
        return self();
    }

    /**
     * Sets whether every send completes, signaled or not: {@code sq_sig_all}.
     *
     * @param all false at first
     */
    public final B signalAll(boolean all) {
        signalAll = all;
        return self();
    }

    /**
     * Asks for what few devices can do, {@code ibv_create_qp_ex(3)}.
     *
     * @param wanted none at first; {@code build} raises {@link UnsupportedVerbException} when the
     *     device has one of them not
     */
    public final B options(QueuePairOption... wanted) {
        options = Set.of(wanted);
        return self();
    }

    /**
     * Asks for operations of {@link QueuePair#newExtendedSender()}, beside those asked for before.
     * By default there are none. The queue pair then posts all sends by calls that are some
     * nanoseconds slower.
     *
     * @param operations {@code build} raises {@link UnsupportedVerbException} when the device has
     *     one of them not
     */
    public final B extendedSends(SendOperation... operations) {
        Collections.addAll(extendedSends, operations);
        return self();
    }

    /** What was asked for, for messages. */
    @Override
    public final String toString() {
        return maxSendRequests
                + " sends of "
                + maxSendSge
                + " parts, "
                + maxReceiveRequests
                + " receives of "
                + maxReceiveSge
                + " parts, "
                + maxInlineData
                + " bytes inline"
                + (extendedSends.isEmpty() ? "" : ", extended sends " + extendedSends);
    }
}
