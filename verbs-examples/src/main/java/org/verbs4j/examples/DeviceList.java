package org.verbs4j.examples;

import org.verbs4j.Device;
import org.verbs4j.Devices;

import picocli.CommandLine.Command;

import java.util.Locale;

/** {@code ibv_devices} of rdma-core 44: its output. */
@Command(
        name = "devices",
        mixinStandardHelpOptions = true,
        versionProvider = Main.Version.class,
        description = "Lists the RDMA devices, as ibv_devices does.")
final class DeviceList extends Tool {
    @Override
    void run() {
        print(line("device", "   node GUID"));
        print(line("------", "----------------"));
        for (Device device : Devices.list()) {
            print(line(device.name(), String.format(Locale.ROOT, "%016x", device.guid().value())));
        }
    }

    private static String line(String device, String guid) {
        return String.format(Locale.ROOT, "    %-16s\t%s", device, guid);
    }
}
