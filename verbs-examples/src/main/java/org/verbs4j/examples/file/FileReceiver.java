package org.verbs4j.examples.file;

import org.verbs4j.cm.Connection;
import org.verbs4j.cm.ConnectionParameters;
import org.verbs4j.cm.ConnectionRequest;
import org.verbs4j.cm.Listener;
import org.verbs4j.examples.RdmaPeer;
import org.verbs4j.examples.ToolFailure;
import org.verbs4j.examples.file.Transfer.Progress;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;

/**
 * Takes files from {@link FileSender}s, one after the other, into a directory. Belongs to one
 * thread.
 */
public final class FileReceiver implements AutoCloseable {
    /** One is being filled while the next is being prepared. */
    private static final int PARTS = 2;

    private final Listener listener;
    private final Path directory;
    private final boolean replace;
    private final long partSize;
    private final Duration silenceLimit;

    /**
     * A receiver that listens already.
     *
     * @param directory where files go
     * @param replace whether a file of the same name may be replaced
     * @param partSize bytes that are registered at a time, twice, at first
     * @param silenceLimit how long a sender may take for anything
     */
    public FileReceiver(
            InetSocketAddress address,
            Path directory,
            boolean replace,
            long partSize,
            Duration silenceLimit) {
        this.listener = Listener.at(address).bind();
        this.directory = directory;
        this.replace = replace;
        this.partSize = partSize;
        this.silenceLimit = silenceLimit;
    }

    /** Where it listens. */
    public InetSocketAddress address() {
        return listener.localAddress();
    }

    /**
     * Waits for a sender and takes its file.
     *
     * @throws ToolFailure when there is none under its name, with the reason
     */
    public Transfer receive(Progress progress) throws InterruptedException {
        try (ConnectionRequest request = listener.accept()) {
            if (!FileLink.isGreeting(request.privateData())) {
                request.reject(
                        ByteBuffer.wrap(
                                "this is a file-receive of another version"
                                        .getBytes(StandardCharsets.US_ASCII)));
                throw new ToolFailure(request + " is not of a file-send of this version");
            }
            try (FileLink link = new FileLink(request.context(), silenceLimit)) {
                Connection connection =
                        request.accept(
                                link.pair(),
                                ConnectionParameters.defaults()
                                        .withPrivateData(FileLink.greeting()),
                                silenceLimit);
                InetSocketAddress sender = connection.remoteAddress();
                link.connected(
                        connection,
                        "the sender" + (sender == null ? "" : " " + RdmaPeer.text(sender)));
                return receive(link, progress);
            }
        }
    }

    private Transfer receive(FileLink link, Progress progress) throws InterruptedException {
        long start = System.nanoTime();
        Note file = link.awaitNote(Note.Kind.FILE);
        try (Target target = Target.open(directory, file.text(), file.number(), replace)) {
            FileParts parts = FileParts.toWrite(target.channel(), link.domain(), partSize);
            Sum sum = new Sum();
            fill(link, parts, target.channel(), file.number(), sum, progress);
            Note end = link.awaitNote(Note.Kind.END);
            if (end.number() != sum.value()) {
                throw new ToolFailure(
                        "the checksum is %08x here and %08x at the sender: has the file changed?"
                                .formatted(sum.value(), end.number()));
            }
            target.keep();
            link.say(new Note(Note.Kind.DONE, sum.value(), ""));
            return new Transfer(
                    target.toString(),
                    file.number(),
                    System.nanoTime() - start,
                    sum.value(),
                    parts.areMapped());
        } catch (IOException e) {
            throw failed(link, new ToolFailure("cannot write: " + Reasons.of(e), e));
        } catch (InternalError e) { // a page of the mapping is gone
            throw failed(link, FileParts.cutShort());
        } catch (RuntimeException e) {
            throw failed(link, e);
        }
    }

    private static RuntimeException failed(FileLink link, RuntimeException cause)
            throws InterruptedException {
        link.sayFailed(cause);
        return cause;
    }

    private void fill(
            FileLink link,
            FileParts parts,
            FileChannel channel,
            long size,
            Sum sum,
            Progress progress)
            throws InterruptedException, IOException {
        Deque<FilePart> open = new ArrayDeque<>();
        try {
            long offered = 0;
            int most = PARTS;
            for (long taken = 0; taken < size; ) {
                while (open.size() < most && offered < size) {
                    FilePart part = parts.open(offered, size, open.isEmpty());
                    if (part == null) {
                        most = 1; // locked memory is short: one after the other
                        break;
                    }
                    open.addLast(part);
                    link.say(new Note(Note.Kind.ROOM, offered, part.region().remote(), ""));
                    offered = part.end();
                }
                if (link.arrived() == taken) {
                    link.await();
                }
                if (link.arrived() > offered) {
                    throw new ToolFailure("the sender claims to have sent more than there is room");
                }
                taken = take(open, channel, taken, link.arrived(), sum);
                progress.at(taken, size);
            }
        } finally {
            open.forEach(FilePart::close);
        }
    }

    /** Sums up what has arrived, and ends the first part when it is full. */
    private static long take(
            Deque<FilePart> open, FileChannel channel, long taken, long arrived, Sum sum)
            throws IOException {
        FilePart part = open.getFirst();
        long until = Math.min(part.end(), arrived);
        sum.add(part.segment().asSlice(taken - part.offset(), until - taken));
        if (until == part.end()) {
            part.store(channel);
            open.removeFirst().close();
        }
        return until;
    }

    @Override
    public void close() {
        listener.close();
    }
}
