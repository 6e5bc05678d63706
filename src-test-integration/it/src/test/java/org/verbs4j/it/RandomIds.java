package org.verbs4j.it;

import org.verbs4j.Ece;
import org.verbs4j.QueuePairState;
import org.verbs4j.cm.ConnectionEvent;
import org.verbs4j.cm.ConnectionId;
import org.verbs4j.cm.ConnectionParameters;
import org.verbs4j.cm.EventChannel;
import org.verbs4j.cm.PortSpace;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * The same with the connection manager: ids in every order of steps, on the contexts that it has
 * opened itself as well.
 */
final class RandomIds extends RandomExtendedCalls {
    private static final int MOST = 8;
    private static final int MOST_CHANNELS = 3;
    private static final int FIRST_PORT = 17_471;

    private final List<EventChannel> eventChannels = new ArrayList<>();
    private final List<ConnectionId> ids = new ArrayList<>();
    private final InetAddress here = CmPlace.addresses().getFirst();

    RandomIds(long seed) {
        super(seed);
        closeFirst(eventChannels);
        closeFirst(ids);
        add(1, "event channel", () -> make(eventChannels, MOST_CHANNELS, EventChannel::open));
        add(1, "shared context", () -> make(contexts, MOST, () -> any(EventChannel.devices())));
        add(4, "id", () -> make(ids, MOST, this::newId));
        add(10, "event", () -> take(any(eventChannels).poll()));
        add(2, "await event", () -> take(any(eventChannels).await(Duration.ofMillis(1))));
        addSteps();
        addOthers();
    }

    private void addSteps() {
        add(2, "bind", () -> any(ids).bind(address()));
        add(2, "listen", () -> any(ids).listen(small()));
        add(6, "resolve", () -> any(ids).resolveAddress(source(), address(), Duration.ofMillis(9)));
        add(4, "route", () -> any(ids).resolveRoute(Duration.ofMillis(9)));
        add(5, "ask", () -> any(ids).connect(any(pairs), parameters()));
        add(5, "accept", () -> any(ids).accept(any(pairs), parameters()));
        add(1, "reject", () -> any(ids).reject(data()));
        add(1, "reject ece", () -> any(ids).rejectEce());
        add(2, "establish", () -> any(ids).establish());
        add(1, "notify", () -> any(ids).notifyCommunication());
        add(2, "disconnect", () -> any(ids).disconnect());
        add(2, "join", () -> any(ids).joinMulticast(group()));
        add(1, "join to send", () -> any(ids).joinMulticastToSend(group()));
        add(1, "leave", () -> any(ids).leaveMulticast(group()));
    }

    private void addOthers() {
        add(4, "attributes", this::modifyAsTold);
        add(1, "migrate", () -> any(ids).migrate(any(eventChannels)));
        add(1, "type of service", () -> any(ids).options().typeOfService(random.nextInt(300)));
        add(1, "reuse", () -> any(ids).options().reuseAddress(random.nextBoolean()));
        add(1, "ack timeout", () -> any(ids).options().ackTimeout(small()));
        add(1, "local ece", () -> any(ids).localEce(new Ece(small(), small())));
        add(1, "remote ece", () -> any(ids).remoteEce());
        add(1, "its context", () -> any(ids).context().port(any(ids).port()).attributes());
    }

    private ConnectionId newId() {
        return any(eventChannels).newId(any(PortSpace.values()));
    }

    private void take(ConnectionEvent event) {
        if (event != null) {
            remember("  " + event);
        }
        if (event instanceof ConnectionEvent.Requested request) {
            keep(request.id());
        } else if (event instanceof ConnectionEvent.DatagramRequested request) {
            keep(request.id());
        }
    }

    private void keep(ConnectionId requested) {
        if (ids.size() < MOST) {
            ids.add(requested);
        } else {
            requested.close();
        }
    }

    private void modifyAsTold() {
        any(pairs).modify(any(ids).attributesFor(any(QueuePairState.values())));
    }

    /** One of few, so that they meet. */
    private InetSocketAddress address() {
        return switch (random.nextInt(8)) {
            case 0 -> new InetSocketAddress(0);
            case 1 -> new InetSocketAddress(InetAddress.getLoopbackAddress(), FIRST_PORT);
            default -> new InetSocketAddress(here, FIRST_PORT + random.nextInt(2));
        };
    }

    private InetSocketAddress source() {
        return random.nextInt(4) == 0 ? new InetSocketAddress(here, 0) : null;
    }

    private InetAddress group() {
        try {
            return InetAddress.getByAddress(
                    new byte[] {(byte) 239, 1, 3, (byte) random.nextInt(3)});
        } catch (UnknownHostException e) {
            throw new AssertionError(e);
        }
    }

    private ByteBuffer data() {
        return ByteBuffer.allocate(random.nextInt(220));
    }

    private ConnectionParameters parameters() {
        return ConnectionParameters.defaults()
                .withPrivateData(ByteBuffer.allocate(random.nextInt(60)))
                .withReads(random.nextInt(4), random.nextInt(4))
                .withRetries(random.nextInt(3), random.nextInt(3));
    }
}
