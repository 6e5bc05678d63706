package org.verbs4j.examples;

import org.verbs4j.CompletionChannel;
import org.verbs4j.CompletionQueue;
import org.verbs4j.DeviceAttributes;
import org.verbs4j.DeviceContext;
import org.verbs4j.Mtu;
import org.verbs4j.ProtectionDomain;
import org.verbs4j.ReceiveRequest;
import org.verbs4j.SharedReceiveQueue;
import org.verbs4j.WorkCompletions;
import org.verbs4j.XrcDomain;
import org.verbs4j.bindings.Verbs;

import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * {@code ibv_xsrq_pingpong} of rdma-core 44: its flags, its output, and either side of its wire
 * exchange.
 *
 * <p>The XRC domain is that of a file, the C tool's own, so that ours and those of C on one machine
 * share it: a server sends to each client by the connections of all in turn, so several clients
 * must be on one machine.
 */
@Command(
        name = "xsrq-pingpong",
        mixinStandardHelpOptions = true,
        versionProvider = Main.Version.class,
        sortOptions = false,
        description = {
            "Plays ping-pong over extended reliable connections (XRC), as ibv_xsrq_pingpong does.",
            "Few devices have them; soft-RoCE has not."
        })
final class XsrqPingPong extends Tool {
    @Mixin private final XrcOptions options = new XrcOptions();

    private final List<XrcLink> links = new ArrayList<>();
    private final List<XrcExchange> peers = new ArrayList<>();

    @Override
    void run() throws InterruptedException {
        try (DeviceContext context = PortChoice.device(options.device).open()) {
            requireDevice(context.attributes());
            PortChoice port = PortChoice.of(context, options.devicePort, options.gidIndex);
            port.requireFit(options.size, options.mtu);
            play(context, port);
        }
        print("success");
    }

    private void requireDevice(DeviceAttributes device) {
        if (options.onDemandPaging) {
            int all =
                    Verbs.IBV_ODP_SUPPORT_SEND()
                            | Verbs.IBV_ODP_SUPPORT_RECV()
                            | Verbs.IBV_ODP_SUPPORT_SRQ_RECV();
            RarePingPongOptions.requireOnDemandPaging(
                    device, device.onDemandPaging().xrc(), all, "XRC send, receive and srq");
        }
    }

    private PingPongBuffer newBuffer(ProtectionDomain domain) {
        return options.onDemandPaging
                ? PingPongBuffer.onDemand(domain, options.size)
                : PingPongBuffer.pinned(domain, options.size);
    }

    private void play(DeviceContext context, PortChoice port) throws InterruptedException {
        int clients = options.clients();
        try (ProtectionDomain domain = context.newProtectionDomain();
                PingPongBuffer buffer = newBuffer(domain);
                XrcDomain xrc = XrcFile.open(context, this);
                CompletionChannel channel = context.newCompletionChannel();
                CompletionQueue received = context.newCompletionQueue(clients, channel, 0);
                CompletionQueue sent = context.newCompletionQueue(clients);
                SharedReceiveQueue shared =
                        xrc.newSharedReceiveQueue(domain, received, clients, 1)) {
            try {
                ReceiveRequest receive = shared.newReceive().into(buffer.slice());
                for (int i = 0; i < clients; i++) {
                    links.add(
                            new XrcLink(
                                    xrc,
                                    domain,
                                    sent,
                                    clients * options.tests,
                                    buffer.slice(),
                                    port));
                    shared.post(receive);
                }
                meet(shared.number());
                if (options.host == null) {
                    for (int i = 0; i < clients; i++) {
                        send(i);
                    }
                }
                exchange(received, shared, receive);
                awaitSends(sent);
                part();
            } finally {
                links.forEach(XrcLink::close);
                peers.forEach(XrcExchange::close);
            }
        }
    }

    private void meet(int queue) {
        PeerPort port = new PeerPort(options.tcpPort, options.silenceLimit());
        String host = options.host;
        if (host != null) {
            meet(links.getFirst(), new XrcExchange(port.connect(host)), queue);
            return;
        }
        try (PeerPort.Listener listener = port.listen()) {
            for (XrcLink link : links) {
                meet(link, new XrcExchange(listener.accept(options.acceptLimit())), queue);
            }
        }
    }

    /** The client speaks first. */
    private void meet(XrcLink link, XrcExchange peer, int queue) {
        peers.add(peer);
        XrcEndpoint local = link.local(queue);
        XrcEndpoint remote;
        if (options.host != null) {
            print(local.line("local"));
            peer.send(local);
            remote = peer.receive();
            print(remote.line("remote"));
        } else {
            remote = peer.receive();
            print(remote.line("remote"));
            print(local.line("local"));
            peer.send(local);
        }
        link.connect(remote, options.mtu, options.serviceLevel);
    }

    /** To the peers in turn by each link, the last one of a peer with a completion. */
    private void send(int peer) {
        XrcLink to = links.get(peer);
        XrcLink by = links.get((peer + to.sent) % links.size());
        to.sent++;
        by.post(to.remoteQueue, to.sent >= options.tests);
    }

    private void exchange(
            CompletionQueue received, SharedReceiveQueue shared, ReceiveRequest receive)
            throws InterruptedException {
        WorkCompletions one = WorkCompletions.allocate(1);
        BusyWait patience = new BusyWait(options.silenceLimit());
        int total = links.size() * options.tests;
        for (int count = 0; count < total; count++) {
            take(received, one, patience, options.events, count);
            shared.post(receive);
            int peer = indexOf(one.get(0).queuePairNumber());
            if (links.get(peer).sent < options.tests) {
                send(peer);
            }
        }
    }

    private void awaitSends(CompletionQueue sent) throws InterruptedException {
        WorkCompletions one = WorkCompletions.allocate(1);
        BusyWait patience = new BusyWait(options.silenceLimit());
        for (int count = 0; count < links.size(); count++) {
            take(sent, one, patience, false, count);
        }
    }

    private void take(
            CompletionQueue queue,
            WorkCompletions one,
            BusyWait patience,
            boolean events,
            int count)
            throws InterruptedException {
        Duration limit = options.silenceLimit();
        patience.reset();
        int taken = events ? queue.await(one, limit) : queue.poll(one);
        while (taken == 0 && !events && patience.pause()) {
            taken = queue.poll(one);
        }
        if (taken == 0) {
            throw new ToolFailure(
                    "no completion for %s (%d before): the peer is gone, or packets are lost"
                            .formatted(TimeLimits.text(limit), count));
        }
        one.get(0).requireSuccess();
    }

    /** As in C, a lone link needs no number. */
    private int indexOf(int queuePairNumber) {
        for (int i = 0; i < links.size(); i++) {
            if (links.size() == 1 || links.get(i).receivesAs(queuePairNumber)) {
                return i;
            }
        }
        throw new ToolFailure(
                "completion for unknown queue pair 0x%06x".formatted(queuePairNumber));
    }

    /** A client says that it has all, and stays until the server has heard that of all clients. */
    private void part() {
        if (options.host != null) {
            peers.getFirst().sendEnd();
            peers.getFirst().receiveEnd();
        } else {
            peers.forEach(XrcExchange::receiveEnd);
            peers.forEach(XrcExchange::sendEnd);
        }
    }

    /** What the C tool takes; its letters differ from those of its siblings. */
    static final class XrcOptions extends MeetingOptions {
        @Option(
                names = {"-m", "--mtu"},
                paramLabel = "<size>",
                converter = PathMtu.class,
                description = "path MTU (default 1024)")
        Mtu mtu = Mtu.BYTES_1024;

        @Option(
                names = {"-c", "--clients"},
                paramLabel = "<n>",
                converter = CNumbers.Count.class,
                description =
                        "number of clients (on server only, default 1); several must be on one"
                                + " machine")
        private int clients = 1;

        @Option(
                names = {"-n", "--num_tests"},
                paramLabel = "<n>",
                converter = CNumbers.Count.class,
                description = "number of tests per client (default 5)")
        int tests = 5;

        @Option(
                names = {"-o", "--odp"},
                description = "use on demand paging")
        boolean onDemandPaging;

        XrcOptions() {
            super(DEFAULT_SIZE);
        }

        int clients() {
            return host == null ? clients : 1;
        }
    }
}
