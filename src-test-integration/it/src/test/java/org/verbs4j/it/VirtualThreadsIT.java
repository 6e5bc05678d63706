package org.verbs4j.it;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.verbs4j.CompletionChannel;
import org.verbs4j.CompletionQueue;
import org.verbs4j.DeviceContext;
import org.verbs4j.Devices;
import org.verbs4j.ProtectionDomain;
import org.verbs4j.RcQueuePair;
import org.verbs4j.WorkCompletions;
import org.verbs4j.cm.ConnectionEvent;
import org.verbs4j.cm.ConnectionId;
import org.verbs4j.cm.EventChannel;

import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;

/** Many virtual threads wait for an event each, and two carriers suffice. */
class VirtualThreadsIT {
    private static final int WAITERS = 1_000;
    private static final int QUEUES = 64;

    @Test
    void waitingPinsNoCarrier() throws Exception {
        run(Waiters.class, WAITERS + " of " + WAITERS + " events");
    }

    @Test
    void waitingForCompletionsPinsNoCarrier() throws Exception {
        run(CompletionWaiters.class, QUEUES + " of " + QUEUES + " completions");
    }

    private static void run(Class<?> program, String expected) throws Exception {
        List<String> command =
                ToolRun.programCommand(
                        program,
                        "-Djdk.virtualThreadScheduler.parallelism=2",
                        "-Djdk.virtualThreadScheduler.maxPoolSize=2");
        try (ToolRun run = ToolRun.process(command)) {
            ToolRun.Outcome outcome = run.await(Duration.ofMinutes(1));
            System.out.print(outcome.out());
            assertThat(outcome.status()).as(outcome.err()).isZero();
            assertThat(outcome.out()).contains(expected);
        }
    }

    /** The program in a JVM of its own, because the number of carriers is set at the start. */
    static final class Waiters {
        public static void main(String[] args) throws Exception {
            List<EventChannel> channels = new ArrayList<>();
            List<ConnectionId> ids = new ArrayList<>();
            for (int i = 0; i < WAITERS; i++) {
                channels.add(EventChannel.open());
                ids.add(channels.getLast().newId());
            }
            System.out.printf("others run every %d us while nobody waits%n", pace());
            CountDownLatch started = new CountDownLatch(WAITERS);
            CountDownLatch done = new CountDownLatch(WAITERS);
            AtomicLong events = new AtomicLong();
            AtomicLong latest = new AtomicLong();
            for (EventChannel channel : channels) {
                Thread.ofVirtual()
                        .start(
                                () -> {
                                    started.countDown();
                                    try {
                                        ConnectionEvent event =
                                                channel.await(Duration.ofMinutes(5));
                                        if (event instanceof ConnectionEvent.AddressResolved) {
                                            events.incrementAndGet();
                                        }
                                    } catch (InterruptedException e) {
                                        return;
                                    } finally {
                                        latest.set(System.nanoTime());
                                        done.countDown();
                                    }
                                });
            }
            started.await();
            Thread.sleep(500);
            System.out.printf("others run every %d us while all wait%n", pace());
            InetSocketAddress known = CmPlace.anyPort();
            long sent = System.nanoTime();
            for (ConnectionId id : ids) {
                id.resolveAddress(null, known, Duration.ofMinutes(1));
            }
            long asked = System.nanoTime();
            boolean all = done.await(3, TimeUnit.MINUTES);
            System.out.printf(
                    "%d of %d events; asked within %d ms, the last one seen %d ms later%n",
                    events.get(),
                    WAITERS,
                    (asked - sent) / 1_000_000,
                    (latest.get() - asked) / 1_000_000);
            ids.forEach(ConnectionId::close);
            channels.forEach(EventChannel::close);
            System.exit(all ? 0 : 1);
        }
    }

    /** As above, each on a completion queue with a channel of its own. */
    static final class CompletionWaiters {
        public static void main(String[] args) throws Exception {
            CountDownLatch started = new CountDownLatch(QUEUES);
            CountDownLatch done = new CountDownLatch(QUEUES);
            AtomicLong completions = new AtomicLong();
            List<RcQueuePair> pairs = new ArrayList<>();
            DeviceContext context = Devices.first().open();
            ProtectionDomain domain = context.newProtectionDomain();
            for (int i = 0; i < QUEUES; i++) {
                CompletionChannel channel = context.newCompletionChannel();
                CompletionQueue queue = context.newCompletionQueue(4, channel, 0);
                RcQueuePair pair = domain.newRcQueuePair(queue, queue).build();
                pair.connect(pair.endpoint());
                pair.post(pair.newReceive().empty());
                pairs.add(pair);
                Thread.ofVirtual()
                        .start(
                                () -> {
                                    started.countDown();
                                    try {
                                        WorkCompletions one = WorkCompletions.allocate(1);
                                        completions.addAndGet(
                                                queue.await(one, Duration.ofMinutes(5)));
                                    } catch (InterruptedException e) {
                                        return;
                                    } finally {
                                        done.countDown();
                                    }
                                });
            }
            started.await();
            Thread.sleep(500);
            System.out.printf("others run every %d us while all wait%n", pace());
            pairs.forEach(RcQueuePair::moveToError); // flushes the receive
            boolean all = done.await(1, TimeUnit.MINUTES);
            System.out.printf("%d of %d completions%n", completions.get(), QUEUES);
            System.exit(all ? 0 : 1);
        }
    }

    /** How often two other virtual threads come to run, with a millisecond's pause each time. */
    private static long pace() throws InterruptedException {
        int rounds = 50;
        List<Thread> others = new ArrayList<>();
        long start = System.nanoTime();
        for (int i = 0; i < 2; i++) {
            others.add(
                    Thread.ofVirtual()
                            .start(
                                    () -> {
                                        for (int n = 0; n < rounds; n++) {
                                            LockSupport.parkNanos(1_000_000);
                                        }
                                    }));
        }
        for (Thread other : others) {
            other.join();
        }
        return (System.nanoTime() - start) / 1_000 / rounds;
    }
}
