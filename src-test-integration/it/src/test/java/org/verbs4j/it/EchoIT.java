package org.verbs4j.it;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.verbs4j.examples.Echo;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;

/** The example of a server of many clients, and of clients that outlive it. */
@Timeout(value = 5, unit = TimeUnit.MINUTES)
class EchoIT {
    private static final Duration LIMIT = Duration.ofSeconds(40);
    private static final int MESSAGES = 200;

    private static ToolRun serve() throws InterruptedException {
        ToolRun server = ToolRun.program(Echo.class, "serve");
        awaitLine(server, "listening");
        return server;
    }

    private static ToolRun ask() {
        return ask("60");
    }

    private static ToolRun ask(String seconds) {
        String host = CmPlace.addresses().getFirst().getHostAddress();
        return ToolRun.program(Echo.class, "ask", host, String.valueOf(MESSAGES), seconds);
    }

    private static void awaitLine(ToolRun run, String line) throws InterruptedException {
        run.untilLine(line, line::equals, LIMIT);
    }

    private static List<String> answers() {
        return IntStream.rangeClosed(1, MESSAGES).mapToObj(n -> "answered " + n).toList();
    }

    @Test
    void clientsGoOnWhenTheirServerHasBeenKilledAndStartedAgain() throws Exception {
        try (ToolRun first = serve();
                ToolRun one = ask();
                ToolRun two = ask()) {
            awaitLine(one, "answered 10");
            awaitLine(two, "answered 10");
            first.kill();
            try (ToolRun second = serve()) {
                for (ToolRun client : List.of(one, two)) {
                    ToolRun.Outcome outcome = client.await(LIMIT);
                    assertThat(outcome.status()).as(outcome.out() + outcome.err()).isZero();
                    assertThat(outcome.out().lines().filter("connected"::equals).count())
                            .isGreaterThan(1); // the new server may refuse its first moments
                    assertThat(outcome.out().lines().filter(line -> line.startsWith("answered ")))
                            .containsExactlyElementsOf(answers());
                }
                second.until(
                        "see both go",
                        LIMIT,
                        () ->
                                second.outSoFar()
                                                .lines()
                                                .filter("a client has gone"::equals)
                                                .count()
                                        == 2);
            }
        }
    }

    @Test
    void aServerOutlivesAClientThatIsKilled() throws Exception {
        try (ToolRun server = serve();
                ToolRun killed = ask();
                ToolRun other = ask()) {
            awaitLine(killed, "answered 10");
            killed.kill();
            awaitLine(server, "a client has gone");
            ToolRun.Outcome outcome = other.await(LIMIT);
            assertThat(outcome.status()).as(outcome.out() + outcome.err()).isZero();
            assertThat(outcome.out())
                    .isEqualTo("connected\n" + String.join("\n", answers()) + "\n");
        }
    }

    @Test
    void withoutAServerAClientEndsWithOneSentence() throws Exception {
        try (ToolRun client = ask("1")) {
            ToolRun.Outcome outcome = client.await(LIMIT);
            assertThat(outcome.status()).isOne();
            assertThat(outcome.out()).isEmpty();
            assertThat(outcome.err()).contains("nobody listens");
        }
    }
}
