package org.verbs4j.jmh;

import org.verbs4j.Access;
import org.verbs4j.CompletionChannel;
import org.verbs4j.CompletionQueue;
import org.verbs4j.ConnectOptions;
import org.verbs4j.DeviceContext;
import org.verbs4j.Devices;
import org.verbs4j.MemoryRegion;
import org.verbs4j.Mtu;
import org.verbs4j.ProtectionDomain;
import org.verbs4j.RcQueuePair;
import org.verbs4j.SendBatch;
import org.verbs4j.WorkCompletions;
import org.verbs4j.Write;

import java.time.Duration;
import java.util.Locale;

/**
 * What the advice of {@code docs/tuning.md} is worth on the device at hand: {@code ./verbs bench
 * tuning}. Prints a table; each figure is the median of slices, all variants of a question in
 * turns.
 */
final class DeviceTuning {
    private static final int LARGE = 65536;
    private static final int DEPTH = 64;

    private final DeviceContext context = Devices.first().open();
    private final ProtectionDomain domain = context.newProtectionDomain();
    private final WorkCompletions done = WorkCompletions.allocate(DEPTH);

    private DeviceTuning() {}

    /** One queue pair, connected to itself, for one variant. */
    private record Setting(
            CompletionQueue queue, RcQueuePair pair, MemoryRegion region, int length) {
        Write write() {
            return pair.newWrite()
                    .from(region, 0, length)
                    .to(region.remote(length, length), 0)
                    .signaled(true);
        }
    }

    public static void main(String[] args) {
        DeviceTuning tuning = new DeviceTuning();
        tuning.inline();
        tuning.waiting();
        tuning.mtu();
        tuning.depth();
        tuning.interval();
    }

    private enum Variant {
        FIRST,
        SECOND,
        THIRD,
        FOURTH
    }

    private Setting setting(int length, ConnectOptions options) {
        CompletionChannel channel = context.newCompletionChannel();
        CompletionQueue queue = context.newCompletionQueue(2 * DEPTH, channel, 0);
        RcQueuePair pair =
                domain.newRcQueuePair(queue, queue)
                        .remoteAccess(Access.REMOTE_WRITE)
                        .maxSendRequests(2 * DEPTH)
                        .maxInlineData(64)
                        .build();
        pair.connect(pair.endpoint(), options);
        MemoryRegion region = domain.allocate(2L * length, Access.LOCAL_WRITE, Access.REMOTE_WRITE);
        return new Setting(queue, pair, region, length);
    }

    private long latency(Setting setting, Write write, int operations) {
        for (int i = 0; i < operations; i++) {
            setting.pair.post(write);
            while (setting.queue.poll(done) == 0) {
                Thread.onSpinWait();
            }
            done.get(0).requireSuccess();
        }
        return operations;
    }

    private static void print(
            String question, String[] variants, java.util.Map<Variant, Duel.Outcome> outcomes) {
        int index = 0;
        for (Duel.Outcome outcome : outcomes.values()) {
            System.out.printf(
                    Locale.ROOT,
                    "| %s | %s | %.2f |%n",
                    question,
                    variants[index++],
                    outcome.nanosPerOperation() / 1000);
        }
    }

    private void inline() {
        Setting setting = setting(32, ConnectOptions.defaults());
        Write plain = setting.write();
        Write inline = setting.write().inline(true);
        print(
                "WRITE 32 B, µs",
                new String[] {"gathered", "inline"},
                new Duel<Variant>(new Duel.Effort(32, 200, 300, 1))
                        .with(Variant.FIRST, n -> latency(setting, plain, n))
                        .with(Variant.SECOND, n -> latency(setting, inline, n))
                        .run());
    }

    private void waiting() {
        Setting setting = setting(8, ConnectOptions.defaults());
        Write write = setting.write();
        print(
                "WRITE 8 B, µs",
                new String[] {"polled", "awaited by event"},
                new Duel<Variant>(new Duel.Effort(32, 100, 300, 1))
                        .with(Variant.FIRST, n -> latency(setting, write, n))
                        .with(Variant.SECOND, n -> awaited(setting, write, n))
                        .run());
    }

    /** Armed before the post, as one does who will sleep. */
    private long awaited(Setting setting, Write write, int operations) {
        try {
            for (int i = 0; i < operations; i++) {
                setting.queue.requestNotification(false);
                setting.pair.post(write);
                CompletionChannel channel = setting.queue.channel();
                if (channel == null || channel.await(Duration.ofSeconds(5)) == null) {
                    throw new IllegalStateException("no event");
                }
                if (setting.queue.poll(done) != 1) {
                    throw new IllegalStateException("an event without a completion");
                }
            }
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
        return operations;
    }

    private void mtu() {
        Setting small = setting(LARGE, ConnectOptions.defaults().withPathMtu(Mtu.BYTES_256));
        Setting middle = setting(LARGE, ConnectOptions.defaults().withPathMtu(Mtu.BYTES_1024));
        Setting large = setting(LARGE, ConnectOptions.defaults());
        Write throughSmall = small.write();
        Write throughMiddle = middle.write();
        Write throughLarge = large.write();
        print(
                "WRITE 64 KiB, µs",
                new String[] {"path MTU 256", "path MTU 1024", "the port's MTU"},
                new Duel<Variant>(new Duel.Effort(8, 60, 300, 1))
                        .with(Variant.FIRST, n -> latency(small, throughSmall, n))
                        .with(Variant.SECOND, n -> latency(middle, throughMiddle, n))
                        .with(Variant.THIRD, n -> latency(large, throughLarge, n))
                        .run());
    }

    private void depth() {
        Setting setting = setting(8, ConnectOptions.defaults());
        print(
                "WRITE 8 B stream, µs a message",
                new String[] {"1 under way", "4", "16", "64"},
                new Duel<Variant>(new Duel.Effort(128, 60, 300, 1))
                        .with(Variant.FIRST, stream(setting, 1, 1))
                        .with(Variant.SECOND, stream(setting, 4, 1))
                        .with(Variant.THIRD, stream(setting, 16, 1))
                        .with(Variant.FOURTH, stream(setting, 64, 1))
                        .run());
    }

    private void interval() {
        Setting setting = setting(8, ConnectOptions.defaults());
        print(
                "WRITE 8 B stream of 64, µs a message",
                new String[] {"1 a post", "4 a post, 1 in 4 signaled", "16", "32"},
                new Duel<Variant>(new Duel.Effort(128, 60, 300, 1))
                        .with(Variant.FIRST, stream(setting, 64, 1))
                        .with(Variant.SECOND, stream(setting, 64, 4))
                        .with(Variant.THIRD, stream(setting, 64, 16))
                        .with(Variant.FOURTH, stream(setting, 64, 32))
                        .run());
    }

    private Slice stream(Setting setting, int depth, int size) {
        SendBatch batch = setting.pair.newSendBatch(size);
        for (int i = 0; i < size; i++) {
            batch.add(setting.write().signaled(i + 1 == size));
        }
        return operations -> {
            int posted = 0;
            for (int finished = 0; finished < operations; ) {
                while (posted < operations && posted - finished + size <= depth) {
                    setting.pair.post(batch);
                    posted += size;
                }
                int count = setting.queue.poll(done);
                for (int i = 0; i < count; i++) {
                    done.get(i).requireSuccess();
                }
                finished += count * size;
            }
            return operations;
        };
    }
}
