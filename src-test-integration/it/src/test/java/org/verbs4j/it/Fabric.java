package org.verbs4j.it;

import org.verbs4j.examples.Main;
import org.verbs4j.gcc.Gcc;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/**
 * Processes on a device that has what soft-RoCE lacks, without any hardware: they load a library of
 * the tests' own in place of libibverbs. What it does is in {@code fabric.h}.
 */
final class Fabric {
    private static final Path LIBRARY = compile();

    private final Path directory;

    /**
     * @param directory empty; what the processes share, with a file for each object that lives
     */
    Fabric(Path directory) {
        this.directory = directory;
    }

    private static Path compile() {
        Path module = ToolRun.repository().resolve("src-test-integration");
        Path device = module.resolve("jmh/src/main/c");
        try (Stream<Path> own = Files.list(module.resolve("it/src/test/c"))) {
            List<Path> sources =
                    new ArrayList<>(own.filter(file -> file.toString().endsWith(".c")).toList());
            sources.add(device.resolve("null_identity.c"));
            return Gcc.library(
                    Gcc.directory("fabric").resolve("libibverbs.so.1"),
                    sources,
                    "-Wextra",
                    "-fvisibility=hidden",
                    "-Wl,-soname,libibverbs.so.1",
                    "-I" + device);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Starts one of our tools. */
    ToolRun java(List<String> words) {
        return ToolRun.process(
                List.of(inDirectory(javaCommand(Main.class), words.toArray(String[]::new))));
    }

    /** The command that starts a program of the tests. */
    List<String> javaCommand(Class<?> main) {
        return ToolRun.programCommand(main, "-Dorg.verbs4j.libibverbs=" + LIBRARY);
    }

    /** Starts a C tool. */
    ToolRun c(List<String> command) {
        String library = "LD_LIBRARY_PATH=" + LIBRARY.getParent();
        return ToolRun.process(
                List.of(inDirectory(List.of("env", library), command.toArray(String[]::new))));
    }

    /** A command whose process shares the directory. */
    String[] inDirectory(List<String> command, String... more) {
        return Stream.of(
                        Stream.of("env", "VERBS4J_FABRIC=" + directory),
                        command.stream(),
                        Stream.of(more))
                .flatMap(words -> words)
                .toArray(String[]::new);
    }

    /** What has been made and not destroyed, by whatever process. */
    List<String> living() {
        try (Stream<Path> files = Files.list(directory)) {
            return files.map(file -> file.getFileName().toString())
                    .filter(name -> !name.equals("device"))
                    .sorted()
                    .toList();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
