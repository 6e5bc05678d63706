package org.verbs4j.cm;

import org.verbs4j.AddressHandle;
import org.verbs4j.Send;
import org.verbs4j.UdQueuePair;
import org.verbs4j.internal.VerbsInternals;

import java.nio.ByteBuffer;

/**
 * A peer of datagrams, ready to be sent to: {@code struct rdma_ud_param} with an address handle.
 *
 * <p>Any thread may use it, several at a time.
 */
public final class DatagramPeer implements AutoCloseable {
    private final AddressHandle handle;
    private final DatagramDestination destination;
    private final ByteBuffer privateData;

    private DatagramPeer(
            AddressHandle handle, DatagramDestination destination, ByteBuffer privateData) {
        this.handle = handle;
        this.destination = destination;
        this.privateData = privateData;
    }

    static DatagramPeer create(
            UdQueuePair pair, DatagramDestination destination, ByteBuffer privateData) {
        AddressHandle handle = destination.newAddressHandle(VerbsInternals.get().domainOf(pair));
        return new DatagramPeer(handle, destination, privateData);
    }

    /** The way to it. */
    public AddressHandle addressHandle() {
        return handle;
    }

    /** Its queue pair and queue key. */
    public DatagramDestination destination() {
        return destination;
    }

    /**
     * What it sent along when it accepted, read-only, {@value
     * ConnectionParameters#MAX_DATAGRAM_ACCEPT_PRIVATE_DATA} bytes with zeros at the end; nothing
     * of a multicast group.
     */
    public ByteBuffer privateData() {
        return privateData.duplicate();
    }

    /** Sends a request to it: {@link Send#to}. */
    public Send address(Send request) {
        return request.to(handle, destination.queuePairNumber(), destination.queueKey());
    }

    /**
     * Frees the way to it. Requests that have been posted go out. Does nothing when it is closed.
     */
    @Override
    public void close() {
        handle.close();
    }

    @Override
    public String toString() {
        return "datagram peer " + destination;
    }
}
