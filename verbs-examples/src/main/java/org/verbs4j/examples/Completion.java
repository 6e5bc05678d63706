package org.verbs4j.examples;

import picocli.AutoComplete;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** Completion of tools and options for shells. */
@Command(
        name = "completion",
        mixinStandardHelpOptions = true,
        versionProvider = Main.Version.class,
        description = {
            "Prints a script that completes tools and options in bash and zsh.",
            "For this shell: source <(./verbs completion)"
        })
final class Completion extends Tool {
    @Option(
            names = "--name",
            paramLabel = "<command>",
            description = "the command to complete (default ${DEFAULT-VALUE})")
    private String name = "verbs";

    @Override
    void run() {
        print(AutoComplete.bash(name, new CommandLine(new Main())).stripTrailing());
    }
}
