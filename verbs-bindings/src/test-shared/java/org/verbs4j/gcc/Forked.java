package org.verbs4j.gcc;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/** A process that has ended: what it wrote and its exit status. */
public record Forked(List<String> command, int status, String out, String err) {
    private static final long LIMIT_SECONDS = 300;

    /** Runs a command to its end in the current directory. */
    public static Forked of(String... command) throws IOException {
        return of(new ProcessBuilder(command));
    }

    /** Runs a command to its end. */
    public static Forked of(ProcessBuilder builder) throws IOException {
        Process process = builder.start();
        try {
            process.getOutputStream().close();
            CompletableFuture<byte[]> err = CompletableFuture.supplyAsync(() -> read(process));
            String out = new String(process.getInputStream().readAllBytes(), UTF_8);
            if (!process.waitFor(LIMIT_SECONDS, TimeUnit.SECONDS)) {
                throw new AssertionError(builder.command() + " did not end");
            }
            return new Forked(
                    builder.command(), process.exitValue(), out, new String(err.join(), UTF_8));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new AssertionError(e);
        } finally {
            process.destroyForcibly();
        }
    }

    /** Runs the main method of a class of this module in a JVM of its own. */
    public static Forked java(Class<?> main, List<String> options) throws IOException {
        return of(new ProcessBuilder(javaCommand(main, options)));
    }

    /** The command for {@link #java}: with native access and these options. */
    public static List<String> javaCommand(Class<?> main, List<String> options) {
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(
                List.of(
                        "--enable-native-access=ALL-UNNAMED",
                        "--illegal-native-access=deny",
                        "-XX:TieredStopAtLevel=1",
                        "-cp",
                        "target/classes:target/test-classes"));
        command.addAll(options);
        command.add(main.getName());
        return command;
    }

    /** This, or the failure of the test that expected status 0. */
    public Forked orFail() {
        if (status != 0) {
            throw new AssertionError(command + " ended with " + status + "\n" + out + err);
        }
        return this;
    }

    private static byte[] read(Process process) {
        try {
            return process.getErrorStream().readAllBytes();
        } catch (IOException e) {
            return e.toString().getBytes(UTF_8);
        }
    }
}
