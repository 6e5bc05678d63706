package org.verbs4j.examples;

import org.verbs4j.examples.file.FileSender;
import org.verbs4j.examples.file.Transfer;

import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

import java.nio.file.Path;

/** Sends a file to {@link FileReceive}, see {@link FileSender}. */
@Command(
        name = "file-send",
        mixinStandardHelpOptions = true,
        versionProvider = Main.Version.class,
        sortOptions = false,
        description = {
            "Sends a file to a file-receive, by RDMA WRITE from one mapped file into another.",
            "Ends well when the receiver has the file under its name, with the same checksum."
        })
final class FileSend extends Tool {
    @Mixin private final FileOptions options = new FileOptions();

    @Parameters(index = "0", paramLabel = "<host>", description = "address of the receiver")
    private String host = "";

    @Parameters(index = "1", paramLabel = "<file>", description = "what to send")
    private Path file = Path.of("");

    @Override
    void run() throws InterruptedException {
        ProgressLine progress = new ProgressLine(spec().commandLine().getOut());
        Transfer transfer =
                progress.during(
                        () ->
                                FileSender.send(
                                        file,
                                        RdmaPeer.address(host, options.port),
                                        options.partSize,
                                        options.silenceLimit(),
                                        progress));
        print("sent " + ProgressLine.text(transfer));
    }
}
