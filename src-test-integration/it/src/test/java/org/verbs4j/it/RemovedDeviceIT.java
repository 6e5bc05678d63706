package org.verbs4j.it;

import static org.assertj.core.api.Assertions.assertThat;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.verbs4j.DeviceContext;
import org.verbs4j.Devices;
import org.verbs4j.WorkCompletions;
import org.verbs4j.cm.Connector;
import org.verbs4j.cm.EventChannel;
import org.verbs4j.cm.Listener;
import org.verbs4j.cm.Multicast;
import org.verbs4j.cm.MulticastGroup;
import org.verbs4j.it.BlockingCalls.End;
import org.verbs4j.it.BlockingCalls.Row;

import java.net.InetAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/**
 * A device that is removed under those who use it. They are processes of their own, as soft-RoCE
 * waits for their end: it cannot take a device from an open context.
 */
@Timeout(value = 5, unit = TimeUnit.MINUTES)
class RemovedDeviceIT {
    private static final Duration LIMIT = Duration.ofSeconds(60);

    /**
     * The kernel removes a device from its users in the reverse order of their arrival. Where
     * everything is built in, rdma_cm came first and has to wait for those with an open context,
     * which its own ids have; where rdma_ucm is loaded last, as usual, it is told first.
     */
    private static final boolean IDS_ARE_TOLD = !TestPlace.engine().equals("uml");

    /** Waits in every way there is on one device, and says how each wait ended. */
    static final class Waiter {
        private static final Duration LATE = CmPlace.limit(2);
        private static final Duration SHORT = CmPlace.limit(1).dividedBy(5);

        public static void main(String[] args) throws Exception {
            Map<Row, BlockingCall> calls = new LinkedHashMap<>();
            for (Row row : BlockingCalls.ALL) {
                if (row.has(End.CLOSE)) { // the others have no device
                    calls.put(row, row.maker().call());
                }
            }
            Map<Row, Waiting> waits = new LinkedHashMap<>();
            calls.forEach(
                    (row, call) ->
                            waits.put(
                                    row,
                                    Waiting.begin(waits.size() % 2 == 0, () -> call.await(LATE))));
            Thread.sleep(SHORT); // they wait
            System.out.println("READY");
            for (Map.Entry<Row, Waiting> each : waits.entrySet()) {
                String end = String.valueOf(each.getValue().end()).replace('\n', ' ');
                System.out.println(each.getKey() + ": " + end);
            }
            for (BlockingCall call : calls.values()) {
                call.close();
            }
            System.out.println("CLOSED");
        }
    }

    /** Uses a context that it has from a connector, which is closed, when the device has gone. */
    static final class Heir {
        public static void main(String[] args) throws Exception {
            DeviceContext context;
            try (Connector connector = Connector.resolve(CmPlace.anyPort(), CmPlace.limit(10))) {
                context = connector.context();
            }
            CmSide side = new CmSide(context);
            System.out.println("READY");
            awaitRemoval(context.device().name());
            EventChannel.devices(); // librdmacm sees that it has gone, and closes its own context
            side.close();
            new CmSide(context).close();
            System.out.println("USED " + context.awaitAsyncEvent(Duration.ofMillis(200)));
            Thread.sleep(Duration.ofMinutes(5));
        }
    }

    /** Does what waits for the device or the network when the device has gone already. */
    static final class Late {
        public static void main(String[] args) throws Exception {
            List<Long> flushed = new ArrayList<>();
            try (Listener listener = Listener.bind(CmPlace.anyPort(), 4);
                    Multicast multicast = Multicast.at(CmPlace.anyPort().getAddress());
                    CmDatagramSide datagrams = new CmDatagramSide(multicast.context());
                    CmConnected both = CmConnected.through(listener)) {
                both.clientSide.receive(5, 0, 16);
                System.out.println("READY");
                awaitRemoval(multicast.context().device().name());
                boolean all =
                        both.client.drain(
                                WorkCompletions.allocate(1),
                                c -> flushed.add(c.wrId()),
                                CmPlace.limit(10));
                System.out.println("DRAINED " + all + " " + flushed);
                Object joined = joined(multicast, datagrams);
                System.out.println("JOINED " + String.valueOf(joined).replace('\n', ' '));
            }
            System.out.println("CLOSED");
        }

        private static Object joined(Multicast multicast, CmDatagramSide side) {
            try (MulticastGroup group =
                    multicast.join(
                            side.pair, InetAddress.ofLiteral("239.77.0.1"), CmPlace.limit(2))) {
                return group;
            } catch (Exception e) {
                return e;
            }
        }
    }

    private static void awaitRemoval(String name) {
        Waits.until(
                name + " to go",
                () -> Devices.list().stream().noneMatch(each -> each.name().equals(name)));
    }

    private static ToolRun start(Class<?> program, SpareDevice spare) {
        return ToolRun.process(
                ToolRun.programCommand(program, "-D" + TestPlace.ONLY_DEVICE + "=" + spare.name()));
    }

    private static void awaitLine(ToolRun run, String start) throws InterruptedException {
        run.untilLine(start, line -> line.startsWith(start), LIMIT);
    }

    @Test
    @Holds("88")
    void everyWaitEndsByTheRemovalOrItsDeadline() throws Exception {
        try (SpareDevice spare = SpareDevice.make().withAddress("10.79.0.1");
                ToolRun waiter = start(Waiter.class, spare)) {
            awaitLine(waiter, "READY");
            ToolRun removal = spare.remove();
            ToolRun.Outcome outcome = waiter.await(LIMIT);
            assertThat(outcome.status()).as(outcome.out() + outcome.err()).isZero();
            assertThat(outcome.out()).endsWith("CLOSED\n");
            for (Row row : BlockingCalls.ALL) {
                if (row.has(End.CLOSE)) {
                    assertThat(line(outcome.out(), row.name() + ": ")).matches(expected(row));
                }
            }
            assertThat(removal.await(LIMIT).status()).isZero();
            assertThat(Devices.list()).noneMatch(each -> each.name().equals(spare.name()));
        }
    }

    private static String expected(Row row) {
        @Nullable String removed = row.removed();
        String late = row.late().replace("200 ms", Waiter.LATE.toMillis() + " ms");
        return IDS_ARE_TOLD && removed != null ? removed : late;
    }

    private static String line(String out, String start) {
        return out.lines()
                .filter(line -> line.startsWith(start))
                .map(line -> line.substring(start.length()))
                .findFirst()
                .orElseThrow();
    }

    @Test
    @Holds("89")
    void aContextStaysUsableAndTheRemovalWaitsForIt() throws Exception {
        try (SpareDevice spare = SpareDevice.make().withAddress("10.79.0.1");
                ToolRun heir = start(Heir.class, spare)) {
            awaitLine(heir, "READY");
            ToolRun removal = spare.remove();
            awaitLine(heir, "USED null");
            assertThat(removal.hasEnded()).isFalse();
            heir.kill();
            assertThat(removal.await(LIMIT).status()).isZero();
        }
    }

    @Test
    void whatAConnectionOwesAndAGroupCanBeAskedForWhenTheDeviceHasGone() throws Exception {
        try (SpareDevice spare = SpareDevice.make().withAddress("10.79.0.1");
                ToolRun late = start(Late.class, spare)) {
            awaitLine(late, "READY");
            ToolRun removal = spare.remove();
            ToolRun.Outcome outcome = late.await(LIMIT);
            assertThat(outcome.status()).as(outcome.out() + outcome.err()).isZero();
            assertThat(line(outcome.out(), "DRAINED ")).isEqualTo("true [5]");
            assertThat(line(outcome.out(), "JOINED "))
                    .matches(
                            IDS_ARE_TOLD
                                    ? ".*ConnectionException: .*the RDMA device is being removed.*"
                                    : "multicast group 239\\.77\\.0\\.1");
            assertThat(removal.await(LIMIT).status()).isZero();
        }
    }
}
