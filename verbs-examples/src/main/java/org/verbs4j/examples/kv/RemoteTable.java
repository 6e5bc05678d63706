package org.verbs4j.examples.kv;

import org.verbs4j.Access;
import org.verbs4j.MemoryRegion;
import org.verbs4j.ProtectionDomain;
import org.verbs4j.RcQueuePair;
import org.verbs4j.Read;
import org.verbs4j.RemoteBuffer;
import org.verbs4j.examples.ToolFailure;
import org.verbs4j.examples.kv.Bucket.Kind;

import java.time.Duration;

/**
 * A table as its readers see it: every look is a READ of one bucket, of which the server notices
 * nothing. Belongs to one thread.
 */
final class RemoteTable implements AutoCloseable {
    static final int ABSENT = -1;

    /** A writer needs microseconds. */
    private static final Duration REST_LIMIT = Duration.ofSeconds(2);

    private final TableShape shape;
    private final RemoteBuffer remote;
    private final MemoryRegion landing;
    private final Read read;
    private final Bucket bucket;
    private final Carrier carrier;
    private long repeats;

    /** Posts a request and waits for its completion. */
    interface Carrier {
        void carry(Read request) throws InterruptedException;
    }

    /**
     * @param id of its reads
     */
    RemoteTable(
            Offer.Place place,
            ProtectionDomain domain,
            RcQueuePair pair,
            long id,
            Carrier carrier) {
        this.shape = place.shape();
        this.remote = place.memory();
        this.carrier = carrier;
        this.bucket = new Bucket(shape);
        this.landing = domain.allocate(shape.bucketSize(), Access.LOCAL_WRITE);
        this.read = pair.newRead().id(id).into(landing, 0, shape.bucketSize());
    }

    TableShape shape() {
        return shape;
    }

    /** How often a bucket was read again because somebody was writing it. */
    long repeats() {
        return repeats;
    }

    /**
     * Looks for a key.
     *
     * @return its bucket, {@link #ABSENT} when there is none
     */
    int find(byte[] key) throws InterruptedException {
        int home = shape.home(key);
        for (int i = 0; i < TableShape.PROBES; i++) {
            int at = shape.after(home, i);
            Kind kind = look(at);
            if (kind == Kind.EMPTY) {
                return ABSENT;
            }
            if (kind != Kind.DELETED && bucket.hasKey(key)) {
                return at;
            }
        }
        return ABSENT;
    }

    /** The value in the bucket that was found last. */
    byte[] value() {
        return bucket.value();
    }

    /** Where the value of a bucket begins in {@link #remote()}. */
    long valueOffset(int at) {
        return shape.valueOffset(at);
    }

    RemoteBuffer remote() {
        return remote;
    }

    private Kind look(int at) throws InterruptedException {
        read.from(remote, shape.offset(at));
        Kind kind = look();
        long giveUp = System.nanoTime() + REST_LIMIT.toNanos();
        while (kind == Kind.TORN) {
            if (System.nanoTime() - giveUp > 0) {
                throw new ToolFailure("bucket " + at + " of the server's table is damaged");
            }
            repeats++;
            kind = look();
        }
        return kind;
    }

    private Kind look() throws InterruptedException {
        carrier.carry(read);
        return bucket.load(landing.segment(), 0).kind();
    }

    @Override
    public void close() {
        landing.close();
    }
}
