package org.verbs4j.jmh;

import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** A JVM like this one, for a measurement of its own. */
final class JavaProcess {
    private final List<String> options = new ArrayList<>();

    JavaProcess() {
        option("--enable-native-access=ALL-UNNAMED");
        option("-D" + NativeParts.HOME_PROPERTY + "=" + NativeParts.home());
    }

    static Path java() {
        return Path.of(System.getProperty("java.home"), "bin", "java");
    }

    JavaProcess option(String option) {
        options.add(option);
        return this;
    }

    /** The API finds the null device instead of the machine's libibverbs. */
    JavaProcess onNullDevice(NativeParts parts) {
        return option("-Dorg.verbs4j.libibverbs=" + parts.nullDevice());
    }

    List<String> command(Class<?> main, String... arguments) {
        List<String> command = new ArrayList<>(List.of(java().toString()));
        command.addAll(options);
        command.addAll(List.of("-cp", classPath(), main.getName()));
        command.addAll(List.of(arguments));
        return command;
    }

    /** Absolute: an AOT cache remembers the class path, and a guest has another directory. */
    private static String classPath() {
        return List.of(System.getProperty("java.class.path").split(File.pathSeparator, -1)).stream()
                .map(entry -> Path.of(entry).toAbsolutePath().toString())
                .reduce((a, b) -> a + File.pathSeparator + b)
                .orElseThrow();
    }

    /**
     * Runs to the end.
     *
     * @throws IOException with what the process said, when its status is not 0
     */
    static String run(List<String> command) throws IOException {
        Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
        process.getOutputStream().close();
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        try {
            int status = process.waitFor();
            if (status != 0) {
                throw new IOException(
                        String.join(" ", command) + " ended with " + status + ":\n" + output);
            }
        } catch (InterruptedException e) {
            process.destroy();
            Thread.currentThread().interrupt();
            throw new IOException("interrupted", e);
        }
        return output;
    }
}
