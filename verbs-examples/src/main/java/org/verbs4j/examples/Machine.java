package org.verbs4j.examples;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.stream.Stream;

/**
 * The files and programs that tell how this machine is set up.
 *
 * @param root what stands for {@code /}; tests have a tree of their own
 * @param programs runs a command and returns what it printed, nothing when there is no such program
 *     or it fails
 */
record Machine(Path root, Function<List<String>, List<String>> programs) {
    private static final int PROGRAM_SECONDS = 5;

    static Machine here() {
        return new Machine(Path.of("/"), Machine::run);
    }

    private Path at(String file) {
        return root.resolve(file.substring(1));
    }

    /** A file's text without white space around it; empty when it cannot be read. */
    Optional<String> read(String file) {
        try {
            return Optional.of(new String(Files.readAllBytes(at(file)), StandardCharsets.UTF_8))
                    .map(String::strip);
        } catch (IOException e) {
            return Optional.empty();
        }
    }

    /** The lines of a file, none when it cannot be read. */
    List<String> lines(String file) {
        return read(file).map(text -> text.lines().toList()).orElse(List.of());
    }

    /** The names in a directory, in order; none when there is no such directory. */
    List<String> names(String directory) {
        try (Stream<Path> files = Files.list(at(directory))) {
            return files.map(file -> file.getFileName().toString()).sorted().toList();
        } catch (IOException e) {
            return List.of();
        }
    }

    boolean exists(String file) {
        return Files.exists(at(file));
    }

    boolean isUsable(String file) {
        return Files.isReadable(at(file)) && Files.isWritable(at(file));
    }

    /** The value behind a name and a colon, in files such as {@code /proc/meminfo}. */
    Optional<String> value(String file, String name) {
        return lines(file).stream()
                .filter(line -> line.startsWith(name + ":"))
                .map(line -> line.substring(name.length() + 1).strip())
                .findFirst();
    }

    private static List<String> run(List<String> command) {
        try {
            Process process =
                    new ProcessBuilder(command)
                            .redirectError(ProcessBuilder.Redirect.DISCARD)
                            .start();
            process.getOutputStream().close();
            try (var out = process.inputReader(StandardCharsets.UTF_8)) {
                ProcessHandle handle = process.toHandle();
                Thread limit = Thread.ofVirtual().start(() -> destroyLate(handle));
                List<String> lines = out.lines().toList();
                limit.interrupt();
                return process.waitFor(PROGRAM_SECONDS, TimeUnit.SECONDS)
                                && process.exitValue() == 0
                        ? lines
                        : List.of();
            }
        } catch (IOException e) {
            return List.of();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return List.of();
        }
    }

    private static void destroyLate(ProcessHandle process) {
        try {
            TimeUnit.SECONDS.sleep(PROGRAM_SECONDS);
            process.destroyForcibly();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt(); // it has ended by itself
        }
    }
}
