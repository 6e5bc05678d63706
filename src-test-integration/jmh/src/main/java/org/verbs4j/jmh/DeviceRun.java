package org.verbs4j.jmh;

import com.google.gson.Gson;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Runs {@link DeviceDuels} and perftest where a device is: by {@code verbs on-rxe}, in one guest
 * for all.
 */
final class DeviceRun {
    private static final int NO_DEVICE = 77;

    private final NativeParts parts;
    private final Path directory;
    private final boolean quick;

    DeviceRun(NativeParts parts, Path directory, boolean quick) {
        this.parts = parts;
        this.directory = directory;
        this.quick = quick;
    }

    void measure(int jvms, BenchData data) throws IOException {
        Path raw = Files.createDirectories(directory.resolve("raw"));
        List<String> command = new ArrayList<>();
        command.add(NativeParts.home().resolve("../../verbs").normalize().toString());
        command.add("on-rxe");
        command.add("--");
        command.add(NativeParts.home().resolve("measure-device").toString());
        command.add(raw.toString());
        command.add(Integer.toString(jvms));
        command.addAll(
                new JavaProcess()
                        .option("-Xbatch")
                        .command(
                                DeviceDuels.class,
                                parts.directory().toString(),
                                "RESULT",
                                quick ? "quick" : "full"));
        Process process = new ProcessBuilder(command).inheritIO().start();
        int status;
        try {
            status = process.waitFor();
        } catch (InterruptedException e) {
            process.destroy();
            Thread.currentThread().interrupt();
            throw new IOException("interrupted", e);
        }
        if (status == NO_DEVICE) {
            data.withoutDevice = "there is no RDMA device and no engine for soft-RoCE here";
            return;
        }
        if (status != 0) {
            throw new IOException("the measurement on the device ended with " + status);
        }
        for (int jvm = 1; jvm <= jvms; jvm++) {
            String json = Files.readString(raw.resolve("device-" + jvm + ".json"));
            data.device.add(new Gson().fromJson(json, DeviceDuels.Result.class));
        }
        data.facts.put("device", data.device.getFirst().device());
        perftest(raw, data);
    }

    private static void perftest(Path raw, BenchData data) throws IOException {
        for (Perftest tool : Perftest.values()) {
            Path output = raw.resolve(tool.file());
            if (Files.exists(output)) {
                double cyclesPerMicro = data.device.getFirst().cyclesPerMicro();
                tool.find(Files.readString(output))
                        .ifPresent(
                                figure ->
                                        data.perftest.put(
                                                tool.title(), tool.micros(figure, cyclesPerMicro)));
            }
        }
    }

    /** A tool of perftest: where its output is and which number of it counts. */
    private enum Perftest {
        SEND_LATENCY("ib_send_lat -e, 8 B, typical half round trip, µs", "ib_send_lat.txt", 4),
        READ_LATENCY("ib_read_lat, 8 B, typical, µs", "ib_read_lat.txt", 4),
        // Its own figures are 0 where it cannot calibrate its clock; the count of messages is
        // there.
        WRITE_BANDWIDTH("ib_write_bw, 64 KiB, depth 128, µs a message", "ib_write_bw.txt", 1);

        private static final double BANDWIDTH_MICROS = 2e6; // the -D 2 of measure-device
        private static final Pattern FIGURES = Pattern.compile("(?m)^ *(?:8|65536) +\\d+ .*$");

        private final String title;
        private final String file;
        private final int column;

        Perftest(String title, String file, int column) {
            this.title = title;
            this.file = file;
            this.column = column;
        }

        String title() {
            return title;
        }

        String file() {
            return file;
        }

        /** Latencies are reported in cycles, and of the bandwidth the messages are taken. */
        double micros(double figure, double cyclesPerMicro) {
            return this == WRITE_BANDWIDTH ? BANDWIDTH_MICROS / figure : figure / cyclesPerMicro;
        }

        /** Size, iterations, then the figures. */
        Optional<Double> find(String output) {
            Matcher line = FIGURES.matcher(output);
            if (!line.find()) {
                return Optional.empty();
            }
            return Optional.of(Double.valueOf(line.group().strip().split("[ \\t]+", -1)[column]));
        }
    }
}
