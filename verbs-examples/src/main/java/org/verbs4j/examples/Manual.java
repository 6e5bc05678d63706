package org.verbs4j.examples;

import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Help;
import picocli.CommandLine.Help.Ansi;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Parameters;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;

/** Writes the reference of all tools, a page each, out of what they say about themselves. */
@Command(
        name = "manual",
        hidden = true, // of use to who changes a tool
        mixinStandardHelpOptions = true,
        versionProvider = Main.Version.class,
        description = "Writes the reference of all tools, in Markdown.")
final class Manual extends Tool {
    private static final String INDEX = "README.md";

    @Parameters(paramLabel = "<directory>", description = "where to")
    private Path directory = Path.of("docs/tools");

    @Override
    void run() {
        try {
            Files.createDirectories(directory);
            for (Map.Entry<String, String> page : pages().entrySet()) {
                Files.writeString(directory.resolve(page.getKey()), page.getValue());
            }
        } catch (IOException e) {
            throw new ToolFailure("cannot write the manual: " + e, e);
        }
    }

    /** File names and what stands in them. */
    static Map<String, String> pages() {
        CommandLine main = new CommandLine(new Main());
        Map<String, String> pages = new TreeMap<>();
        StringBuilder index =
                new StringBuilder(
                        """
                        # Tools

                        `./verbs TOOL` runs one on the RDMA device at hand, else on soft-RoCE; the runnable jar of
                        `verbs-examples` has them all. This reference is generated from the code: `./verbs manual docs/tools`.

                        The C tools wait for ever for a silent peer, these do not: `--accept-timeout` is how long a server waits
                        for its client, `--timeout` how long a peer may keep silent. The pages of the tools that have them tell the
                        defaults. The environment variable `VERBS4J_TIME_SCALE` multiplies every limit.

                        | tool | what it does |
                        |---|---|
                        """);
        main.getSubcommands()
                .forEach(
                        (name, tool) -> {
                            CommandSpec spec = tool.getCommandSpec();
                            if (!spec.usageMessage().hidden()) {
                                pages.put(name + ".md", page(name, tool));
                                index.append(
                                        "| [`%s`](%s.md) | %s |\n"
                                                .formatted(name, name, summary(spec)));
                            }
                        });
        pages.put(INDEX, index.toString());
        return pages;
    }

    private static String summary(CommandSpec spec) {
        return spec.usageMessage().description()[0];
    }

    private static String page(String name, CommandLine tool) {
        CommandSpec spec = tool.getCommandSpec();
        Help help = new Help(spec, Help.defaultColorScheme(Ansi.OFF));
        StringBuilder page = new StringBuilder("# " + name + "\n");
        section(page, "NAME", name + " - " + summary(spec));
        section(page, "SYNOPSIS", block(help.synopsis(0)));
        section(page, "DESCRIPTION", String.join("\n\n", spec.usageMessage().description()));
        section(page, "OPTIONS", block(help.parameterList() + help.optionList()));
        new TreeMap<>(spec.subcommands())
                .forEach((command, line) -> section(page, "COMMAND " + command, of(line)));
        section(
                page,
                "EXIT STATUS",
                "0 done, 1 failed with one sentence on standard error, 2 called in a wrong way.");
        return page.toString();
    }

    /** All about a command of a tool. */
    private static String of(CommandLine command) {
        CommandSpec spec = command.getCommandSpec();
        Help help = new Help(spec, Help.defaultColorScheme(Ansi.OFF));
        return String.join("\n\n", spec.usageMessage().description())
                + "\n\n"
                + block(help.synopsis(0) + help.parameterList() + help.optionList());
    }

    private static void section(StringBuilder page, String title, String text) {
        page.append("\n## ").append(title).append("\n\n").append(text).append('\n');
    }

    private static String block(String text) {
        return text.lines()
                .map(String::stripTrailing)
                .collect(Collectors.joining("\n", "```\n", "\n```"));
    }
}
