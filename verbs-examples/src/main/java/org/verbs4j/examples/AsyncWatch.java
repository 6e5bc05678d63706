package org.verbs4j.examples;

import org.jspecify.annotations.Nullable;
import org.verbs4j.AsyncEvent;
import org.verbs4j.AsyncEvent.PortEvent;
import org.verbs4j.DeviceContext;

import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

import java.time.Duration;

/** {@code ibv_asyncwatch} of rdma-core 44: its flags and its output. Goes on until it is ended. */
@Command(
        name = "asyncwatch",
        mixinStandardHelpOptions = true,
        versionProvider = Main.Version.class,
        description = "Tells what happens to an RDMA device and its ports, as ibv_asyncwatch does.")
final class AsyncWatch extends Tool {
    /** The wait has no end; this is how long one call of it lasts. */
    private static final Duration A_WHILE = Duration.ofHours(1);

    @Option(
            names = {"-d", "--ib-dev"},
            paramLabel = "<dev>",
            description = "use IB device <dev> (default first device found)")
    private @Nullable String device;

    @Override
    void run() throws InterruptedException {
        try (DeviceContext context = PortChoice.device(device).open()) {
            print(
                    "%s: async event FD %d"
                            .formatted(context.device().name(), context.asyncFileDescriptor()));
            while (true) {
                AsyncEvent event = context.awaitAsyncEvent(A_WHILE);
                if (event != null) {
                    print(line(event));
                }
            }
        }
    }

    /** C prints whatever stands in the union where an event has no port. */
    static String line(AsyncEvent event) {
        int port = event instanceof PortEvent ofPort ? ofPort.port() : 0;
        return "  event_type %s (%d), port %d".formatted(name(event), event.code(), port);
    }

    /** Only what happens to devices and ports has a name: nothing else is made here. */
    private static String name(AsyncEvent event) {
        return switch (event) {
            case AsyncEvent.DeviceFatal _ -> "IBV_EVENT_DEVICE_FATAL";
            case PortEvent ofPort ->
                    switch (ofPort.kind()) {
                        case ACTIVE -> "IBV_EVENT_PORT_ACTIVE";
                        case ERROR -> "IBV_EVENT_PORT_ERR";
                        case LID_CHANGE -> "IBV_EVENT_LID_CHANGE";
                        case PKEY_CHANGE -> "IBV_EVENT_PKEY_CHANGE";
                        case SM_CHANGE -> "IBV_EVENT_SM_CHANGE";
                        case CLIENT_REREGISTER -> "IBV_EVENT_CLIENT_REREGISTER";
                        case GID_CHANGE -> "IBV_EVENT_GID_CHANGE";
                    };
            default -> "unexpected";
        };
    }
}
