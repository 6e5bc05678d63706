package org.verbs4j.jmh;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.LinkedHashMap;
import java.util.Map;

/** Where and with what the figures were made. */
final class Facts {
    private Facts() {}

    static Map<String, String> ofThisMachine() throws IOException {
        Map<String, String> facts = new LinkedHashMap<>();
        facts.put("date", Instant.now().truncatedTo(ChronoUnit.MINUTES).toString());
        facts.put("processor", processor());
        facts.put("processors", Integer.toString(Runtime.getRuntime().availableProcessors()));
        facts.put(
                "load",
                Files.readString(Path.of("/proc/loadavg")).split(" ", 2)[0] + " when it began");
        facts.put("kernel", System.getProperty("os.name") + " " + System.getProperty("os.version"));
        facts.put("JVM", System.getProperty("java.vm.name") + " " + Runtime.version());
        facts.put("C compiler", NativeParts.compilerVersion() + ", -O3");
        return facts;
    }

    private static String processor() throws IOException {
        try (var lines = Files.lines(Path.of("/proc/cpuinfo"))) {
            return lines.filter(line -> line.startsWith("model name"))
                    .findFirst()
                    .map(line -> line.substring(line.indexOf(':') + 1).strip())
                    .orElse(System.getProperty("os.arch"));
        }
    }
}
