package org.verbs4j.examples;

import org.jspecify.annotations.Nullable;
import org.verbs4j.Access;
import org.verbs4j.AddressHandle;
import org.verbs4j.AddressVector;
import org.verbs4j.CompletionChannel;
import org.verbs4j.CompletionQueue;
import org.verbs4j.ConnectOptions;
import org.verbs4j.ConnectedQueuePair;
import org.verbs4j.DeviceContext;
import org.verbs4j.GidEntry;
import org.verbs4j.MemoryRegion;
import org.verbs4j.ProtectionDomain;
import org.verbs4j.QueuePair;
import org.verbs4j.QueuePairBuilder;
import org.verbs4j.QueuePairEndpoint;
import org.verbs4j.RcQueuePair;
import org.verbs4j.ReceiveRequest;
import org.verbs4j.RemoteBuffer;
import org.verbs4j.Send;
import org.verbs4j.SendRequest;
import org.verbs4j.UcQueuePair;
import org.verbs4j.UdQueuePair;
import org.verbs4j.WorkCompletion;
import org.verbs4j.Write;

import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;

/**
 * What one side of perftest has on its device: queue pairs, queues, and one buffer with two places
 * for each queue pair.
 *
 * <pre>
 *   | sent by pair 0 | sent by pair 1 | ... | received by pair 0 | received by pair 1 | ...
 * </pre>
 *
 * A place is as long as the largest message or as the cycle of {@link PerfPath}, through which
 * smaller messages go round. Belongs to one thread.
 */
final class PerfEnds implements AutoCloseable {
    private static final int HOPS = 0xff;
    private static final int RETRIES = 7;
    private static final int RNR_TIMER = 12;

    private final PerfPlan plan;
    private final PortChoice port;
    private final PerfPath path;
    private final int inline;
    private final int outstanding;
    private final long place;
    private final ProtectionDomain domain;
    private final MemoryRegion buffer;
    private final @Nullable CompletionChannel channel;
    private final CompletionQueue sends;
    private final CompletionQueue receives;
    private final List<QueuePair> pairs = new ArrayList<>();
    private final List<PerfKeys> peers = new ArrayList<>();
    private final List<AddressHandle> handles = new ArrayList<>();

    /**
     * @param context of the port's device
     * @param count of queue pairs
     */
    PerfEnds(DeviceContext context, PortChoice port, PerfPlan plan, PerfPath path, int count) {
        this.plan = plan;
        this.port = port;
        this.path = path;
        this.inline = inline(plan.options(), context.provider());
        this.outstanding = outstanding(plan.options(), context.attributes().maxAcceptedReads());
        this.place = path.stride(Math.max(plan.size(), path.cycle()));
        this.domain = context.newProtectionDomain();
        this.buffer = domain.allocate(2L * count * place + path.cacheLine(), access(plan));
        this.channel = plan.options().events ? context.newCompletionChannel() : null;
        this.sends = newQueue(context, plan.sendDepth() * count);
        this.receives =
                plan.verb() == PerfVerb.SEND
                        ? newQueue(context, plan.receiveDepth() * count)
                        : sends;
        for (int i = 0; i < count; i++) {
            pairs.add(newPair());
        }
    }

    private CompletionQueue newQueue(DeviceContext context, int capacity) {
        return channel == null
                ? context.newCompletionQueue(capacity)
                : context.newCompletionQueue(capacity, channel, 0);
    }

    /** As perftest does: its usual size for latency on devices that it knows to be good at it. */
    static int inline(PerfOptions options, String provider) {
        if (options.inline != PerfOptions.UP_TO_THE_DEVICE) {
            return options.inline;
        }
        if (options.isBandwidth() || options.verb().isRoundTrip()) {
            return 0;
        }
        int datagram = 188;
        int usual = options.transport == PerfTransport.UD ? datagram : options.verb().usualInline();
        return switch (provider) {
            case "mlx4", "mlx5", "cxgb4", "hfi1verbs" -> usual;
            case "qedr" -> 128;
            case "bnxt_re" -> 96;
            case "efa" -> 32;
            default -> 0;
        };
    }

    private static int outstanding(PerfOptions options, int most) {
        if (!options.verb().isRoundTrip()) {
            return 1;
        }
        int asked =
                options.outstanding == PerfOptions.UP_TO_THE_DEVICE ? most : options.outstanding;
        return Math.min(Math.min(asked, most), 0xff);
    }

    /**
     * Relaxed order could show the last byte of a write, which latency tests look at, too early.
     */
    private static Access[] access(PerfPlan plan) {
        List<Access> access = new ArrayList<>(List.of(plan.verb().access()));
        access.add(Access.LOCAL_WRITE);
        if (isRelaxed(plan)) {
            access.add(Access.RELAXED_ORDERING);
        }
        return access.toArray(Access[]::new);
    }

    static boolean isRelaxed(PerfPlan plan) {
        return plan.verb() != PerfVerb.WRITE || plan.options().isBandwidth();
    }

    private QueuePair newPair() {
        return switch (plan.transport()) {
            case RC ->
                    prepare(
                                    domain.newRcQueuePair(sends, receives)
                                            .remoteAccess(plan.verb().access()))
                            .build();
            case UC -> newUcPair();
            case UD -> newUdPair();
        };
    }

    /** By rdma_cm with its own key. */
    private UdQueuePair newUdPair() {
        UdQueuePair.Builder builder = prepare(domain.newUdQueuePair(sends, receives));
        return (plan.options().rdmaCm ? builder : builder.queueKey(DatagramEnds.QUEUE_KEY)).build();
    }

    private UcQueuePair newUcPair() {
        return prepare(domain.newUcQueuePair(sends, receives).remoteAccess(plan.verb().access()))
                .build();
    }

    private <B extends QueuePairBuilder<B>> B prepare(B builder) {
        builder.port(port.port().number())
                .maxSendRequests(plan.sendDepth())
                .maxReceiveRequests(plan.verb() == PerfVerb.SEND ? plan.receiveDepth() : 1)
                .maxSendSge(1)
                .maxReceiveSge(1)
                .maxInlineData(inline);
        port.gid().ifPresent(builder::gid);
        return builder;
    }

    /** Bytes that may be sent inline. */
    int inline() {
        return inline;
    }

    /** Reads and atomics that this side takes at a time. */
    int outstanding() {
        return outstanding;
    }

    PerfPath path() {
        return path;
    }

    int count() {
        return pairs.size();
    }

    QueuePair pair(int index) {
        return pairs.get(index);
    }

    CompletionQueue sends() {
        return sends;
    }

    CompletionQueue receives() {
        return receives;
    }

    @Nullable CompletionChannel channel() {
        return channel;
    }

    MemoryRegion buffer() {
        return buffer;
    }

    /** Where messages of a queue pair arrive. */
    long receivedAt(int index) {
        return (pairs.size() + index) * place;
    }

    /** What the peer needs to know about each queue pair. */
    List<PerfKeys> keys() {
        List<PerfKeys> keys = new ArrayList<>();
        for (int i = 0; i < pairs.size(); i++) {
            QueuePairEndpoint end = pairs.get(i).endpoint();
            keys.add(
                    new PerfKeys(
                            end.lid(),
                            outstanding,
                            end.queuePairNumber(),
                            end.packetSequence(),
                            buffer.rkey(),
                            buffer.address() + receivedAt(i),
                            port.gid().map(GidEntry::gid).orElse(PerfKeys.NONE.gid())));
        }
        return keys;
    }

    /** Connects a queue pair, in their order. */
    void connect(PerfKeys remote) {
        QueuePair pair = pairs.get(peers.size());
        QueuePairEndpoint end =
                new QueuePairEndpoint(
                        remote.queuePairNumber(),
                        remote.packetSequence(),
                        remote.lid(),
                        path.mtu(),
                        remote.gid().isZero() ? null : remote.gid());
        switch (pair) {
            case ConnectedQueuePair connected -> connected.connect(end, connectOptions(remote));
            case UdQueuePair datagrams -> {
                datagrams.activate();
                handles.add(domain.newAddressHandle(way(remote)));
            }
            default -> throw new IllegalStateException("no way to connect " + pair);
        }
        peers.add(remote);
    }

    /** Whether either side sends to the other what is measured. */
    boolean isMutual() {
        return plan.options().duplex || !plan.options().isBandwidth();
    }

    /** The way to the next peer of datagrams, by rdma_cm; to be closed with the rest. */
    void reached(AddressHandle way) {
        handles.add(way);
    }

    /** The way back to the next peer, whose first datagram has used up the receive of a pair. */
    void reachedBack(WorkCompletion received, int index) {
        MemorySegment datagram =
                buffer.segment().asSlice(receiveOffset(index), received.byteLength());
        reached(domain.newAddressHandle(port.port(), received, datagram));
    }

    /** Takes a queue pair for connected that rdma_cm has connected. */
    void connected(PerfKeys remote) {
        peers.add(remote);
    }

    private ConnectOptions connectOptions(PerfKeys remote) {
        return ConnectOptions.defaults()
                .withPathMtu(path.mtu())
                .withTimeout(plan.options().ackTimeout)
                .withRetries(RETRIES, RETRIES)
                .withMinRnrTimer(RNR_TIMER)
                .withReads(Math.min(remote.outstanding(), 0xff), outstanding)
                .withService(plan.options().serviceLevel, 0, HOPS);
    }

    private AddressVector way(PerfKeys remote) {
        AddressVector.GlobalRoute route =
                port.gid()
                        .map(
                                source ->
                                        new AddressVector.GlobalRoute(
                                                remote.gid(), source.index(), 0, HOPS, 0))
                        .orElse(null);
        return new AddressVector(
                port.port().number(), remote.lid(), plan.options().serviceLevel, route);
    }

    /**
     * A request of what is measured, to the peer that has been connected.
     *
     * @param index of the queue pair, also the request's id
     * @param offset into the two places
     */
    SendRequest newRequest(int index, long size, long offset) {
        QueuePair pair = pairs.get(index);
        PerfKeys peer = peers.get(index);
        long local = index * place + offset;
        long there = peer.address() + offset;
        return switch (plan.verb()) {
            case SEND -> {
                Send send =
                        pair.newSend().id(index).from(buffer, local, size).inline(size <= inline);
                yield plan.transport() == PerfTransport.UD
                        ? send.to(
                                handles.get(index),
                                peer.queuePairNumber(),
                                ((UdQueuePair) pair).queueKey())
                        : send;
            }
            case WRITE ->
                    newWrite(pair)
                            .id(index)
                            .from(buffer, local, size)
                            .to(there, peer.rkey())
                            .inline(size <= inline);
            case READ ->
                    ((RcQueuePair) pair)
                            .newRead()
                            .id(index)
                            .into(buffer, local, size)
                            .from(there, peer.rkey());
            case ATOMIC -> newAtomic((RcQueuePair) pair, index, local, there, peer.rkey());
        };
    }

    private static Write newWrite(QueuePair pair) {
        return pair instanceof UcQueuePair unreliable
                ? unreliable.newWrite()
                : ((RcQueuePair) pair).newWrite();
    }

    private SendRequest newAtomic(RcQueuePair pair, int index, long local, long there, int rkey) {
        RemoteBuffer number = new RemoteBuffer(there, Long.BYTES, rkey);
        return switch (plan.options().atomic) {
            case FETCH_AND_ADD ->
                    pair.newFetchAndAdd().id(index).into(buffer, local).at(number, 0).add(1);
            case CMP_AND_SWAP ->
                    pair.newCompareAndSwap()
                            .id(index)
                            .into(buffer, local)
                            .at(number, 0)
                            .expect(0)
                            .swap(0);
        };
    }

    /** Bytes that the device writes in front of a message. */
    int headroom() {
        return plan.transport() == PerfTransport.UD ? UdQueuePair.GLOBAL_ROUTING_HEADER_LENGTH : 0;
    }

    /** A receive for a message; its id is the index. */
    ReceiveRequest newReceive(int index, long size, long offset) {
        return pairs.get(index)
                .newReceive()
                .id(index)
                .into(buffer, receiveOffset(index) + offset, size + headroom());
    }

    /** The message itself begins at a cache line. */
    private long receiveOffset(int index) {
        long shift = headroom() == 0 ? 0 : path.cacheLine() - headroom();
        return receivedAt(index) + Math.max(0, shift);
    }

    @Override
    public void close() {
        pairs.forEach(QueuePair::close);
        handles.forEach(AddressHandle::close);
        if (receives != sends) {
            receives.close();
        }
        sends.close();
        if (channel != null) {
            channel.close();
        }
        buffer.close();
        domain.close();
    }
}
