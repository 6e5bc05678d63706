package org.verbs4j.examples;

import org.verbs4j.CompletionQueue;
import org.verbs4j.ConnectOptions;
import org.verbs4j.Gid;
import org.verbs4j.GidEntry;
import org.verbs4j.MemorySlice;
import org.verbs4j.Mtu;
import org.verbs4j.ProtectionDomain;
import org.verbs4j.Send;
import org.verbs4j.XrcDomain;
import org.verbs4j.XrcReceiveQueuePair;
import org.verbs4j.XrcSendQueuePair;

import java.util.concurrent.ThreadLocalRandom;

/**
 * The two queue pairs that {@code ibv_xsrq_pingpong} has for one peer. Belongs to one thread.
 *
 * <p>A message to a peer names the peer's queue and may go by any link of the same machine, which
 * is the point of XRC.
 */
final class XrcLink implements AutoCloseable {
    private static final int HOP_LIMIT = 5; // of the C tool

    private final int packetSequence = ThreadLocalRandom.current().nextInt(1 << 24);
    private final XrcReceiveQueuePair receiver;
    private final XrcSendQueuePair sender;
    private final Send message;
    private final PortChoice port;

    /** Messages sent to the peer of this link. */
    int sent;

    /** The number of the peer's queue. */
    int remoteQueue;

    /**
     * @param queue where sends complete
     * @param sends how many may be outstanding
     * @param buffer what is sent, all of it
     */
    XrcLink(
            XrcDomain xrc,
            ProtectionDomain domain,
            CompletionQueue queue,
            int sends,
            MemorySlice buffer,
            PortChoice port) {
        this.port = port;
        XrcReceiveQueuePair.Builder receiving =
                xrc.newReceiveQueuePair().port(port.port().number()).packetSequence(packetSequence);
        port.gid().ifPresent(receiving::gid);
        this.receiver = receiving.build();
        XrcSendQueuePair.Builder sending =
                domain.newXrcSendQueuePair(queue)
                        .port(port.port().number())
                        .packetSequence(packetSequence)
                        .maxSendRequests(sends);
        port.gid().ifPresent(sending::gid);
        try {
            this.sender = sending.build();
            this.message = sender.newSend().from(buffer);
        } catch (RuntimeException e) {
            receiver.close();
            throw e;
        }
    }

    XrcEndpoint local(int queue) {
        return new XrcEndpoint(
                port.attributes().lid(),
                receiver.number(),
                sender.number(),
                packetSequence,
                queue,
                port.gid().map(GidEntry::gid).orElse(Gid.zero()));
    }

    void connect(XrcEndpoint remote, Mtu mtu, int serviceLevel) {
        ConnectOptions options =
                new ConnectOptions(mtu, 14, 7, 7, 12, 0, 0, serviceLevel, 0, HOP_LIMIT);
        receiver.connect(remote.senderEnd(mtu), options);
        sender.connect(remote.receiverEnd(mtu), options);
        remoteQueue = remote.queue();
    }

    boolean receivesAs(int queuePairNumber) {
        return receiver.number() == queuePairNumber;
    }

    /**
     * Sends a message by this link.
     *
     * @param queue the peer's that it is for, who may be of another link
     * @param signaled whether it completes
     */
    void post(int queue, boolean signaled) {
        sender.post(message.toQueue(queue).signaled(signaled));
    }

    @Override
    public void close() {
        sender.close();
        receiver.close();
    }
}
