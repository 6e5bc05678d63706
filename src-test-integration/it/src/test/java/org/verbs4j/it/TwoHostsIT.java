package org.verbs4j.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInfo;
import org.junit.jupiter.api.TestMethodOrder;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.verbs4j.cm.Connection;
import org.verbs4j.cm.ConnectionException;
import org.verbs4j.cm.ConnectionParameters;
import org.verbs4j.cm.ConnectionRequest;
import org.verbs4j.cm.Connector;
import org.verbs4j.cm.Listener;
import org.verbs4j.cm.Rejection;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.TimeUnit;

/**
 * Connections and tools between two hosts with a kernel each. Both run this class; in each test one
 * serves and the other calls.
 */
@TestMethodOrder(MethodOrderer.MethodName.class)
@Timeout(value = 5, unit = TimeUnit.MINUTES)
class TwoHostsIT {
    private static final Duration LIMIT = CmPlace.limit(30);
    private static final int PORT = 7_200;
    private static final int UDADDY_PORT = 7_174;
    private static final String GROUP = "239.78.0.1";

    private static OtherHost other;

    @BeforeAll
    static void meet() throws Exception {
        other = OtherHost.meet();
    }

    @AfterAll
    static void part() throws Exception {
        other.close();
    }

    @BeforeEach
    void begin(TestInfo test) throws Exception {
        other.begin(test.getTestMethod().orElseThrow().getName() + " " + test.getDisplayName());
    }

    private static InetAddress addressOf(int host) {
        return host == OtherHost.own() ? CmPlace.addresses().getFirst() : OtherHost.address();
    }

    private static ToolRun start(String kind, String... command) {
        return kind.equals("c") ? ToolRun.process(List.of(command)) : ToolRun.inProcess(command);
    }

    /** A tool on this side, the server's first; both must end well. */
    private static ToolRun.Outcome run(int server, String kind, String... command)
            throws Exception {
        if (server != OtherHost.own()) {
            other.hear("serving");
        }
        try (ToolRun run = start(kind, command)) {
            if (server == OtherHost.own()) {
                switch (command[0]) {
                    case "mckey" -> KernelObjects.awaitMember(GROUP);
                    case "udaddy" -> KernelObjects.awaitListener(UDADDY_PORT);
                    default -> KernelObjects.awaitListener(PORT);
                }
                other.say("serving");
            }
            ToolRun.Outcome outcome = run.await(LIMIT);
            assertThat(outcome.status()).as(outcome.err() + outcome.out()).isZero();
            return outcome;
        }
    }

    @ParameterizedTest
    @CsvSource({
        "1, java, java, 64",
        "2, java, java, 65535",
        "1, c, java, 64",
        "2, c, java, 65535",
        "1, java, c, 64",
        "2, java, c, 65535",
    })
    void rpingKeepsItsData(int server, String serving, String calling, int size) throws Exception {
        boolean serves = server == OtherHost.own();
        String address = addressOf(server).getHostAddress();
        String options = "-a " + address + " -p " + PORT + " -V -C 200 -S " + size;
        List<String> command = new ArrayList<>(List.of("rping", serves ? "-s" : "-c"));
        command.addAll(List.of(options.split(" ")));
        run(server, serves ? serving : calling, command.toArray(String[]::new));
    }

    @ParameterizedTest
    @CsvSource({"1, java, java", "2, c, java", "1, java, c", "2, java, c"})
    void rdmaClientGetsAnAnswer(int server, String serving, String calling) throws Exception {
        boolean serves = server == OtherHost.own();
        String kind = serves ? serving : calling;
        String tool = "rdma" + (kind.equals("c") ? "_" : "-") + (serves ? "server" : "client");
        String address = addressOf(server).getHostAddress();
        assertThat(run(server, kind, tool, "-s", address, "-p", "" + PORT).out())
                .contains(serves ? "rdma_server: end 0" : "rdma_client: end 0");
    }

    @ParameterizedTest
    @CsvSource({"1, java, java", "2, c, java", "1, java, c", "2, java, c"})
    void udaddyExchangesDatagrams(int server, String serving, String calling) throws Exception {
        boolean serves = server == OtherHost.own();
        String address = addressOf(server).getHostAddress();
        assertThat(
                        run(
                                        server,
                                        serves ? serving : calling,
                                        "udaddy",
                                        serves ? "-b" : "-s",
                                        address,
                                        "-C",
                                        "20",
                                        "-S",
                                        "1024")
                                .out())
                .contains("data transfers complete", "return status 0");
    }

    @ParameterizedTest
    @CsvSource({"1, java, java", "2, c, java", "1, java, c"})
    void mckeyReachesTheGroup(int server, String listening, String sending) throws Exception {
        boolean serves = server == OtherHost.own();
        List<String> command =
                new ArrayList<>(
                        Arrays.asList(
                                "mckey",
                                "-m",
                                GROUP,
                                "-b",
                                addressOf(OtherHost.own()).getHostAddress()));
        if (!serves) {
            command.add("-s");
        }
        assertThat(run(server, serves ? listening : sending, command.toArray(String[]::new)).out())
                .contains("data transfers complete", "return status 0");
    }

    /** Several messages, one way, over a connection that host 1 accepts. */
    private static void transfer(int messages) throws Exception {
        if (OtherHost.own() == 1) {
            try (Listener listener = listen()) {
                other.say("serving");
                try (ConnectionRequest request = Objects.requireNonNull(listener.accept(LIMIT));
                        CmSide side = new CmSide(request.context())) {
                    assertThat(CmPlace.text(request.privateData())).isEqualTo("from host 2");
                    assertThat(request.remoteAddress().getAddress()).isEqualTo(OtherHost.address());
                    side.receive(0, 0, 2048);
                    try (Connection c = request.accept(side.pair, with("welcome"), LIMIT)) {
                        for (int i = 0; i < messages; i++) {
                            side.await();
                            assertThat(side.memory.segment().getString(0)).isEqualTo(text(i));
                            side.receive(0, 0, 2048);
                            other.say("got " + i);
                        }
                        assertThat(c.awaitDisconnect(LIMIT)).isTrue();
                    }
                }
            }
            return;
        }
        other.hear("serving");
        try (Connector connector = Connector.resolve(server(), LIMIT);
                CmSide side = new CmSide(connector.context());
                Connection c = connector.connect(side.pair, with("from host 2"), LIMIT)) {
            assertThat(CmPlace.text(c.privateData())).isEqualTo("welcome");
            for (int i = 0; i < messages; i++) {
                side.memory.segment().setString(0, text(i));
                side.send(i, 0, 2048);
                side.await();
                other.hear("got " + i);
            }
        }
    }

    private static Listener listen() {
        return Listener.bind(new InetSocketAddress(addressOf(1), PORT), 4);
    }

    private static InetSocketAddress server() {
        return new InetSocketAddress(addressOf(1), PORT);
    }

    private static ConnectionParameters with(String data) {
        return ConnectionParameters.defaults().withPrivateData(CmPlace.bytes(data));
    }

    private static String text(int round) {
        return ("round " + round + " ").repeat(100);
    }

    @Test
    void aConnectionCarriesDataAndEnds() throws Exception {
        transfer(20);
    }

    @ParameterizedTest
    @ValueSource(strings = {"loss 1%", "loss 10%"})
    void aBadLinkCostsTimeOnly(String fault) throws Exception {
        try (LinkFault ignored = LinkFault.onThisHost(fault)) {
            transfer(50);
        }
    }

    @Test
    void aRejectionTravels() throws Exception {
        if (OtherHost.own() == 1) {
            try (Listener listener = listen()) {
                other.say("serving");
                try (ConnectionRequest request = Objects.requireNonNull(listener.accept(LIMIT))) {
                    request.reject(CmPlace.bytes("full"));
                    other.hear("rejected");
                }
            }
            other.say("gone");
        } else {
            other.hear("serving");
            assertRejected(Rejection.BY_APPLICATION);
            other.say("rejected");
            other.hear("gone");
            assertRejected(Rejection.NO_LISTENER);
        }
    }

    private static void assertRejected(Rejection why) throws Exception {
        try (Connector connector = Connector.resolve(server(), LIMIT);
                CmSide side = new CmSide(connector.context())) {
            assertThatThrownBy(() -> connector.connect(side.pair, with(""), LIMIT))
                    .isInstanceOfSatisfying(
                            ConnectionException.class,
                            e -> assertThat(e.rejection()).isEqualTo(why));
        }
    }

    @Test
    void aClientThatIsKilledIsNoticed() throws Exception {
        if (OtherHost.own() == 1) {
            try (Listener listener = listen()) {
                other.say("serving");
                try (ConnectionRequest request = Objects.requireNonNull(listener.accept(LIMIT));
                        CmSide side = new CmSide(request.context());
                        Connection c = request.accept(side.pair, with(""), LIMIT)) {
                    assertThat(c.awaitDisconnect(LIMIT)).isTrue();
                }
            }
        } else {
            other.hear("serving");
            try (ToolRun client = CmPeer.start(server(), CmPeer.ClientStep.ESTABLISHED)) {
                CmPeer.awaitStep(client, CmPeer.ClientStep.ESTABLISHED);
                client.kill();
                client.await(Duration.ofSeconds(20));
            }
        }
    }
}
