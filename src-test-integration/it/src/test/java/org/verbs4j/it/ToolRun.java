package org.verbs4j.it;

import org.verbs4j.examples.Main;

import java.io.File;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.BooleanSupplier;
import java.util.function.Predicate;
import java.util.function.Supplier;

/**
 * A tool at work: a C process, a Java process, or our own tool on a thread of this JVM. Closing
 * ends it in every case, by its own id. Safe for use by any number of threads.
 */
final class ToolRun implements AutoCloseable {
    /** What a tool came to. */
    record Outcome(int status, String out, String err) {}

    private final String name;
    private final CompletableFuture<Outcome> outcome;
    private final Supplier<String> outSoFar;
    private final Runnable kill;
    private final Runnable cleanUp;

    private ToolRun(
            String name,
            CompletableFuture<Outcome> outcome,
            Supplier<String> outSoFar,
            Runnable kill,
            Runnable cleanUp) {
        this.name = name;
        this.outcome = outcome;
        this.outSoFar = outSoFar;
        this.kill = kill;
        this.cleanUp = cleanUp;
    }

    /** Starts a process; what it prints goes to files, so nothing needs to read along. */
    static ToolRun process(List<String> command) {
        try {
            Path out = Files.createTempFile("tool", ".out");
            Path err = Files.createTempFile("tool", ".err");
            Process process =
                    new ProcessBuilder(command)
                            .redirectInput(new File("/dev/null"))
                            .redirectOutput(out.toFile())
                            .redirectError(err.toFile())
                            .start();
            return new ToolRun(
                    String.join(" ", command),
                    process.onExit()
                            .thenApply(
                                    ended -> new Outcome(ended.exitValue(), text(out), text(err))),
                    () -> text(out),
                    process::destroyForcibly,
                    () -> {
                        out.toFile().delete();
                        err.toFile().delete();
                    });
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Runs our own tool in this JVM, as the jar's main class would. */
    static ToolRun inProcess(String... args) {
        StringWriter out = new StringWriter();
        StringWriter err = new StringWriter();
        CompletableFuture<Outcome> outcome = new CompletableFuture<>();
        Thread thread =
                Thread.ofPlatform()
                        .daemon()
                        .name(String.join(" ", args))
                        .start(
                                () -> {
                                    try {
                                        int status =
                                                Main.run(
                                                        new PrintWriter(out, true),
                                                        new PrintWriter(err, true),
                                                        args);
                                        outcome.complete(
                                                new Outcome(
                                                        status, out.toString(), err.toString()));
                                    } catch (Throwable e) {
                                        outcome.completeExceptionally(e);
                                    }
                                });
        return new ToolRun(
                "java " + String.join(" ", args),
                outcome,
                out::toString,
                thread::interrupt,
                () -> {});
    }

    /** Runs our own tool as the user does: a JVM of its own and the runnable jar. */
    static ToolRun jar(String... args) {
        return jarUnder(new String[0], args);
    }

    /** The same, started by another command such as {@code unshare -n}. */
    static ToolRun jarUnder(String[] starter, String... args) {
        List<String> command = new ArrayList<>(List.of(starter));
        command.addAll(jvm("-jar", jarFile().toString()));
        command.addAll(List.of(args));
        return process(command);
    }

    /** Starts a program on the class path of the tests in a JVM of its own. */
    static ToolRun program(Class<?> main, String... args) {
        List<String> command = new ArrayList<>(programCommand(main));
        command.addAll(List.of(args));
        return process(command);
    }

    /** The command that starts it, for one that needs another command before it. */
    static List<String> programCommand(Class<?> main, String... options) {
        List<String> command = new ArrayList<>(jvm(options));
        String classPath = System.getProperty("java.class.path");
        command.addAll(List.of("--enable-native-access=ALL-UNNAMED", "-cp", classPath));
        command.add(main.getName());
        return command;
    }

    /** A JVM that compiles as this one has been told to. */
    static List<String> jvm(String... options) {
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        ManagementFactory.getRuntimeMXBean().getInputArguments().stream()
                .filter(argument -> argument.startsWith("-XX:TieredStopAtLevel="))
                .forEach(command::add);
        command.addAll(List.of(options));
        return command;
    }

    static Path jarFile() {
        Path jar = repository().resolve("verbs-examples/target/verbs4j-examples.jar");
        if (!Files.exists(jar)) {
            throw new IllegalStateException("no " + jar + ": mvn -pl verbs-examples -am package");
        }
        return jar;
    }

    /** The root of the source tree, above the directory that the tests run in. */
    static Path repository() {
        for (Path at = Path.of("").toAbsolutePath(); at != null; at = at.getParent()) {
            if (Files.isDirectory(at.resolve("verbs-examples"))) {
                return at;
            }
        }
        throw new IllegalStateException("the tests do not run inside the source tree");
    }

    /** What the tool has printed until now; a process may hold some back. */
    String outSoFar() {
        return outSoFar.get();
    }

    boolean hasEnded() {
        return outcome.isDone();
    }

    /**
     * Waits, within a limit that is stretched for this place, until the tool has done something; it
     * must not end before.
     */
    void until(String what, Duration onHardware, BooleanSupplier done) throws InterruptedException {
        Duration limit = TestPlace.limit(onHardware);
        long deadline = System.nanoTime() + limit.toNanos();
        while (!done.getAsBoolean()) {
            if (hasEnded()) {
                throw new AssertionError(name + " has ended early: " + await(onHardware));
            }
            if (System.nanoTime() - deadline > 0) {
                throw new AssertionError(
                        name + " does not " + what + " within " + limit + ": " + outSoFar());
            }
            Thread.sleep(20);
        }
    }

    /** The same, until it has said a line. */
    void untilLine(String what, Predicate<String> line, Duration onHardware)
            throws InterruptedException {
        until("say " + what, onHardware, () -> outSoFar().lines().anyMatch(line));
    }

    /** SIGKILL, for a process. */
    void kill() {
        kill.run();
    }

    /** Waits for the end, within a limit that is stretched for this place. */
    Outcome await(Duration onHardware) throws InterruptedException {
        Duration limit = TestPlace.limit(onHardware);
        try {
            return outcome.get(limit.toMillis(), TimeUnit.MILLISECONDS);
        } catch (TimeoutException e) {
            throw new AssertionError(
                    name + " has not ended after " + limit + ", it said: " + outSoFar(), e);
        } catch (ExecutionException e) {
            throw new AssertionError(name + " threw", e.getCause());
        }
    }

    @Override
    public void close() {
        if (!hasEnded()) {
            kill();
            outcome.exceptionally(_ -> new Outcome(-1, "", ""))
                    .completeOnTimeout(
                            new Outcome(-1, "", ""),
                            TestPlace.limit(Duration.ofSeconds(10)).toMillis(),
                            TimeUnit.MILLISECONDS)
                    .join();
        }
        cleanUp.run();
    }

    @Override
    public String toString() {
        return name;
    }

    private static String text(Path file) {
        try {
            return Files.readString(file);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
