package org.verbs4j.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.verbs4j.Access;
import org.verbs4j.FetchAndAdd;
import org.verbs4j.MemoryRegion;
import org.verbs4j.PostException;
import org.verbs4j.ProtectionDomain;
import org.verbs4j.Read;
import org.verbs4j.SendRequest;
import org.verbs4j.Write;
import org.verbs4j.bindings.Posix;
import org.verbs4j.bindings.Verbs;

import java.util.function.Function;

/** Requests that fail on this side, because of what they say or where they point to. */
class LocalFailureIT {
    private static final int WRONG_INDEX = 0x5555_0000;
    private static final int WRONG_KEY = 0x01;

    /** Each case breaks its queue pair, so that it has one of its own. */
    private static void requireSender(String fact, Function<RdmaPair, SendRequest> request) {
        try (RdmaPair pair = RdmaPair.onOneDevice()) {
            Done done = pair.left.run(request.apply(pair).id(7));
            Conformance.fact(fact).requireStatus("sender", done.status());
            assertThat(done.id()).isEqualTo(7);
            assertThat(done.pair()).isEqualTo(pair.left.pair.number());
        }
    }

    private static Write write(RdmaPair pair) {
        return pair.left
                .pair
                .newWrite()
                .from(pair.left.memory, 0, 64)
                .to(pair.right.memory.remote(), 0);
    }

    private static Read read(RdmaPair pair) {
        return pair.left
                .pair
                .newRead()
                .from(pair.right.memory.remote(), 0)
                .into(pair.left.memory, 0, 64);
    }

    @Test
    @Holds("64")
    void aSendWithAKeyThatDoesNotExistFails() {
        requireSender(
                "64", pair -> RawRequest.lkey(write(pair), pair.left.memory.lkey() ^ WRONG_INDEX));
        requireSender(
                "64", pair -> RawRequest.lkey(write(pair), pair.left.memory.lkey() ^ WRONG_KEY));
    }

    @Test
    @Holds("64")
    void aSendWithAKeyOfAnotherProtectionDomainFails() {
        requireSender(
                "64",
                pair -> {
                    try (ProtectionDomain other = pair.left.context.newProtectionDomain();
                            MemoryRegion foreign = other.allocate(64, Access.LOCAL_WRITE)) {
                        return RawRequest.lkey(write(pair), foreign.lkey());
                    }
                });
    }

    @Test
    @Holds("65a")
    void aSendFromBeyondItsRegionFails() {
        requireSender(
                "65a",
                pair ->
                        RawRequest.length(
                                write(pair).from(pair.left.memory, RdmaPair.MEMORY - 8, 8), 16));
    }

    @Test
    @Holds("65b")
    void aReadIntoMemoryThatIsNotWritableFails() {
        try (RdmaPair pair = RdmaPair.onOneDevice();
                MemoryRegion readOnly = pair.left.domain.allocate(64)) {
            Done done = pair.left.run(read(pair).into(readOnly, 0, 64));
            Conformance.fact("65b").requireStatus("sender", done.status());
        }
    }

    @Test
    @Holds("65b")
    void aReadWithAWrongKeyFails() {
        requireSender(
                "65b", pair -> RawRequest.lkey(read(pair), pair.left.memory.lkey() ^ WRONG_INDEX));
    }

    @Test
    @Holds("65b")
    void aReadThatIsInlineFails() {
        requireSender("65b", pair -> RawRequest.flag(read(pair), Verbs.IBV_SEND_INLINE()));
    }

    @Test
    @Holds("69")
    void anAtomicThatIsNotAlignedIsRefused() {
        try (RdmaPair pair = RdmaPair.onOneDevice()) {
            FetchAndAdd atomic =
                    pair.left
                            .pair
                            .newFetchAndAdd()
                            .at(pair.right.memory.remote(), 0)
                            .into(pair.left.memory, 0);
            RawRequest.atomicAddress(atomic, pair.right.memory.address() + 4);
            assertThatThrownBy(() -> pair.left.pair.post(atomic))
                    .isInstanceOfSatisfying(
                            PostException.class,
                            e -> assertThat(e.errno()).isEqualTo(Posix.EINVAL()));
        }
    }

    @Test
    @Holds("G1")
    void anOpcodeThatTheDeviceDoesNotKnowFails() {
        requireSender("G1", pair -> RawRequest.opcode(write(pair), Verbs.IBV_WR_TSO()));
    }

    @Test
    @Holds("G6")
    void aMessageBeyondThePortsMaximumGoesThrough() {
        try (RdmaPair pair = RdmaPair.onOneDevice()) {
            long most = pair.left.pair.maxMessageSize();
            try (MemoryRegion from = pair.left.domain.allocate(most + 4);
                    MemoryRegion to =
                            pair.right.domain.allocate(
                                    most + 4, Access.LOCAL_WRITE, Access.REMOTE_WRITE)) {
                Write write = pair.left.pair.newWrite().from(from, 0, most).to(to.remote(), 0);
                Done done = pair.left.run(RawRequest.length(write, (int) most + 4));
                Conformance.fact("G6").requireStatus("sender", done.status());
            }
        }
    }
}
