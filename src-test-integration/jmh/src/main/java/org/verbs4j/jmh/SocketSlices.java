package org.verbs4j.jmh;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.NetworkInterface;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;

/**
 * The ping-pong over TCP: the same message there and back, both ends in one thread, as the verbs
 * contenders have it.
 *
 * <p>Both sockets have the address of the device's network interface; the kernel takes the same
 * short cut for them that soft-RoCE takes for a queue pair connected to itself.
 */
final class SocketSlices implements AutoCloseable {
    private static final int BUFFER = 1 << 20;

    private final SocketChannel here;
    private final SocketChannel there;
    private final ByteBuffer out;
    private final ByteBuffer in;

    SocketSlices(int length) {
        out = ByteBuffer.allocateDirect(length);
        in = ByteBuffer.allocateDirect(length);
        try (ServerSocketChannel server = ServerSocketChannel.open()) {
            server.setOption(StandardSocketOptions.SO_RCVBUF, BUFFER);
            server.bind(new InetSocketAddress(address(), 0));
            here = SocketChannel.open();
            here.setOption(StandardSocketOptions.SO_SNDBUF, BUFFER);
            here.setOption(StandardSocketOptions.SO_RCVBUF, BUFFER);
            here.connect(server.getLocalAddress());
            there = server.accept();
            here.setOption(StandardSocketOptions.TCP_NODELAY, true);
            there.setOption(StandardSocketOptions.TCP_NODELAY, true);
            here.configureBlocking(false);
            there.configureBlocking(false);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /**
     * The first address of an interface that is up and is not the loopback; else the loopback's.
     */
    private static InetAddress address() throws IOException {
        return NetworkInterface.networkInterfaces()
                .filter(
                        network -> {
                            try {
                                return network.isUp() && !network.isLoopback();
                            } catch (IOException e) {
                                return false;
                            }
                        })
                .flatMap(NetworkInterface::inetAddresses)
                .filter(a -> a.getAddress().length == 4)
                .findFirst()
                .orElse(InetAddress.getLoopbackAddress());
    }

    /** One message an operation, every second one back. */
    long pingPong(int operations) {
        long sum = 0;
        try {
            for (int i = 0; i < operations; i += 2) {
                sum += half(here, there, i) + half(there, here, i + 1);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return sum;
    }

    private long half(SocketChannel from, SocketChannel to, long id) throws IOException {
        out.clear().putLong(0, id);
        in.clear();
        while (in.hasRemaining()) {
            if (out.hasRemaining()) {
                from.write(out);
            }
            to.read(in);
        }
        return in.getLong(0);
    }

    @Override
    public void close() {
        try (here;
                there) {
            // Closing is all there is to do.
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
