package org.verbs4j.it;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
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

/** A thousand virtual threads wait for a thousand events, and two carriers suffice. */
class VirtualThreadsIT {
    private static final int WAITERS = 1_000;

    @Test
    void waitingPinsNoCarrier() throws Exception {
        List<String> command =
                ToolRun.programCommand(
                        Waiters.class,
                        "-Djdk.virtualThreadScheduler.parallelism=2",
                        "-Djdk.virtualThreadScheduler.maxPoolSize=2");
        try (ToolRun run = ToolRun.process(command)) {
            ToolRun.Outcome outcome = run.await(Duration.ofMinutes(1));
            System.out.print(outcome.out());
            assertThat(outcome.status()).as(outcome.err()).isZero();
            assertThat(outcome.out()).contains(WAITERS + " of " + WAITERS + " events");
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

        /**
         * How often two other virtual threads come to run, with a millisecond's pause each time.
         */
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
}
