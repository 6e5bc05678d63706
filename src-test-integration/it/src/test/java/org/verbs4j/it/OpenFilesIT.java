package org.verbs4j.it;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.verbs4j.CompletionChannel;
import org.verbs4j.DeviceContext;
import org.verbs4j.cm.ConnectionException;
import org.verbs4j.cm.EventChannel;
import org.verbs4j.cm.Listener;

import java.io.FileInputStream;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** What is said when a process has too many open files. */
@Timeout(value = 5, unit = TimeUnit.MINUTES)
class OpenFilesIT {
    private static final int LIMIT = 400;

    /** Runs with few of them. */
    static final class Opening {
        private Opening() {}

        /**
         * With none left, then with one, which is too few for a channel and what wakes its waiters.
         */
        public static void main(String[] arguments) throws IOException {
            DeviceContext context = EventChannel.devices().getFirst();
            refuse();
            for (int i = 0; i < 2; i++) { // the first time loads the classes
                Deque<FileInputStream> held = new ArrayDeque<>();
                if (i > 0) {
                    fill(held);
                }
                tell("none", context);
                if (i > 0) {
                    held.pop().close();
                }
                tell("one", context);
                for (FileInputStream file : held) {
                    file.close();
                }
            }
            Listener.bind(CmPlace.anyPort(), 1).close();
            System.out.println("bound");
        }

        /** Loads the classes of a refusal. */
        private static void refuse() {
            try {
                Listener.bind(new InetSocketAddress("192.0.2.1", 0), 1).close();
            } catch (ConnectionException e) {
                System.err.println(e.getMessage());
            }
        }

        private static void fill(Deque<FileInputStream> held) {
            try {
                while (held.size() <= LIMIT) {
                    held.push(new FileInputStream("/dev/null"));
                }
            } catch (IOException e) {
                // full
            }
        }

        private static void tell(String left, DeviceContext context) {
            try (EventChannel channel = EventChannel.open()) {
                System.out.println(left + ": " + channel);
            } catch (RuntimeException e) {
                System.out.println(left + ": " + e);
            }
            try (CompletionChannel channel = context.newCompletionChannel()) {
                System.out.println(left + ": " + channel);
            } catch (RuntimeException e) {
                System.out.println(left + ": " + e);
            }
        }
    }

    /** A closed object is what an IllegalStateException would tell of. */
    @Test
    void whoeverOpensOneTooManyIsToldOfTheLimit() throws InterruptedException {
        List<String> command =
                new ArrayList<>(List.of("prlimit", "--nofile=" + LIMIT + ":" + LIMIT));
        command.addAll(ToolRun.programCommand(Opening.class));
        try (ToolRun program = ToolRun.process(command)) {
            ToolRun.Outcome outcome = program.await(Duration.ofSeconds(60));
            assertThat(outcome.status()).as(outcome.err()).isZero();
            List<String> lines = outcome.out().lines().skip(4).toList();
            assertThat(lines).as(outcome.out()).hasSize(5);
            assertThat(lines.get(0)).contains("ConnectionException: ", "EMFILE", "ulimit -n");
            assertThat(lines.get(1)).contains("VerbsException: ", "EMFILE");
            assertThat(lines.get(2)).contains("ConnectionException: ", "EMFILE", "ulimit -n");
            assertThat(lines.get(3)).contains("VerbsException: eventfd: EMFILE", "ulimit -n");
            assertThat(lines.get(4)).isEqualTo("bound");
        }
    }
}
