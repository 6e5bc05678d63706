package org.verbs4j.it;

import static org.assertj.core.api.Assertions.assertThat;

import org.verbs4j.QueuePairState;
import org.verbs4j.cm.ConnectionEvent;
import org.verbs4j.cm.ConnectionId;
import org.verbs4j.cm.ConnectionParameters;
import org.verbs4j.cm.EventChannel;

import java.net.InetSocketAddress;
import java.time.Duration;

/**
 * A peer in a process of its own, to be killed: goes through the handshake of a client or a server
 * step by step, says each one, and stops at the last.
 */
final class CmPeer {
    private static final Duration LIMIT = CmPlace.limit(30);
    private static final ConnectionParameters DEFAULTS = ConnectionParameters.defaults();

    /** How far a client goes. */
    enum ClientStep {
        RESOLVED,
        REQUESTING,
        RESPONDED,
        ESTABLISHED,
        DISCONNECTING
    }

    /** How far a server goes. */
    enum ServerStep {
        LISTENING,
        REQUESTED,
        ACCEPTED,
        CONNECTED,
        DISCONNECTED
    }

    private final EventChannel channel = EventChannel.open();
    private final InetSocketAddress address;
    private final String last;

    private CmPeer(InetSocketAddress address, String last) {
        this.address = address;
        this.last = last;
    }

    /** Starts it, as far as it is to go. */
    static ToolRun start(InetSocketAddress address, Enum<?> last) {
        return ToolRun.program(
                CmPeer.class,
                address.getAddress().getHostAddress(),
                String.valueOf(address.getPort()),
                last.name());
    }

    /** Waits until it has said that it is so far. */
    static void awaitStep(ToolRun run, Enum<?> step) throws InterruptedException {
        long end = System.nanoTime() + LIMIT.toNanos();
        while (!run.outSoFar().contains(step.name())) {
            assertThat(run.hasEnded()).as("the peer has ended: " + run.outSoFar()).isFalse();
            assertThat(System.nanoTime() - end).as("waiting for " + step).isNegative();
            Thread.sleep(20);
        }
    }

    public static void main(String[] args) throws Exception {
        InetSocketAddress address = new InetSocketAddress(args[0], Integer.parseInt(args[1]));
        CmPeer peer = new CmPeer(address, args[2]);
        for (ClientStep step : ClientStep.values()) {
            if (step.name().equals(args[2])) {
                peer.runClient();
            }
        }
        peer.runServer();
    }

    private void runClient() throws InterruptedException {
        ConnectionId id = channel.newId();
        id.resolveAddress(null, address, LIMIT);
        next(ConnectionEvent.AddressResolved.class);
        id.resolveRoute(LIMIT);
        next(ConnectionEvent.RouteResolved.class);
        CmSide side = new CmSide(id.context());
        reached(ClientStep.RESOLVED);
        move(id, side, QueuePairState.INIT);
        id.connect(side.pair, DEFAULTS);
        reached(ClientStep.REQUESTING);
        next(ConnectionEvent.Responded.class);
        reached(ClientStep.RESPONDED);
        move(id, side, QueuePairState.READY_TO_RECEIVE, QueuePairState.READY_TO_SEND);
        id.establish();
        reached(ClientStep.ESTABLISHED);
        id.disconnect();
        reached(ClientStep.DISCONNECTING);
    }

    private void runServer() throws InterruptedException {
        ConnectionId listener = channel.newId();
        listener.bind(address);
        listener.listen(4);
        reached(ServerStep.LISTENING);
        ConnectionId id = next(ConnectionEvent.Requested.class).id();
        CmSide side = new CmSide(id.context());
        reached(ServerStep.REQUESTED);
        move(id, side, QueuePairState.INIT, QueuePairState.READY_TO_RECEIVE);
        move(id, side, QueuePairState.READY_TO_SEND);
        id.accept(side.pair, DEFAULTS);
        reached(ServerStep.ACCEPTED);
        next(ConnectionEvent.Established.class);
        reached(ServerStep.CONNECTED);
        next(ConnectionEvent.Disconnected.class);
        reached(ServerStep.DISCONNECTED);
    }

    private static void move(ConnectionId id, CmSide side, QueuePairState... states) {
        for (QueuePairState state : states) {
            side.pair.modify(id.attributesFor(state));
        }
    }

    private <E extends ConnectionEvent> E next(Class<E> type) throws InterruptedException {
        ConnectionEvent event = channel.await(LIMIT);
        assertThat(event).isInstanceOf(type);
        return type.cast(event);
    }

    private void reached(Enum<?> step) throws InterruptedException {
        System.out.println(step);
        if (step.name().equals(last)) {
            Thread.sleep(Duration.ofMinutes(5));
        }
    }
}
