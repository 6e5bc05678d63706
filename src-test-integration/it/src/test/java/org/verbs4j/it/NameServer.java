package org.verbs4j.it;

import java.io.IOException;
import java.net.DatagramPacket;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.concurrent.CountDownLatch;

/**
 * The guest's name server, which keeps silent until it is told what to answer. Closing it gives the
 * guest back the one that it had.
 */
final class NameServer implements AutoCloseable {
    private static final Path SETTING = Path.of("/etc/resolv.conf");
    private static final int HEADER = 12;
    private static final int RESPONSE = 0x80;
    private static final int NO_SUCH_NAME = 3;
    private static final int TYPE_A = 1;

    private final DatagramSocket socket =
            new DatagramSocket(new InetSocketAddress(InetAddress.ofLiteral("127.0.0.1"), 53));
    private final byte[] before = Files.readAllBytes(SETTING);
    private final CountDownLatch speaking = new CountDownLatch(1);
    private final Thread thread;
    private volatile byte[] address = {};

    NameServer() throws IOException {
        Files.writeString(SETTING, "nameserver 127.0.0.1\noptions timeout:5 attempts:1\n");
        thread = Thread.ofPlatform().daemon().start(this::serve);
    }

    /** Every name has this IPv4 address, and no other. */
    void answer(InetAddress ip) {
        address = ip.getAddress();
        speaking.countDown();
    }

    /** No name is known. */
    void deny() {
        speaking.countDown();
    }

    private void serve() {
        try {
            while (true) {
                DatagramPacket query = new DatagramPacket(new byte[512], 512);
                socket.receive(query);
                SocketAddress from = query.getSocketAddress();
                byte[] question = Arrays.copyOf(query.getData(), query.getLength());
                speaking.await();
                byte[] reply = reply(question);
                socket.send(new DatagramPacket(reply, reply.length, from));
            }
        } catch (IOException | InterruptedException e) {
            return; // closed
        }
    }

    /** The question repeated, with what is known: see RFC 1035, 4.1. */
    private byte[] reply(byte[] query) {
        int end = HEADER;
        while (query[end] != 0) {
            end += query[end] + 1;
        }
        int type = query[end + 2];
        end += 5;
        boolean known = address.length > 0;
        boolean answers = known && type == TYPE_A;
        byte[] answer = {
            (byte) 0xc0, HEADER, 0, TYPE_A, 0, 1, 0, 0, 0, 60, 0, 4, 0, 0, 0, 0 // the name as above
        };
        System.arraycopy(address, 0, answer, answer.length - 4, address.length);
        byte[] reply = Arrays.copyOf(query, end + (answers ? answer.length : 0));
        reply[2] |= (byte) RESPONSE;
        reply[3] = (byte) (known ? 0 : NO_SUCH_NAME);
        Arrays.fill(reply, 6, HEADER, (byte) 0);
        reply[7] = (byte) (answers ? 1 : 0);
        if (answers) {
            System.arraycopy(answer, 0, reply, end, answer.length);
        }
        return reply;
    }

    @Override
    public void close() throws Exception {
        speaking.countDown();
        socket.close();
        thread.interrupt();
        Files.write(SETTING, before);
        Waits.join(thread);
    }
}
