package org.verbs4j;

import org.jspecify.annotations.Nullable;

import java.util.Collections;
import java.util.EnumSet;
import java.util.Set;
import java.util.concurrent.ThreadLocalRandom;

/**
 * Options that every type of queue pair has. What a type cannot do without is a parameter of the
 * method that made the builder. Belongs to one thread.
 *
 * @param <B> the builder of the type
 */
public abstract sealed class QueuePairBuilder<B extends QueuePairBuilder<B>>
        permits RcQueuePair.Builder {
    private static final int MOST = Integer.MAX_VALUE;
    private static final int DEFAULT_REQUESTS = 128;

    final ProtectionDomain domain;
    final CompletionQueue sendQueue;
    final CompletionQueue receiveQueue;

    @Nullable Integer port;
    @Nullable GidEntry gid;
    @Nullable Integer gidIndex;
    int partitionKeyIndex;
    int packetSequence = ThreadLocalRandom.current().nextInt(1 << 24);
    int maxSendRequests = DEFAULT_REQUESTS;
    int maxReceiveRequests = DEFAULT_REQUESTS;
    int maxSendSge = 1;
    int maxReceiveSge = 1;
    int maxInlineData;
    boolean signalAll;
    final Set<SendOperation> extendedSends = EnumSet.noneOf(SendOperation.class);
    Access[] remoteAccess = {};

    QueuePairBuilder(
            ProtectionDomain domain, CompletionQueue sendQueue, CompletionQueue receiveQueue) {
        this.domain = domain;
        this.sendQueue = sendQueue;
        this.receiveQueue = receiveQueue;
        for (CompletionQueue queue : new CompletionQueue[] {sendQueue, receiveQueue}) {
            if (queue.context() != domain.context()) {
                throw new IllegalArgumentException(
                        "the " + queue + " is of another context than the " + domain);
            }
        }
    }

    abstract B self();

    /**
     * Sets the port. By default the first one that is ACTIVE.
     *
     * @param number from 1
     */
    public final B port(int number) {
        port = number;
        return self();
    }

    /**
     * Sets the local GID and its port. By default {@link Port#routableGid()} of the port.
     *
     * @param entry of the port's table
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
     * @param index of the port's table, 0 at first
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
     * Sets how many sends may be outstanding.
     *
     * @param count 128 at first
     */
    public final B maxSendRequests(int count) {
        maxSendRequests = Arguments.range("maxSendRequests", count, 0, MOST);
        return self();
    }

    /**
     * Sets how many receives may be outstanding.
     *
     * @param count 128 at first
     */
    public final B maxReceiveRequests(int count) {
        maxReceiveRequests = Arguments.range("maxReceiveRequests", count, 0, MOST);
        return self();
    }

    /**
     * Sets how many parts a send may have.
     *
     * @param count 1 at first
     */
    public final B maxSendSge(int count) {
        maxSendSge = Arguments.range("maxSendSge", count, 0, MOST);
        return self();
    }

    /**
     * Sets how many parts a receive may have.
     *
     * @param count 1 at first
     */
    public final B maxReceiveSge(int count) {
        maxReceiveSge = Arguments.range("maxReceiveSge", count, 0, MOST);
        return self();
    }

    /**
     * Sets how large an inline message may be. Devices differ and do not tell their limit: some
     * hundred bytes.
     *
     * @param bytes 0 at first; the device may round up
     */
    public final B maxInlineData(int bytes) {
        maxInlineData = Arguments.range("maxInlineData", bytes, 0, MOST);
        return self();
    }

    /**
     * Sets whether every send completes, signaled or not.
     *
     * @param all false at first
     */
    public final B signalAll(boolean all) {
        signalAll = all;
        return self();
    }

    /**
     * Asks for operations of {@link QueuePair#newExtendedSender()}, beside those asked for before.
     * By default there are none. The queue pair then posts all sends by calls that are some
     * nanoseconds slower.
     *
     * @param operations {@code build} refuses those that the device does not have
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
