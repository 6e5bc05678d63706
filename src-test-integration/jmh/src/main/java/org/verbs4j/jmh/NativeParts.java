package org.verbs4j.jmh;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;

/**
 * The C side, compiled where it is measured: the null device, the C twins and the JNI twin. Never
 * shipped; kept under {@code target/native} until a source, the compiler or the flags change.
 */
record NativeParts(Path nullDevice, Path twins, Path jni) {
    private static final List<String> FLAGS =
            List.of(
                    "-O3",
                    "-Wall",
                    "-Wextra",
                    "-Werror",
                    "-shared",
                    "-fPIC",
                    "-fvisibility=hidden");

    /** The module's directory, where the C sources and {@code target} are; the launcher sets it. */
    static final String HOME_PROPERTY = "verbs4j.bench.home";

    static Path home() {
        return Path.of(System.getProperty(HOME_PROPERTY, "src-test-integration/jmh"))
                .toAbsolutePath();
    }

    /** Compiles what is not yet there. */
    static NativeParts build() {
        Path sources = home().resolve("src/main/c");
        try {
            Path into = home().resolve("target/native").resolve(fingerprint(sources));
            NativeParts parts =
                    new NativeParts(
                            into.resolve("libnulldevice.so"),
                            into.resolve("libtwins.so"),
                            into.resolve("libjnitwin.so"));
            if (!Files.exists(parts.jni)) {
                Files.createDirectories(into);
                Path include = Path.of(System.getProperty("java.home"), "include");
                compile(
                        sources,
                        parts.nullDevice,
                        "null_identity.c",
                        "null_verbs.c",
                        "null_data_path.c");
                compile(sources, parts.twins, "twins.c");
                compile(
                        sources,
                        parts.jni,
                        "jni_twin.c",
                        "-I" + include,
                        "-I" + include.resolve("linux"));
            }
            return parts;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** What {@link #build} made earlier, for a process that is not to compile. */
    static NativeParts at(Path directory) {
        return new NativeParts(
                directory.resolve("libnulldevice.so"),
                directory.resolve("libtwins.so"),
                directory.resolve("libjnitwin.so"));
    }

    Path directory() {
        return twins.resolveSibling("");
    }

    static String compilerVersion() throws IOException {
        return run(List.of("gcc", "--version")).lines().findFirst().orElse("gcc");
    }

    private static String fingerprint(Path sources) throws IOException {
        try (var files = Files.list(sources)) {
            MessageDigest digest = MessageDigest.getInstance("SHA-256");
            for (Path file : files.sorted().toList()) {
                digest.update(Files.readAllBytes(file));
            }
            String context = FLAGS + compilerVersion() + System.getProperty("java.home");
            digest.update(context.getBytes(StandardCharsets.UTF_8));
            return HexFormat.of().formatHex(digest.digest(), 0, 8);
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every JDK has SHA-256", e);
        }
    }

    private static void compile(Path sources, Path library, String... arguments)
            throws IOException {
        List<String> command = new ArrayList<>(List.of("gcc"));
        command.addAll(FLAGS);
        command.add("-o");
        // Under another name until whole, so that a build cut short is not taken for a finished
        // one.
        Path unfinished = Files.createTempFile(library.getParent(), "unfinished", ".so");
        command.add(unfinished.toString());
        for (String argument : arguments) {
            command.add(argument.endsWith(".c") ? sources.resolve(argument).toString() : argument);
        }
        run(command);
        Files.move(unfinished, library, java.nio.file.StandardCopyOption.REPLACE_EXISTING);
    }

    private static String run(List<String> command) throws IOException {
        Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        try {
            if (process.waitFor() != 0) {
                throw new IOException(String.join(" ", command) + " failed:\n" + output);
            }
        } catch (InterruptedException e) {
            process.destroy();
            Thread.currentThread().interrupt();
            throw new IOException("interrupted while compiling", e);
        }
        return output;
    }
}
