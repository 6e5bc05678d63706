package org.verbs4j.it;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.verbs4j.CompletionChannel;
import org.verbs4j.CompletionQueue;
import org.verbs4j.DeviceContext;
import org.verbs4j.Devices;
import org.verbs4j.VerbsException;
import org.verbs4j.WorkCompletions;
import org.verbs4j.bindings.Posix;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.time.Duration;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;

/**
 * Events that cannot be read any more, as those of a device whose driver does not wait for its
 * users when it goes: the kernel then says EIO. Soft-RoCE waits, so a file that cannot be read
 * either takes the place of the descriptor.
 */
@Timeout(value = 5, unit = TimeUnit.MINUTES)
class UnreadableIT {
    private static final Duration LONG = Duration.ofMinutes(1);
    private static final Linker LINKER = Linker.nativeLinker();

    private static final MethodHandle OPEN =
            LINKER.downcallHandle(
                    LINKER.defaultLookup().findOrThrow("open"),
                    FunctionDescriptor.of(
                            ValueLayout.JAVA_INT, ValueLayout.ADDRESS, ValueLayout.JAVA_INT),
                    Linker.Option.firstVariadicArg(2));

    private static final MethodHandle DUP2 =
            LINKER.downcallHandle(
                    LINKER.defaultLookup().findOrThrow("dup2"),
                    FunctionDescriptor.of(
                            ValueLayout.JAVA_INT, ValueLayout.JAVA_INT, ValueLayout.JAVA_INT));

    /** Poll calls it readable, and a read of its beginning, where nothing is mapped, gives EIO. */
    private static void makeUnreadable(int descriptor) throws Exception {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment name = arena.allocateFrom("/proc/self/mem");
            int file = (int) OPEN.invokeExact(name, 0);
            assertThat((int) DUP2.invokeExact(file, descriptor)).isEqualTo(descriptor);
            assertThat(Posix.close(file)).isZero();
        } catch (Throwable e) {
            throw new AssertionError(e);
        }
    }

    private static void failsToRead(boolean virtual, String verb, Callable<?> wait)
            throws Exception {
        assertThat(Waiting.begin(virtual, wait).end())
                .isInstanceOfSatisfying(
                        VerbsException.class,
                        e -> {
                            assertThat(e.verb()).isEqualTo(verb);
                            assertThat(e.errno()).isEqualTo(Posix.EIO());
                            assertThat(e).hasMessageContaining("has the device been removed?");
                        });
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void aWaitForCompletionsEnds(boolean virtual) throws Exception {
        try (DeviceContext context = Devices.first().open();
                CompletionChannel channel = context.newCompletionChannel();
                CompletionQueue queue = context.newCompletionQueue(8, channel, 0)) {
            makeUnreadable(channel.fileDescriptor());
            failsToRead(virtual, "ibv_get_cq_event", () -> channel.await(LONG));
            failsToRead(
                    virtual,
                    "ibv_get_cq_event",
                    () -> queue.await(WorkCompletions.allocate(1), LONG));
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void aWaitForAsynchronousEventsEnds(boolean virtual) throws Exception {
        try (DeviceContext context = Devices.first().open()) {
            makeUnreadable(context.asyncFileDescriptor());
            failsToRead(virtual, "ibv_get_async_event", () -> context.awaitAsyncEvent(LONG));
        }
    }
}
