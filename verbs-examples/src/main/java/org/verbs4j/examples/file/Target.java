package org.verbs4j.examples.file;

import org.verbs4j.examples.ToolFailure;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.Locale;
import java.util.concurrent.ThreadLocalRandom;

/**
 * The file that is being received. Until all of it is there it has another name, and when that does
 * not happen it is deleted. Belongs to one thread.
 */
final class Target implements AutoCloseable {
    private final Path path;
    private final Path part;
    private final FileChannel channel;
    private final boolean replace;
    private boolean kept;

    private Target(Path path, Path part, FileChannel channel, boolean replace) {
        this.path = path;
        this.part = part;
        this.channel = channel;
        this.replace = replace;
    }

    /**
     * Opens it, when there is room for it.
     *
     * @param name what the sender says: a stranger, who shall not choose the directory
     */
    static Target open(Path directory, String name, long size, boolean replace) throws IOException {
        if (name.isEmpty()
                || name.equals(".")
                || name.equals("..")
                || name.indexOf('/') >= 0
                || name.indexOf('\0') >= 0) {
            throw new ToolFailure("'" + name + "' is no name of a file");
        }
        if (size < 0) {
            throw new ToolFailure("a file has no size of " + size);
        }
        Path path = directory.resolve(name);
        requireFree(path, replace);
        long room = Files.getFileStore(directory).getUsableSpace();
        if (size > room) { // a mapping that cannot be filled would fail late
            throw new ToolFailure(
                    String.format(
                            Locale.ROOT,
                            "no space for %d bytes in %s, which has %d",
                            size,
                            directory,
                            room));
        }
        String unique = Integer.toHexString(ThreadLocalRandom.current().nextInt());
        Path part = directory.resolve(name + "." + unique + ".part");
        FileChannel channel =
                FileChannel.open(
                        part,
                        StandardOpenOption.READ,
                        StandardOpenOption.WRITE,
                        StandardOpenOption.CREATE_NEW);
        return new Target(path, part, channel, replace);
    }

    private static void requireFree(Path path, boolean replace) {
        if (Files.isDirectory(path)) {
            throw new ToolFailure(path + " is a directory");
        }
        if (!replace && Files.exists(path, LinkOption.NOFOLLOW_LINKS)) {
            throw new ToolFailure(path + " exists already: receive it with --force, or elsewhere");
        }
    }

    FileChannel channel() {
        return channel;
    }

    /** All of it is there: it gets to the disk, and its name. */
    void keep() throws IOException {
        channel.force(true);
        try {
            if (replace) {
                Files.move(part, path, StandardCopyOption.ATOMIC_MOVE);
            } else {
                Files.move(part, path);
            }
        } catch (FileAlreadyExistsException e) {
            requireFree(path, replace);
            throw e;
        }
        kept = true;
    }

    @Override
    public void close() throws IOException {
        channel.close();
        if (!kept) {
            Files.deleteIfExists(part);
        }
    }

    @Override
    public String toString() {
        return path.toString();
    }
}
