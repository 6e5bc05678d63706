package org.verbs4j.examples;

import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.IVersionProvider;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;
import picocli.CommandLine.UnmatchedArgumentException;

import java.io.PrintStream;
import java.io.PrintWriter;
import java.util.List;
import java.util.Map;

/** The runnable jar: its first argument names the tool, the rest belongs to that tool. */
@Command(
        name = "verbs4j-examples",
        subcommands = {
            RcPingPong.class,
            UcPingPong.class,
            UdPingPong.class,
            SrqPingPong.class,
            XsrqPingPong.class,
            RPing.class,
            RdmaServer.class,
            RdmaClient.class,
            UdAddy.class,
            McKey.class,
            SendLat.class,
            WriteLat.class,
            ReadLat.class,
            AtomicLat.class,
            SendBw.class,
            WriteBw.class,
            ReadBw.class,
            AtomicBw.class,
            KvServer.class,
            KvClient.class,
            FileSend.class,
            FileReceive.class,
            DeviceList.class,
            DevInfo.class,
            AsyncWatch.class,
            Doctor.class,
            Completion.class,
            Manual.class
        },
        mixinStandardHelpOptions = true,
        versionProvider = Main.Version.class,
        synopsisSubcommandLabel = "TOOL",
        commandListHeading = "%nTools:%n",
        description = "The example programs of rdma-core and the tests of perftest, in Java.",
        footer = {
            "",
            "`TOOL --help` says more. Exit status: 0 done, 1 failed, 2 called in a wrong way."
        })
public final class Main implements Runnable {
    /** Exit status of a tool that failed: one sentence on standard error says why. */
    public static final int FAILED = 1;

    /** Exit status of a tool that was called in a wrong way. */
    public static final int MISUSED = 2;

    @Spec private CommandSpec spec;

    @SuppressWarnings("NullAway.Init") // picocli fills the spec in before it runs anything
    Main() {}

    /**
     * Runs a tool and ends the JVM with its exit status.
     *
     * @param args the tool's name and its arguments
     */
    public static void main(String[] args) {
        System.exit(run(writer(System.out), writer(System.err), args));
    }

    private static PrintWriter writer(PrintStream stream) {
        return new PrintWriter(stream, true, stream.charset());
    }

    /**
     * Runs a tool inside this JVM, as the command line would.
     *
     * @param out what the tool says on standard output
     * @param err what it says on standard error
     * @param args the tool's name and its arguments
     * @return the exit status: 0, {@link #FAILED} or {@link #MISUSED}
     */
    public static int run(PrintWriter out, PrintWriter err, String... args) {
        if (List.of(args).contains("")) { // picocli's search for abbreviated options trips over it
            String name = args[0].isEmpty() ? "verbs" : args[0];
            Tool.say(err, name, "an argument is empty");
            err.println("Try `" + name + " --help`.");
            return MISUSED;
        }
        return new CommandLine(new Main())
                .setOut(out)
                .setErr(err)
                .setAbbreviatedOptionsAllowed(true) // as getopt_long does
                .setOverwrittenOptionsAllowed(true) // the last one counts, as in C
                .setParameterExceptionHandler(Main::explainMisuse)
                .execute(args);
    }

    @Override
    public void run() {
        throw new ParameterException(
                spec.commandLine(), "which tool? One of: " + String.join(", ", tools()));
    }

    private List<String> tools() {
        return spec.subcommands().entrySet().stream()
                .filter(tool -> !tool.getValue().getCommandSpec().usageMessage().hidden())
                .map(Map.Entry::getKey)
                .toList();
    }

    private static int explainMisuse(ParameterException e, String[] args) {
        CommandLine tool = e.getCommandLine();
        String name = name(tool.getCommandSpec());
        Tool.say(tool.getErr(), name, e.getMessage() == null ? "wrong arguments" : e.getMessage());
        if (!UnmatchedArgumentException.printSuggestions(e, tool.getErr())) {
            tool.getErr().println("Try `" + name + " --help`.");
        }
        return MISUSED;
    }

    /** A command of a tool is named with it. */
    private static String name(CommandSpec spec) {
        CommandSpec parent = spec.parent();
        boolean nested = parent != null && parent.parent() != null;
        return nested ? parent.name() + " " + spec.name() : spec.name();
    }

    /** The version of the jar, which its manifest knows. */
    static final class Version implements IVersionProvider {
        @Override
        public String[] getVersion() {
            String version = Main.class.getPackage().getImplementationVersion();
            return new String[] {
                "verbs4j-examples " + (version == null ? "(not from a jar)" : version)
            };
        }
    }
}
