package org.verbs4j.examples.file;

import org.jspecify.annotations.Nullable;
import org.verbs4j.Access;
import org.verbs4j.CompletionChannel;
import org.verbs4j.CompletionQueue;
import org.verbs4j.DeviceContext;
import org.verbs4j.MemoryRegion;
import org.verbs4j.ProtectionDomain;
import org.verbs4j.RcQueuePair;
import org.verbs4j.ReceiveRequest;
import org.verbs4j.RemoteBuffer;
import org.verbs4j.Send;
import org.verbs4j.WorkCompletion;
import org.verbs4j.WorkCompletionException;
import org.verbs4j.Write;
import org.verbs4j.cm.Connection;
import org.verbs4j.examples.RdmaPeer;
import org.verbs4j.examples.Resources;
import org.verbs4j.examples.ToolFailure;

import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Objects;
import java.util.Queue;

/**
 * What both ends of a transfer have: a queue pair, notes in both directions, and chunks in one.
 * Belongs to one thread.
 */
final class FileLink implements AutoCloseable {
    /** What both sides greet by; another protocol has another one. */
    private static final int MAGIC = 0x56465431; // VFT1

    /** Chunks under way at a time. */
    static final int DEPTH = 16;

    /** Each chunk uses up one, and notes come between them. */
    private static final int RECEIVES = 4 * DEPTH;

    private static final long NOTE_ID = -1;
    private static final long CHUNK_ID = -2;

    private final Resources resources = new Resources();
    private final Duration silenceLimit;
    private final ProtectionDomain domain;
    private final CompletionQueue queue;
    private final RcQueuePair pair;
    private final MemoryRegion inbox;
    private final MemoryRegion outbox;
    private final ReceiveRequest receive;
    private final Write write;
    private final Queue<Note> notes = new ArrayDeque<>();
    private @Nullable RdmaPeer peer;
    private boolean noting;
    private boolean lost;
    private long written;
    private long arrived;

    FileLink(DeviceContext context, Duration silenceLimit) {
        this.silenceLimit = silenceLimit;
        try {
            domain = resources.keep(context.newProtectionDomain());
            CompletionChannel channel = resources.keep(context.newCompletionChannel());
            queue = resources.keep(context.newCompletionQueue(RECEIVES + DEPTH + 1, channel, 0));
            pair =
                    resources.keep(
                            domain.newRcQueuePair(queue, queue)
                                    .remoteAccess(Access.REMOTE_WRITE)
                                    .maxSendRequests(DEPTH + 1)
                                    .maxReceiveRequests(RECEIVES)
                                    .build());
            inbox =
                    resources.keep(
                            domain.allocate((long) RECEIVES * Note.MAX_LENGTH, Access.LOCAL_WRITE));
            outbox = resources.keep(domain.allocate(Note.MAX_LENGTH));
            receive = pair.newReceive();
            write = pair.newWrite().id(CHUNK_ID);
            for (int i = 0; i < RECEIVES; i++) {
                post(i);
            }
        } catch (RuntimeException e) {
            resources.closeAfter(e);
            throw e;
        }
    }

    static ByteBuffer greeting() {
        return ByteBuffer.allocate(Integer.BYTES).putInt(MAGIC).flip();
    }

    static boolean isGreeting(ByteBuffer privateData) {
        return privateData.remaining() >= Integer.BYTES
                && privateData.getInt(privateData.position()) == MAGIC;
    }

    ProtectionDomain domain() {
        return domain;
    }

    RcQueuePair pair() {
        return pair;
    }

    /** The connection has been made, and is closed with this. */
    void connected(Connection connection, String name) {
        resources.keep(connection);
        peer = new RdmaPeer(name, connection, queue, silenceLimit);
    }

    private RdmaPeer peer() {
        return Objects.requireNonNull(peer, "connected");
    }

    private void post(long slot) {
        pair.post(receive.id(slot).into(inbox, slot * Note.MAX_LENGTH, Note.MAX_LENGTH));
    }

    /** Sends a note, and waits until the peer has it. */
    void say(Note note) throws InterruptedException {
        ByteBuffer bytes = outbox.segment().asByteBuffer();
        note.encode(bytes);
        Send send = pair.newSend().id(NOTE_ID).from(outbox, 0, bytes.position());
        noting = true;
        pair.post(send);
        while (noting) {
            await();
        }
    }

    /** Says why this side gives up, unless that is the peer. */
    void sayFailed(Throwable cause) throws InterruptedException {
        if (lost) {
            return;
        }
        try {
            say(new Note(Note.Kind.FAILED, 0, String.valueOf(cause.getMessage())));
        } catch (RuntimeException e) {
            cause.addSuppressed(e);
        }
    }

    /** The next note, when there is one. */
    @Nullable Note nextNote() {
        return notes.poll();
    }

    Note awaitNote(Note.Kind kind) throws InterruptedException {
        Note note = nextNote();
        while (note == null) {
            await();
            note = nextNote();
        }
        return require(note, kind);
    }

    Note require(Note note, Note.Kind kind) {
        if (note.kind() != kind) {
            throw new ToolFailure(
                    peer() + " said " + note.kind() + " where " + kind + " was to come");
        }
        return note;
    }

    /** Writes a chunk into the peer's room; the immediate tells how long it is. */
    void write(MemoryRegion from, long offset, int length, RemoteBuffer room, long roomOffset) {
        pair.post(write.from(from, offset, length).to(room, roomOffset).immediate(length));
    }

    /** Waits until something has happened. */
    void await() throws InterruptedException {
        try {
            peer().await(this::take);
        } catch (ToolFailure | WorkCompletionException e) {
            lost = true;
            throw e;
        }
    }

    /** Chunks of this side that the peer has. */
    long written() {
        return written;
    }

    /** Bytes of chunks that have come, as the peer counts. */
    long arrived() {
        return arrived;
    }

    private void take(WorkCompletion completion) {
        long id = completion.wrId();
        if (id == NOTE_ID) {
            noting = false;
        } else if (id == CHUNK_ID) {
            written++;
        } else {
            if (completion.hasImmediate()) {
                arrived += Integer.toUnsignedLong(completion.immediate());
            } else {
                take(inbox.segment().asSlice(id * Note.MAX_LENGTH, completion.byteLength()));
            }
            post(id);
        }
    }

    private void take(MemorySegment bytes) {
        try {
            Note note = Note.decode(bytes.asByteBuffer());
            if (note.kind() == Note.Kind.FAILED) {
                throw new ToolFailure(peer() + " gave up: " + note.text());
            }
            notes.add(note);
        } catch (IllegalArgumentException e) {
            throw new ToolFailure(peer() + " sent something else: " + e.getMessage(), e);
        }
    }

    @Override
    public void close() {
        resources.close();
    }
}
