package org.verbs4j.examples;

import org.verbs4j.VerbsException;
import org.verbs4j.WorkCompletionException;

import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

import java.io.PrintWriter;
import java.util.concurrent.Callable;

/**
 * What all tools have in common: one voice for errors. A failure is one sentence behind the tool's
 * name on standard error and exit status 1; {@code -Dverbs4j.debug} adds where it came from.
 */
abstract class Tool implements Callable<Integer> {
    @Spec private CommandSpec spec;

    @SuppressWarnings("NullAway.Init") // picocli fills the spec in before it runs anything
    Tool() {}

    /** Does the work, or throws what kept it from that. */
    abstract void run() throws InterruptedException;

    final CommandSpec spec() {
        return spec;
    }

    /** Prints one line of the tool's own output, at once: a reader on a pipe follows along. */
    final void print(String line) {
        PrintWriter out = spec.commandLine().getOut();
        out.print(line + "\n");
        out.flush();
    }

    @Override
    public final Integer call() {
        try {
            run();
            return 0;
        } catch (ParameterException e) { // options that do not go together: misuse
            throw e;
        } catch (ToolFailure
                | VerbsException
                | WorkCompletionException
                | IllegalArgumentException
                | LinkageError e) { // the last when libibverbs is missing: it says what to install
            return explain(e, String.valueOf(e.getMessage()));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return explain(e, "interrupted");
        } catch (RuntimeException e) {
            return explain(e, "a bug in this program, please report it with -Dverbs4j.debug: " + e);
        }
    }

    private int explain(Throwable e, String sentence) {
        PrintWriter err = spec.commandLine().getErr();
        say(err, spec.name(), sentence);
        if (System.getProperty("verbs4j.debug") != null) {
            e.printStackTrace(err);
        }
        err.flush();
        return Main.FAILED;
    }

    static void say(PrintWriter err, String tool, String sentence) {
        err.println(tool + ": " + sentence.strip().replaceAll("\\s*\\R\\s*", " "));
        err.flush();
    }
}
