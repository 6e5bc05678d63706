package org.verbs4j.cm;

import org.jspecify.annotations.Nullable;
import org.verbs4j.bindings.Posix;

import java.net.Inet4Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;

/**
 * Settings of a {@link Listener} or {@link DatagramListener}, as {@code rdma_set_option(3)} takes
 * them. Belongs to one thread.
 */
public final class ListenerBuilder {
    private static final int DEFAULT_BACKLOG = 128;
    private static final int IPV6_LENGTH = 16;

    private final InetSocketAddress address;
    private int backlog = DEFAULT_BACKLOG;
    private boolean reuseAddress;
    private boolean onlyOneFamily;
    private @Nullable Integer typeOfService;
    private @Nullable Integer ackTimeout;
    private PortSpace datagrams = PortSpace.UDP;

    ListenerBuilder(InetSocketAddress address) {
        this.address = address;
    }

    /**
     * Sets how many requests may wait to be accepted.
     *
     * @param requests 128 at first, as {@link Listener#bind(InetSocketAddress, int)}
     */
    public ListenerBuilder backlog(int requests) {
        backlog = requests;
        return this;
    }

    /**
     * Allows an address that another id has bound, though not another listener's: {@code
     * RDMA_OPTION_ID_REUSEADDR}.
     */
    public ListenerBuilder reuseAddress(boolean on) {
        reuseAddress = on;
        return this;
    }

    /** Lets a wildcard address serve its own family only: {@code RDMA_OPTION_ID_AFONLY}. */
    public ListenerBuilder onlyOneFamily(boolean on) {
        onlyOneFamily = on;
        return this;
    }

    /**
     * Sets the type of service of the packets of accepted connections.
     *
     * @param value 0 to 255, as {@link ConnectionOptions#typeOfService}
     */
    public ListenerBuilder typeOfService(int value) {
        typeOfService = value;
        return this;
    }

    /**
     * Sets how long senders of accepted connections wait for an acknowledgement.
     *
     * @param exponent 0 to 31, as {@link ConnectionOptions#ackTimeout}
     */
    public ListenerBuilder ackTimeout(int exponent) {
        ackTimeout = exponent;
        return this;
    }

    /**
     * Sends datagrams among IP over InfiniBand's own, {@link PortSpace#IPOIB}, with the queue key
     * of its network. InfiniBand alone has that; connections are not concerned.
     */
    public ListenerBuilder overIpoib() {
        datagrams = PortSpace.IPOIB;
        return this;
    }

    /**
     * Listens for connections, {@code rdma_listen(3)} with {@code RDMA_PS_TCP}.
     *
     * @throws ConnectionException as {@link Listener#bind(InetSocketAddress, int)}
     */
    public Listener bind() {
        return new Listener(Reception.open(this, PortSpace.TCP));
    }

    /**
     * Listens for peers that want to send datagrams, {@code rdma_listen(3)} with {@code
     * RDMA_PS_UDP}. Ports of datagrams and of connections have nothing to do with each other.
     *
     * @throws ConnectionException as {@link Listener#bind(InetSocketAddress, int)}
     */
    public DatagramListener bindDatagrams() {
        return new DatagramListener(Reception.open(this, datagrams));
    }

    void bind(ConnectionId id) {
        apply(id.options());
        InetAddress ip = address.getAddress();
        boolean wildcard = ip != null && ip.isAnyLocalAddress();
        if (wildcard && ip instanceof Inet4Address && !onlyOneFamily) {
            bindBothFamilies(id);
        } else {
            id.bind(address);
        }
        if (!wildcard && !id.hasDevice()) { // it would listen, and never hear anything
            throw new ConnectionException(
                    "rdma_bind_addr",
                    Posix.ENODEV(),
                    Diagnosis.notRdma("local address " + SocketAddresses.text(address)),
                    null);
        }
        id.listen(backlog);
    }

    private void apply(ConnectionOptions options) {
        options.reuseAddress(reuseAddress);
        if (onlyOneFamily) {
            options.onlyOneFamily(true);
        }
        if (typeOfService != null) {
            options.typeOfService(typeOfService);
        }
        if (ackTimeout != null) {
            options.ackTimeout(ackTimeout);
        }
    }

    /**
     * Java's wildcard is that of IPv4, but its sockets serve both; so does this where there is
     * IPv6.
     */
    private void bindBothFamilies(ConnectionId id) {
        try {
            InetAddress any = InetAddress.getByAddress(new byte[IPV6_LENGTH]);
            id.bind(new InetSocketAddress(any, address.getPort()));
        } catch (UnknownHostException e) {
            throw new AssertionError("16 bytes are an address", e);
        } catch (ConnectionException e) {
            if (e.errno() == Posix.EADDRINUSE()) {
                throw e;
            }
            id.bind(address); // a kernel without IPv6
        }
    }
}
