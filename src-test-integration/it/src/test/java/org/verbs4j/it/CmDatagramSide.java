package org.verbs4j.it;

import org.verbs4j.Access;
import org.verbs4j.AddressHandle;
import org.verbs4j.CompletionQueue;
import org.verbs4j.DeviceContext;
import org.verbs4j.MemoryRegion;
import org.verbs4j.ProtectionDomain;
import org.verbs4j.Send;
import org.verbs4j.UdQueuePair;
import org.verbs4j.WorkCompletion;
import org.verbs4j.WorkCompletions;

import java.nio.charset.StandardCharsets;

/** What one end needs to exchange datagrams. */
final class CmDatagramSide implements AutoCloseable {
    private static final int HEADER = UdQueuePair.GLOBAL_ROUTING_HEADER_LENGTH;
    private static final int INBOX = 1024;
    private static final int ROOM = 512;

    final DeviceContext context;
    final ProtectionDomain domain;
    final CompletionQueue sends;
    final CompletionQueue receives;
    final UdQueuePair pair;
    final MemoryRegion memory;
    private final WorkCompletions one = WorkCompletions.allocate(1);

    CmDatagramSide(DeviceContext context) {
        this.context = context;
        domain = context.newProtectionDomain();
        sends = context.newCompletionQueue(32);
        receives = context.newCompletionQueue(32);
        pair = domain.newUdQueuePair(sends, receives).build();
        memory = domain.allocate(4096, Access.LOCAL_WRITE);
    }

    void receive(long id) {
        pair.post(pair.newReceive().id(id).into(memory, INBOX, ROOM));
    }

    /** A request that carries a text and this end's number. */
    Send datagram(String text) {
        memory.segment().setString(0, text);
        return pair.newSend()
                .signaled(true)
                .immediate(pair.number())
                .from(memory, 0, text.length());
    }

    void post(Send send) {
        pair.post(send);
        Waits.until("the datagram to leave", () -> sends.poll(one) == 1);
        one.get(0).requireSuccess();
    }

    /** Waits for a datagram and tells what is in it. */
    String received() {
        Waits.until("a datagram", () -> receives.poll(one) == 1);
        WorkCompletion completion = one.get(0);
        completion.requireSuccess();
        byte[] text = new byte[(int) completion.byteLength() - HEADER];
        memory.segment().asSlice(INBOX + HEADER, text.length).asByteBuffer().get(text);
        return new String(text, StandardCharsets.US_ASCII);
    }

    /** The way to the sender of what has been received last. */
    AddressHandle wayBack() {
        return domain.newAddressHandle(
                context.activePort(), one.get(0), memory.segment().asSlice(INBOX));
    }

    int senderNumber() {
        return one.get(0).immediate();
    }

    boolean hasNothing() {
        return receives.poll(one) == 0;
    }

    @Override
    public void close() {
        pair.close();
        memory.close();
        receives.close();
        sends.close();
        domain.close();
    }
}
