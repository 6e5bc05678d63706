package org.verbs4j.examples;

import org.jspecify.annotations.Nullable;
import org.verbs4j.Device;
import org.verbs4j.DeviceContext;
import org.verbs4j.Devices;
import org.verbs4j.Port;

import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

import java.util.List;

/** {@code ibv_devinfo} of rdma-core 44: its flags and its output. */
@Command(
        name = "devinfo",
        mixinStandardHelpOptions = true,
        versionProvider = Main.Version.class,
        sortOptions = false,
        description = "Tells what RDMA devices are and can, as ibv_devinfo does.")
final class DevInfo extends Tool {
    @Option(
            names = {"-d", "--ib-dev"},
            paramLabel = "<dev>",
            description = "use IB device <dev> (default all devices)")
    private @Nullable String device;

    @Option(
            names = {"-i", "--ib-port"},
            paramLabel = "<port>",
            converter = CNumbers.DevicePort.class,
            description = "use port <port> of IB device (default all ports)")
    private @Nullable Integer port;

    @Option(
            names = {"-l", "--list"},
            description = "print only the IB devices names")
    private boolean list;

    @Option(
            names = {"-v", "--verbose"},
            description = "print all the attributes of the IB device(s)")
    private boolean verbose;

    @Override
    void run() {
        if (list) {
            printNames(Devices.list());
            return;
        }
        Device first = PortChoice.device(device); // says what is wrong when there is none
        for (Device each : device == null ? Devices.list() : List.of(first)) {
            try (DeviceContext context = each.open()) {
                printDevice(context);
            }
        }
    }

    private void printNames(List<Device> devices) {
        print("%d HCA%s found:".formatted(devices.size(), devices.size() == 1 ? "" : "s"));
        devices.forEach(each -> print("\t" + each.name()));
        print("");
    }

    private void printDevice(DeviceContext context) {
        int ports = context.attributes().portCount();
        if (port != null && port > ports) {
            throw new ToolFailure(
                    "no port %d on %s, which has %d"
                            .formatted(port, context.device().name(), ports));
        }
        print(DeviceSheet.of(context, verbose));
        for (Port each : context.ports()) {
            if (port == null || port == each.number()) {
                print(PortSheet.of(context, each, verbose));
                print("");
            }
        }
    }
}
