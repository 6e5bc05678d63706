package org.verbs4j.it;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.verbs4j.AsyncEvent.QueuePairEvent;
import org.verbs4j.QueuePairAttributes;
import org.verbs4j.QueuePairState;
import org.verbs4j.WorkCompletions;
import org.verbs4j.bindings.Posix;
import org.verbs4j.bindings.pollfd;
import org.verbs4j.cm.ConnectionEvent;
import org.verbs4j.cm.ConnectionId;
import org.verbs4j.cm.ConnectionParameters;
import org.verbs4j.cm.ConnectionRequest;
import org.verbs4j.cm.EventChannel;
import org.verbs4j.cm.Listener;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.concurrent.TimeUnit;

/**
 * The descriptors in an event loop of the program's own, here {@code poll(2)}: readable when there
 * is something, not before and not after.
 */
@Timeout(value = 5, unit = TimeUnit.MINUTES)
class EventLoopIT {
    private static final Duration LIMIT = CmPlace.limit(10);

    private static boolean readable(int descriptor, Duration timeout) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment entry = arena.allocate(pollfd.layout());
            pollfd.fd(entry, descriptor);
            pollfd.events(entry, (short) Posix.POLLIN());
            return Posix.poll(entry, 1, (int) timeout.toMillis()) == 1;
        }
    }

    private static void awaitReadable(int descriptor) {
        assertThat(readable(descriptor, LIMIT)).isTrue();
    }

    private static void assertQuiet(int descriptor) {
        assertThat(readable(descriptor, Duration.ZERO)).isFalse();
    }

    @Test
    void anEventChannelAndAListener() throws Exception {
        try (Listener listener = Listener.bind(CmPlace.anyPort(), 4);
                EventChannel channel = EventChannel.open();
                ConnectionId id = channel.newId()) {
            assertQuiet(listener.fileDescriptor());
            assertQuiet(channel.fileDescriptor());
            id.resolveAddress(null, listener.localAddress(), LIMIT);
            awaitReadable(channel.fileDescriptor());
            assertThat(channel.poll()).isInstanceOf(ConnectionEvent.AddressResolved.class);
            assertQuiet(channel.fileDescriptor());
            id.resolveRoute(LIMIT);
            awaitReadable(channel.fileDescriptor());
            assertThat(channel.poll()).isInstanceOf(ConnectionEvent.RouteResolved.class);
            try (CmSide side = new CmSide(id.context())) {
                id.connect(side.pair, ConnectionParameters.defaults());
                awaitReadable(listener.fileDescriptor());
                try (ConnectionRequest request = listener.accept(Duration.ZERO)) {
                    assertThat(request).isNotNull();
                    assertQuiet(listener.fileDescriptor());
                }
                awaitReadable(channel.fileDescriptor());
                assertThat(channel.poll()).isInstanceOf(ConnectionEvent.Failed.class);
            }
        }
    }

    @Test
    void aConnection() throws Exception {
        try (Listener listener = Listener.bind(CmPlace.anyPort(), 4);
                CmConnected both = CmConnected.through(listener)) {
            assertQuiet(both.client.fileDescriptor());
            assertThat(both.client.isConnected()).isTrue();
            both.server.disconnect();
            awaitReadable(both.client.fileDescriptor());
            assertThat(both.client.isConnected()).isFalse();
        }
    }

    @Test
    void aCompletionChannelAndAsynchronousEvents() throws Exception {
        try (RdmaPair pair = RdmaPair.onOneDevice()) {
            RdmaPair.Side side = pair.left;
            int completions = side.channel.fileDescriptor();
            int events = side.context.asyncFileDescriptor();
            while (side.context.awaitAsyncEvent(Duration.ZERO) != null) {
                // of the port, from before
            }
            assertQuiet(completions);
            side.queue.requestNotification(false);
            side.pair.post(
                    side.pair.newWrite().from(side.memory, 0, 8).to(pair.right.memory.remote(), 0));
            awaitReadable(completions);
            assertThat(side.channel.await(Duration.ZERO)).isSameAs(side.queue);
            assertQuiet(completions);
            assertThat(side.queue.poll(WorkCompletions.allocate(1))).isOne();
            assertQuiet(events);
            side.pair.modify(new QueuePairAttributes().state(QueuePairState.SEND_QUEUE_DRAIN));
            awaitReadable(events);
            assertThat(side.context.awaitAsyncEvent(Duration.ZERO))
                    .isInstanceOf(QueuePairEvent.class);
            assertQuiet(events);
        }
    }
}
