package org.verbs4j.examples;

import org.verbs4j.DeviceContext;
import org.verbs4j.XrcDomain;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;

/**
 * The file by which {@code ibv_xsrq_pingpong} shares its XRC domain with the other processes of the
 * machine: whoever has that open has the same domain.
 */
final class XrcFile {
    private static final Path FILE = Path.of("/tmp/xrc_domain");
    private static final Path DESCRIPTORS = Path.of("/proc/self/fd");

    private XrcFile() {}

    /**
     * The domain; of this process alone, with the C tool's line about it, when there is no file.
     */
    static XrcDomain open(DeviceContext context, Tool tool) {
        try {
            create();
            try (FileChannel _ = FileChannel.open(FILE, StandardOpenOption.READ)) {
                return context.newXrcDomain(descriptor(), false);
            }
        } catch (IOException e) {
            tool.error("Couldn't create the file for the XRC Domain but not stopping: " + e);
            return context.newXrcDomain();
        }
    }

    private static void create() throws IOException {
        try {
            Files.createFile(
                    FILE,
                    PosixFilePermissions.asFileAttribute(
                            PosixFilePermissions.fromString("r--r-----")));
        } catch (FileAlreadyExistsException _) {
            // by an earlier run, or by another process right now
        }
    }

    /** Java does not tell the number of a file that it has open; the kernel does. */
    private static int descriptor() throws IOException {
        try (DirectoryStream<Path> open = Files.newDirectoryStream(DESCRIPTORS)) {
            for (Path descriptor : open) {
                if (isOurs(descriptor)) {
                    return Integer.parseInt(descriptor.getFileName().toString());
                }
            }
        } catch (DirectoryIteratorException e) {
            throw e.getCause();
        }
        throw new IOException("no descriptor of " + FILE + " in " + DESCRIPTORS);
    }

    private static boolean isOurs(Path descriptor) throws IOException {
        try {
            return Files.isSameFile(descriptor, FILE);
        } catch (NoSuchFileException _) {
            return false; // closed meanwhile by another thread
        }
    }
}
