package org.verbs4j.it;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** Our udaddy and mckey and those of rdma-core, each in either role. */
class DatagramToolsIT {
    private static final Duration LIMIT = Duration.ofSeconds(60);
    private static final int UDADDY_PORT = 7174;
    private static final String GROUP = "239.77.1.2";

    private static ToolRun start(String kind, String tool, String arguments) {
        List<String> command = new ArrayList<>(List.of(tool));
        command.addAll(List.of(arguments.split(" ")));
        return kind.equals("c")
                ? ToolRun.process(command)
                : ToolRun.inProcess(command.toArray(String[]::new));
    }

    private static void succeeded(ToolRun run, String out) throws InterruptedException {
        ToolRun.Outcome outcome = run.await(LIMIT);
        assertThat(outcome.status()).as(outcome.err() + outcome.out()).isZero();
        assertThat(outcome.err()).isEmpty();
        assertThat(outcome.out()).isEqualTo(out);
    }

    private static String lines(String... lines) {
        return String.join("\n", lines) + "\n";
    }

    @ParameterizedTest
    @CsvSource({
        "java, java, -C 10 -S 100",
        "c, java, -C 10 -S 100",
        "java, c, -C 10 -S 100",
        "c, java, -C 20 -S 1024 -c 3",
        "java, c, -C 20 -S 1024 -c 3",
        "java, c, -C 0",
        "c, java, -f ip -P udp -p 0x111 -t 8",
        "java, c, -f ip -P udp -p 0x111 -t 8",
    })
    void udaddySaysWhatTheCToolSays(String server, String client, String options) throws Exception {
        String address = CmPlace.addresses().getFirst().getHostAddress();
        boolean transfers = !options.equals("-C 0");
        try (ToolRun serving = start(server, "udaddy", "-b " + address + " " + options)) {
            KernelObjects.awaitListener(UDADDY_PORT);
            try (ToolRun asking = start(client, "udaddy", "-s " + address + " " + options)) {
                succeeded(
                        asking,
                        lines("udaddy: starting client", "udaddy: connecting")
                                + (transfers
                                        ? lines(
                                                "initiating data transfers",
                                                "receiving data transfers",
                                                "data transfers complete")
                                        : "")
                                + lines("test complete", "return status 0"));
                succeeded(
                        serving,
                        lines("udaddy: starting server")
                                + (transfers
                                        ? lines(
                                                "receiving data transfers",
                                                "sending replies",
                                                "data transfers complete")
                                        : "")
                                + lines("test complete", "return status 0"));
            }
        }
    }

    @ParameterizedTest
    @CsvSource({
        "java, java, -s",
        "c, java, -s",
        "java, c, -s",
        "c, java, -s -o",
        "java, c, -s -o",
    })
    void mckeySaysWhatTheCToolSays(String listener, String sender, String role) throws Exception {
        String common =
                "-m "
                        + GROUP
                        + " -C 10 -S 100 -b "
                        + CmPlace.addresses().getFirst().getHostAddress();
        String joined = "mckey: joining\nmckey: joined dgid: ::ffff:239.77.1.2 mlid 0x0 sl 0\n";
        String done = "data transfers complete\ntest complete\nreturn status 0\n";
        try (ToolRun listening = start(listener, "mckey", common)) {
            KernelObjects.awaitMember(GROUP);
            try (ToolRun sending = start(sender, "mckey", common + " " + role)) {
                succeeded(
                        sending,
                        "mckey: starting client\n" + joined + "initiating data transfers\n" + done);
                succeeded(
                        listening,
                        "mckey: starting server\n" + joined + "receiving data transfers\n" + done);
            }
        }
    }

    /** What InfiniBand has and Ethernet has not: refused where the C tool is refused. */
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            textBlock =
                    """
                    udaddy | -P ipoib -b HERE | InfiniBand only
                    udaddy | -P ipoib -s HERE | cannot reach
                    udaddy | -p 0x2 -b HERE | InfiniBand only
                    udaddy | -p 7300 -b HERE | not for datagrams
                    udaddy | -f gid -s ::ffff:HERE | addresses without IP
                    mckey | -M ff12:401b::1 -b HERE | groups without IP address
                    mckey | -p 0x2 -m 239.77.1.2 -b HERE -s | InfiniBand only
                    mckey | -p 0x106 -m 239.77.1.2 -b HERE -s | not for datagrams
                    mckey | -l -m 239.77.1.2 -b HERE -s | BLOCK_SELF_MULTICAST_LOOPBACK
                    """)
    void whatNeedsInfiniBandIsRefusedAsByTheCTool(String tool, String options, String why)
            throws Exception {
        String arguments = options.replace("HERE", CmPlace.addresses().getFirst().getHostAddress());
        for (String kind : List.of("c", "java")) {
            try (ToolRun run = start(kind, tool, arguments)) {
                ToolRun.Outcome outcome = run.await(LIMIT);
                assertThat(outcome.status()).as(kind).isNotZero();
                if (kind.equals("java")) {
                    assertThat(outcome.err()).startsWith(tool + ": ").contains(why);
                }
            }
        }
    }

    @ParameterizedTest
    @CsvSource({"-f bar, unknown address format", "-P foo, unknown port space format"})
    void anUnknownFormatIsWarnedOfAsByTheCTool(String option, String warning) throws Exception {
        String address = CmPlace.addresses().getFirst().getHostAddress();
        for (String kind : List.of("c", "java")) {
            try (ToolRun run = start(kind, "udaddy", option + " -C 1 -s " + address)) {
                ToolRun.Outcome outcome = run.await(LIMIT);
                assertThat(outcome.status()).as(kind).isNotZero(); // nobody listens
                assertThat(outcome.err()).startsWith("Warning: " + warning + "\n");
            }
        }
    }
}
