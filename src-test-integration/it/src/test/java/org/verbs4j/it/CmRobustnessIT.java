package org.verbs4j.it;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.verbs4j.WorkStatus;
import org.verbs4j.cm.ConnectionException;
import org.verbs4j.cm.Listener;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * What goes wrong with the peer or the link ends in a typed error or in success, never in a hang.
 */
@Timeout(value = 10, unit = TimeUnit.MINUTES)
class CmRobustnessIT {
    private static final int HALF = 2048;

    /** How many descriptors there are of each kind. */
    private static Map<String, Long> openFiles() throws IOException {
        try (Stream<Path> files = Files.list(Path.of("/proc/self/fd"))) {
            return files.collect(
                    Collectors.groupingBy(
                            CmRobustnessIT::target, TreeMap::new, Collectors.counting()));
        }
    }

    private static String target(Path descriptor) {
        try {
            return Files.readSymbolicLink(descriptor).toString();
        } catch (IOException e) {
            return "(the one that lists them)";
        }
    }

    @Test
    void aThousandConnectionsLeaveNothingBehind() throws Exception {
        int cycles = Integer.getInteger("cm.cycles", 1000);
        try (Listener listener = Listener.bind(CmPlace.anyPort(), 16)) {
            cycle(listener);
            String kernel = KernelObjects.show(); // also opens what Java keeps, as /dev/urandom
            Map<String, Long> files = openFiles();
            int threads = Thread.activeCount();
            for (int i = 0; i < cycles; i++) {
                cycle(listener);
            }
            assertThat(openFiles()).isEqualTo(files);
            assertThat(Thread.activeCount()).isLessThanOrEqualTo(threads);
            assertThat(KernelObjects.show()).isEqualTo(kernel);
        }
    }

    private static void cycle(Listener listener) throws Exception {
        try (CmConnected both = CmConnected.through(listener)) {
            both.serverSide.receive(1, 64, 8);
            both.clientSide.send(2, 0, 8);
            both.clientSide.await();
            both.serverSide.await();
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"loss 1%", "loss 10%", "delay 5ms 2ms"})
    void aBadLinkCostsTimeOnly(String fault) throws Exception {
        try (Listener listener = Listener.bind(CmPlace.anyPort(), 4);
                LinkFault ignored = LinkFault.with(fault);
                CmConnected both = CmConnected.across(listener)) {
            for (int i = 0; i < 50; i++) {
                pingPong(both, i);
            }
        }
    }

    @Test
    void aBlackoutEndsInATypedErrorOrPasses() throws Exception {
        try (Listener listener = Listener.bind(CmPlace.anyPort(), 4)) {
            try (CmConnected both = CmConnected.across(listener)) {
                pingPong(both, 1);
                try (LinkFault ignored = LinkFault.with("loss 100%")) {
                    write(both, 2);
                    Thread.sleep(5_000);
                }
                WorkStatus status = both.clientSide.awaitAny().status();
                assertThat(status).isIn(WorkStatus.SUCCESS, WorkStatus.RETRY_EXCEEDED);
                if (status == WorkStatus.SUCCESS) {
                    both.serverSide.await();
                    assertThat(both.serverSide.memory.segment().getString(HALF)).isEqualTo(text(2));
                }
            }
            try (CmConnected again = CmConnected.across(listener)) {
                pingPong(again, 3);
            }
        }
    }

    @Test
    void connectingThroughABlackoutEndsInATypedErrorOrPasses() throws Exception {
        try (Listener listener = Listener.bind(CmPlace.anyPort(), 4)) {
            Waiting connecting;
            try (LinkFault ignored = LinkFault.with("loss 100%")) {
                connecting =
                        Waiting.begin(
                                false,
                                () -> {
                                    try (CmConnected both = CmConnected.across(listener)) {
                                        pingPong(both, 1);
                                        return "data";
                                    }
                                });
                Thread.sleep(5_000);
            }
            Object end = connecting.outcome().get(2, TimeUnit.MINUTES);
            if (!(end instanceof ConnectionException)) {
                assertThat(end).isEqualTo("data");
            }
        }
    }

    /** More than one packet, and different each time. */
    private static String text(int round) {
        return ("round " + round + " ").repeat(200);
    }

    private static void write(CmConnected both, int round) {
        both.serverSide.receive(1, HALF, HALF);
        both.clientSide.memory.segment().setString(0, text(round));
        both.clientSide.send(2, 0, HALF);
    }

    private static void pingPong(CmConnected both, int round) {
        write(both, round);
        both.clientSide.await();
        both.serverSide.await();
        assertThat(both.serverSide.memory.segment().getString(HALF)).isEqualTo(text(round));
    }
}
