package org.verbs4j.examples;

import org.verbs4j.Port;

import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;

/** What a driver counts of congestion, pauses and losses. */
final class CounterChecks {
    private static final Pattern TROUBLE =
            Pattern.compile(
                    ".*(pfc|pause|ecn|cnp|discard|drop|err|retry|rnr|out_of_seq|timeout|dup).*");

    private static final int MOST_SHOWN = 12;

    private final Machine machine;

    CounterChecks(Machine machine) {
        this.machine = machine;
    }

    List<Finding> of(String device, Port port) {
        return of(device, port.number(), netdevs(device, port.number()));
    }

    List<Finding> of(String device, int port, List<String> netdevs) {
        String name = device + "/" + port;
        List<String> counted = new ArrayList<>();
        int looked = 0;
        for (String kind : List.of("hw_counters", "counters")) {
            String directory = "/sys/class/infiniband/%s/ports/%d/%s".formatted(device, port, kind);
            for (String counter : machine.names(directory)) {
                if (TROUBLE.matcher(counter).matches()) {
                    looked++;
                    note(counted, counter, machine.read(directory + "/" + counter).orElse("0"));
                }
            }
        }
        for (String netdev : netdevs) {
            looked += statistics(netdev, counted);
        }
        return List.of(finding(name, looked, counted));
    }

    private static Finding finding(String name, int looked, List<String> counted) {
        if (counted.isEmpty()) {
            return Finding.ok(
                    name,
                    looked == 0
                            ? "the driver shows no counters of pauses, congestion and losses"
                            : looked + " counters of pauses, congestion and losses are zero");
        }
        List<String> shown = counted.subList(0, Math.min(counted.size(), MOST_SHOWN));
        return Finding.note(
                name,
                "since the device is up: "
                        + String.join(", ", shown)
                        + (shown.size() < counted.size() ? ", ..." : ""),
                "look again after a run: losses that grow want flow control (PFC) or ECN on the"
                        + " switches");
    }

    /** The interfaces that a port's GIDs are of. */
    private List<String> netdevs(String device, int port) {
        String directory =
                "/sys/class/infiniband/%s/ports/%d/gid_attrs/ndevs".formatted(device, port);
        return machine.names(directory).stream()
                .limit(8) // the table has a thousand entries, the first ones are in use
                .flatMap(index -> machine.read(directory + "/" + index).stream())
                .distinct()
                .toList();
    }

    private int statistics(String netdev, List<String> counted) {
        int looked = 0;
        for (String line : machine.programs().apply(List.of("ethtool", "-S", netdev))) {
            int colon = line.lastIndexOf(':');
            if (colon > 0) {
                String counter = line.substring(0, colon).strip();
                if (TROUBLE.matcher(counter).matches()) {
                    looked++;
                    note(counted, counter, line.substring(colon + 1).strip());
                }
            }
        }
        return looked;
    }

    private static void note(List<String> counted, String counter, String value) {
        if (!value.equals("0")) {
            counted.add(counter + " " + value);
        }
    }
}
