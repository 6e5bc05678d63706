package org.verbs4j.examples.file;

import org.jspecify.annotations.Nullable;
import org.verbs4j.cm.Connection;
import org.verbs4j.cm.ConnectionParameters;
import org.verbs4j.cm.Connector;
import org.verbs4j.examples.RdmaPeer;
import org.verbs4j.examples.TimeLimits;
import org.verbs4j.examples.ToolFailure;
import org.verbs4j.examples.file.Transfer.Progress;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Objects;

/** Sends one file to a {@link FileReceiver}. Belongs to one thread. */
public final class FileSender {
    private static final Duration RESOLVE_LIMIT = Duration.ofSeconds(2);
    private static final int CHUNK = 1 << 20;

    private final FileLink link;
    private final FileParts parts;
    private final long size;
    private final Progress progress;
    private final Sum sum = new Sum();

    /** Parts with chunks under way, and which chunk is the last of each. */
    private final Deque<Sent> open = new ArrayDeque<>();

    private long position;
    private long chunks;
    private @Nullable Note room;

    private record Sent(FilePart part, long lastChunk) {}

    private FileSender(FileLink link, FileParts parts, long size, Progress progress) {
        this.link = link;
        this.parts = parts;
        this.size = size;
        this.progress = progress;
    }

    /**
     * Sends a file.
     *
     * @param partSize bytes that are registered at a time, at first
     * @param silenceLimit how long the receiver may take for anything
     */
    public static Transfer send(
            Path path,
            InetSocketAddress receiver,
            long partSize,
            Duration silenceLimit,
            Progress progress)
            throws InterruptedException {
        if (!Files.isRegularFile(path)) {
            throw new ToolFailure(path + (Files.exists(path) ? " is no file" : ": no such file"));
        }
        try (FileChannel file = FileChannel.open(path, StandardOpenOption.READ);
                Connector connector =
                        Connector.resolve(receiver, TimeLimits.scaled(RESOLVE_LIMIT));
                FileLink link = new FileLink(connector.context(), silenceLimit)) {
            long start = System.nanoTime();
            connect(connector, link, receiver, silenceLimit);
            FileParts parts = FileParts.toRead(file, link.domain(), partSize);
            FileSender sender = new FileSender(link, parts, file.size(), progress);
            String name = path.toRealPath().getFileName().toString();
            sender.send(name);
            return new Transfer(
                    name,
                    sender.size,
                    System.nanoTime() - start,
                    sender.sum.value(),
                    parts.areMapped());
        } catch (NoSuchFileException e) {
            throw new ToolFailure(path + ": no such file", e);
        } catch (IOException e) {
            throw new ToolFailure("cannot read " + path + ": " + Reasons.of(e), e);
        }
    }

    private static void connect(
            Connector connector, FileLink link, InetSocketAddress receiver, Duration silenceLimit)
            throws InterruptedException {
        Connection connection =
                connector.connect(
                        link.pair(),
                        ConnectionParameters.defaults().withPrivateData(FileLink.greeting()),
                        silenceLimit);
        String name = "the receiver " + RdmaPeer.text(receiver);
        link.connected(connection, name);
        if (!FileLink.isGreeting(connection.privateData())) {
            throw new ToolFailure(name + " is not a file-receive of this version");
        }
    }

    private void send(String name) throws InterruptedException, IOException {
        try {
            link.say(new Note(Note.Kind.FILE, size, name));
            while (position < size) {
                sendChunk();
            }
            while (link.written() < chunks) {
                link.await();
                closeSent();
            }
            link.say(new Note(Note.Kind.END, sum.value(), ""));
            link.awaitNote(Note.Kind.DONE);
        } catch (InternalError e) { // a page of the mapping is gone
            ToolFailure failure = FileParts.cutShort();
            link.sayFailed(failure);
            throw failure;
        } catch (IOException | RuntimeException e) {
            link.sayFailed(e);
            throw e;
        } finally {
            closeAll();
        }
    }

    /** The bytes are summed up while the device sends those before them. */
    private void sendChunk() throws InterruptedException, IOException {
        Note into = roomAtPosition();
        FilePart part = partAtPosition();
        long end = Math.min(part.end(), into.number() + into.room().length());
        int length = (int) Math.min(CHUNK, end - position);
        long offset = position - part.offset();
        while (chunks - link.written() >= FileLink.DEPTH) {
            link.await();
            closeSent();
        }
        link.write(part.region(), offset, length, into.room(), position - into.number());
        chunks++;
        open.removeLast();
        open.addLast(new Sent(part, chunks));
        sum.add(part.segment().asSlice(offset, length));
        position += length;
        progress.at(position, size);
    }

    private Note roomAtPosition() throws InterruptedException {
        Note here = room;
        if (here == null || position == here.number() + here.room().length()) {
            here = link.awaitNote(Note.Kind.ROOM);
            if (here.number() != position || here.room().length() == 0) {
                throw new ToolFailure(
                        "the receiver has room at %d where %d comes"
                                .formatted(here.number(), position));
            }
            room = here;
        }
        return here;
    }

    private FilePart partAtPosition() throws InterruptedException, IOException {
        Sent last = open.peekLast();
        if (last != null && position < last.part().end()) {
            return last.part();
        }
        FilePart part = parts.open(position, size, open.isEmpty());
        if (part == null) { // those before it have to go first
            while (link.written() < chunks) {
                link.await();
            }
            closeAll();
            part = Objects.requireNonNull(parts.open(position, size, true), "alone");
        }
        open.addLast(new Sent(part, Long.MAX_VALUE));
        return part;
    }

    private void closeAll() {
        open.forEach(sent -> sent.part().close());
        open.clear();
    }

    /** Frees parts whose chunks have all arrived, but not the one that the next is of. */
    private void closeSent() {
        while (open.size() > 1 && open.getFirst().lastChunk() <= link.written()) {
            open.removeFirst().part().close();
        }
    }
}
