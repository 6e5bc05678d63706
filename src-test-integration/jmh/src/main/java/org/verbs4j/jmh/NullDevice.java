package org.verbs4j.jmh;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.SymbolLookup;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.nio.file.Path;

/**
 * Tells the null device what to do with requests and polls. The library must be the one the API was
 * told to load.
 */
final class NullDevice {
    private final MethodHandle sendMode;
    private final MethodHandle pollMode;

    NullDevice(Path library) {
        SymbolLookup symbols = SymbolLookup.libraryLookup(library, Arena.global());
        FunctionDescriptor modes =
                FunctionDescriptor.ofVoid(
                        ValueLayout.JAVA_LONG, ValueLayout.JAVA_LONG, ValueLayout.JAVA_LONG);
        sendMode =
                Linker.nativeLinker()
                        .downcallHandle(symbols.findOrThrow("null_set_send_mode"), modes);
        pollMode =
                Linker.nativeLinker()
                        .downcallHandle(symbols.findOrThrow("null_set_poll_mode"), modes);
    }

    /** Sets the loopback's queue pair and queue as the operation wants them, both empty. */
    void prepare(Loopback loopback, Operation operation) {
        long pair = loopback.pair().handle().address();
        boolean discard = operation == Operation.POST || operation == Operation.RECEIVE;
        boolean always = operation == Operation.POLL_HIT || operation == Operation.READ;
        boolean systemCall = operation == Operation.SYSCALL_PAIR;
        try {
            sendMode.invokeExact(pair, discard ? 1L : 0L, systemCall ? 1L : 0L);
            pollMode.invokeExact(loopback.queue().handle().address(), pair, always ? 1L : 0L);
        } catch (Throwable e) {
            throw new AssertionError(e);
        }
    }
}
