package org.verbs4j.examples;

import org.verbs4j.VerbsException;
import org.verbs4j.WorkCompletionException;
import org.verbs4j.examples.file.FileReceiver;

import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

import java.nio.file.Files;
import java.nio.file.Path;

/** Receives files of {@link FileSend}, see {@link FileReceiver}. */
@Command(
        name = "file-receive",
        mixinStandardHelpOptions = true,
        versionProvider = Main.Version.class,
        sortOptions = false,
        description = {
            "Receives a file of a file-send, which writes into it by RDMA WRITE.",
            "A file has its name once all of it is there and its checksum is right; until then it"
                    + " is called something.part, and it is deleted when the sender is lost."
        })
final class FileReceive extends Tool {
    @Mixin private final FileOptions options = new FileOptions();

    @Option(
            names = {"-a", "--address"},
            paramLabel = "<address>",
            description = "where to listen (default any address, IPv4 and IPv6)")
    private String address = "0.0.0.0";

    @Option(
            names = {"-f", "--force"},
            description = "replace a file of the same name")
    private boolean force;

    @Option(
            names = {"-k", "--keep"},
            description = "go on and receive the next file, until Ctrl-C")
    private boolean keep;

    @Parameters(
            arity = "0..1",
            paramLabel = "<directory>",
            description = "where files go (default the current one)")
    private Path directory = Path.of(".");

    @Override
    void run() throws InterruptedException {
        if (!Files.isDirectory(directory)) {
            throw new ToolFailure("no such directory: " + directory);
        }
        try (FileReceiver receiver =
                new FileReceiver(
                        RdmaPeer.address(address, options.port),
                        directory,
                        force,
                        options.partSize,
                        options.silenceLimit())) {
            print("waiting on " + RdmaPeer.text(receiver.address()));
            do {
                if (keep) {
                    receiveOrSayWhyNot(receiver);
                } else {
                    receive(receiver);
                }
            } while (keep);
        }
    }

    private void receive(FileReceiver receiver) throws InterruptedException {
        ProgressLine progress = new ProgressLine(spec().commandLine().getOut());
        print("received " + ProgressLine.text(progress.during(() -> receiver.receive(progress))));
    }

    private void receiveOrSayWhyNot(FileReceiver receiver) throws InterruptedException {
        try {
            receive(receiver);
        } catch (ToolFailure | VerbsException | WorkCompletionException e) {
            say(spec().commandLine().getErr(), spec().name(), String.valueOf(e.getMessage()));
        }
    }
}
