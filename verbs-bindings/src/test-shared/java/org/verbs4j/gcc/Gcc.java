package org.verbs4j.gcc;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * The C compiler of this machine, for what tests of any module run beside Java. A machine without
 * it fails the test: agreement with C is not optional.
 */
public final class Gcc {
    /** Makes verbs.h declare what it declares only for programs linked statically. */
    public static final String STATIC = "-DRDMA_STATIC_PROVIDERS=none";

    private static final String INSTALL = "apt-get install gcc libibverbs-dev librdmacm-dev";

    private Gcc() {}

    /**
     * Compiles a shared library.
     *
     * @param sources files of C
     * @param options beside the usual ones
     */
    public static Path library(Path library, List<Path> sources, String... options) {
        List<String> arguments = new ArrayList<>(List.of(options));
        arguments.addAll(
                List.of(
                        "-std=gnu11",
                        "-Wall",
                        "-Werror",
                        "-g",
                        "-O1",
                        "-UNDEBUG",
                        "-fPIC",
                        "-shared",
                        "-Wl,-Bsymbolic",
                        "-Wl,--no-undefined",
                        "-pthread",
                        "-o",
                        library.toString()));
        sources.forEach(source -> arguments.add(source.toAbsolutePath().toString()));
        run(arguments.toArray(String[]::new));
        return library;
    }

    /** Where a test class may build, below target. */
    public static Path directory(String name) throws IOException {
        return Files.createDirectories(Path.of("target", "c", name).toAbsolutePath());
    }

    /** Runs gcc and gives what it printed. */
    public static String run(String... arguments) {
        List<String> command = new ArrayList<>(List.of("gcc"));
        command.addAll(List.of(arguments));
        try {
            Forked gcc = Forked.of(new ProcessBuilder(command));
            if (gcc.status() != 0) {
                throw new AssertionError(
                        String.join(" ", command)
                                + " failed; perhaps "
                                + INSTALL
                                + "\n"
                                + gcc.err());
            }
            return gcc.out();
        } catch (IOException e) {
            throw new AssertionError("gcc cannot be run: " + INSTALL, e);
        }
    }
}
