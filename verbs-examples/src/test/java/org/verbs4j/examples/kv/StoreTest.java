package org.verbs4j.examples.kv;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.verbs4j.RemoteBuffer;
import org.verbs4j.examples.ToolFailure;
import org.verbs4j.examples.kv.Answer.Status;
import org.verbs4j.examples.kv.Bucket.Kind;
import org.verbs4j.examples.kv.Message.Operation;

import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import java.util.Random;

class StoreTest {
    private static final TableShape SHAPE = new TableShape(64, 8, 16);
    private static final byte[] NOTHING = {};

    private final Store store = new Store(SHAPE, 16);

    @AfterEach
    void close() {
        store.close();
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.US_ASCII);
    }

    private Status apply(Operation operation, String key, byte[] value) {
        ByteBuffer bytes = ByteBuffer.allocate(1000);
        new Message(7, operation, bytes(key), value).encode(bytes);
        Answer answer = store.apply(bytes.flip());
        assertThat(answer.sequence()).isEqualTo(7);
        return answer.status();
    }

    /** As a client would: by looks at one bucket after the other. */
    private byte @Nullable [] find(Table table, String key) {
        TableShape shape = table.shape();
        Bucket bucket = new Bucket(shape);
        int home = shape.home(bytes(key));
        for (int i = 0; i < TableShape.PROBES; i++) {
            long offset = shape.offset(shape.after(home, i));
            Kind kind = bucket.load(table.memory(), offset).kind();
            assertThat(kind).isNotEqualTo(Kind.TORN);
            if (kind == Kind.EMPTY) {
                return null;
            }
            if (kind != Kind.DELETED && bucket.hasKey(bytes(key))) {
                return bucket.value();
            }
        }
        return null;
    }

    @Test
    void whatTheServerStoresIsWhereAClientLooks() {
        Map<String, byte[]> expected = new HashMap<>();
        Random random = new Random(3);
        int full = 0;
        for (int i = 0; i < 20_000; i++) {
            String key = "k" + random.nextInt(70);
            if (random.nextInt(3) == 0) {
                Status status = apply(Operation.DELETE, key, NOTHING);
                assertThat(status)
                        .isEqualTo(expected.remove(key) == null ? Status.ABSENT : Status.DONE);
            } else {
                byte[] value = bytes("v" + random.nextInt());
                Status status = apply(Operation.PUT, key, value);
                if (status == Status.DONE) {
                    expected.put(key, value);
                } else {
                    assertThat(status).isEqualTo(Status.FULL);
                    assertThat(expected).doesNotContainKey(key);
                    full++;
                }
            }
            assertThat(find(store.values(), key)).isEqualTo(expected.get(key));
        }
        assertThat(full).as("the table was crowded at times").isPositive();
        for (int i = 0; i < 70; i++) {
            assertThat(find(store.values(), "k" + i)).isEqualTo(expected.get("k" + i));
        }
        assertThat(store.values().used()).isEqualTo(expected.size());
    }

    @Test
    void anEmptiedTableIsAsItWasAtFirst() {
        for (int i = 0; i < 40; i++) {
            apply(Operation.PUT, "k" + i, bytes("v"));
        }
        for (int i = 39; i >= 0; i--) {
            apply(Operation.DELETE, "k" + i, NOTHING);
        }
        Bucket bucket = new Bucket(SHAPE);
        long deleted = 0;
        for (int i = 0; i < SHAPE.buckets(); i++) {
            Kind kind = bucket.load(store.values().memory(), SHAPE.offset(i)).kind();
            deleted += kind == Kind.EMPTY ? 0 : 1;
        }
        assertThat(deleted).as("buckets that still lead on").isZero();
    }

    @Test
    void aCounterIsMadeOnce() {
        assertThat(apply(Operation.COUNT, "visits", NOTHING)).isEqualTo(Status.DONE);
        Table counters = store.counters();
        int at = counters.shape().home(bytes("visits"));
        long offset = counters.shape().valueOffset(at);
        counters.memory().set(ValueLayout.JAVA_LONG, offset, 41);
        assertThat(apply(Operation.COUNT, "visits", NOTHING)).isEqualTo(Status.DONE);
        assertThat(counters.memory().get(ValueLayout.JAVA_LONG, offset)).isEqualTo(41);
        assertThat(counters.used()).isEqualTo(1);
    }

    @Test
    void aMessageThatIsNoneIsRefusedAndChangesNothing() {
        apply(Operation.PUT, "key", bytes("value"));
        byte[] before = store.values().memory().toArray(ValueLayout.JAVA_BYTE);
        Random random = new Random(5);
        for (int round = 0; round < 20_000; round++) {
            byte[] garbage = new byte[random.nextInt(40)];
            random.nextBytes(garbage);
            if (garbage.length > 4) {
                garbage[4] = (byte) random.nextInt(256);
            }
            if (garbage.length == 8 + (at(garbage, 5) + at(garbage, 6) * 256 + at(garbage, 7))) {
                continue; // this one may be a message
            }
            assertThat(store.apply(ByteBuffer.wrap(garbage)).status()).isEqualTo(Status.REFUSED);
        }
        assertThat(store.values().memory().toArray(ValueLayout.JAVA_BYTE)).isEqualTo(before);
    }

    private static int at(byte[] bytes, int index) {
        return index < bytes.length ? bytes[index] & 0xff : 0;
    }

    @Test
    void whatDoesNotFitIsRefused() {
        assertThat(apply(Operation.PUT, "", bytes("v"))).isEqualTo(Status.REFUSED);
        assertThat(apply(Operation.PUT, "ninebytes", bytes("v"))).isEqualTo(Status.REFUSED);
        assertThat(apply(Operation.PUT, "key", new byte[17])).isEqualTo(Status.REFUSED);
        assertThat(apply(Operation.PUT, "eight888", new byte[16])).isEqualTo(Status.DONE);
        assertThat(apply(Operation.COUNT, "ninebytes", NOTHING)).isEqualTo(Status.REFUSED);
    }

    @Test
    void anOfferTravelsAndNothingElseIsTakenForOne() {
        Offer offer =
                new Offer(
                        new Offer.Place(SHAPE, new RemoteBuffer(4096, SHAPE.byteSize(), 5)),
                        new Offer.Place(
                                new TableShape(16, 8, 8), new RemoteBuffer(8192, 16 * 24, 6)));
        byte[] bytes = new byte[Offer.ENCODED_LENGTH];
        offer.encode().get(bytes);
        assertThat(Offer.decode(ByteBuffer.wrap(Arrays.copyOf(bytes, 196)), "it")).isEqualTo(offer);
        for (int length = 0; length < Offer.ENCODED_LENGTH; length++) {
            ByteBuffer half = ByteBuffer.wrap(Arrays.copyOf(bytes, length));
            assertThatThrownBy(() -> Offer.decode(half, "it"))
                    .isInstanceOf(ToolFailure.class)
                    .hasMessage("it is not a kv-server of this version");
        }
        byte[] shorter = bytes.clone();
        shorter[7] = 32; // half of the buckets, but all of the memory
        assertThatThrownBy(() -> Offer.decode(ByteBuffer.wrap(shorter), "it"))
                .isInstanceOf(ToolFailure.class)
                .hasMessageContaining("for a table of");
    }
}
