package org.verbs4j.it;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.verbs4j.Access;
import org.verbs4j.BindWindow;
import org.verbs4j.MemoryRegion;
import org.verbs4j.MemoryWindow;
import org.verbs4j.QueuePairState;
import org.verbs4j.RemoteBuffer;
import org.verbs4j.UcQueuePair;
import org.verbs4j.WorkOpcode;
import org.verbs4j.WorkStatus;

import java.lang.foreign.MemorySegment;

/** Unreliable connections. */
class UcQueuePairIT {
    private final OpenDevice device = new OpenDevice();
    private UcQueuePair left;
    private UcQueuePair right;

    @BeforeEach
    void connect() {
        left = pair();
        right = pair();
        left.connect(right.endpoint());
        right.connect(left.endpoint());
    }

    private UcQueuePair pair() {
        return device.keep(
                device.domain
                        .newUcQueuePair(device.sends, device.receives)
                        .remoteAccess(Access.REMOTE_WRITE)
                        .build());
    }

    @AfterEach
    void close() {
        device.close();
    }

    /** Soft-RoCE takes a key back on reliable connections only. */
    @Test
    @Holds({"18", "G1"})
    void aWindowIsBoundAndInvalidatingIsAnOpcodeThatTheDeviceLacksHere() {
        MemoryRegion region =
                device.keep(
                        device.domain.allocate(
                                8192,
                                Access.LOCAL_WRITE,
                                Access.REMOTE_WRITE,
                                Access.MEMORY_WINDOW_BIND));
        MemoryWindow window = device.keep(device.domain.newMemoryWindow(MemoryWindow.Type.TYPE_2));
        BindWindow bind =
                right.newBindWindow()
                        .window(window, MemoryWindow.nextKey(window.rkey()))
                        .over(region.slice(1000, 500), Access.REMOTE_WRITE);
        Done bound = device.run(right, bind);
        assertThat(bound.status()).isEqualTo(WorkStatus.SUCCESS);
        assertThat(bound.opcode()).isEqualTo(WorkOpcode.BIND_WINDOW);
        device.put(0, "open");
        device.run(left, left.newWrite().from(device.memory, 0, 4).to(bind.remote(), 0));
        MemorySegment opened = region.segment().asSlice(1000, 4);
        Waits.until("the write", () -> opened.mismatch(device.memory.segment().asSlice(0, 4)) < 0);
        Done invalidated = device.run(right, right.newLocalInvalidate().key(window.rkey()));
        Conformance.fact("G1").requireStatus("sender", invalidated.status());
    }

    @Test
    void itConnectsToReadyToSend() {
        assertThat(left.queryState()).isEqualTo(QueuePairState.READY_TO_SEND);
        assertThat(left.query().destinationQueuePair()).isEqualTo(right.number());
    }

    @Test
    @Holds("59")
    void aMessageArrivesWithItsImmediate() {
        device.receive(right, 1, 1024, 64);
        device.put(0, "by UC");
        assertThat(
                        device.run(
                                        left,
                                        left.newSend()
                                                .id(2)
                                                .from(device.memory, 0, 5)
                                                .immediate(0x01020304))
                                .status())
                .isEqualTo(WorkStatus.SUCCESS);
        Done done = device.received();
        assertThat(done.id()).isEqualTo(1);
        assertThat(done.length()).isEqualTo(5);
        assertThat(done.immediate()).isEqualTo(0x01020304);
        assertThat(device.get(1024, 5)).isEqualTo("by UC");
    }

    @Test
    void aMessageOfSeveralPacketsArrivesWhole() {
        device.receive(right, 1, 1 << 20, 100_000);
        device.put(99_990, "0123456789");
        device.run(left, left.newSend().from(device.memory, 0, 100_000));
        assertThat(device.received().length()).isEqualTo(100_000);
        assertThat(device.get((1 << 20) + 99_990, 10)).isEqualTo("0123456789");
    }

    @Test
    @Holds("59")
    void aWriteArrivesAndItsImmediateTakesAReceive() {
        RemoteBuffer target = device.memory.remote();
        device.put(0, "written");
        assertThat(
                        device.run(left, left.newWrite().from(device.memory, 0, 7).to(target, 4096))
                                .status())
                .isEqualTo(WorkStatus.SUCCESS);
        Waits.until("the write", () -> device.get(4096, 7).equals("written"));
        device.receive(right, 3, 0, 0);
        device.run(left, left.newWrite().from(device.memory, 0, 7).to(target, 8192).immediate(99));
        Done done = device.received();
        assertThat(done.opcode()).isEqualTo(WorkOpcode.RECEIVE_WRITE_IMMEDIATE);
        assertThat(done.immediate()).isEqualTo(99);
        assertThat(device.get(8192, 7)).isEqualTo("written");
    }

    @Test
    @Holds("G5")
    void whatIsLostIsLostInSilence() {
        // No receive posted, then a key that does not fit: both sends succeed, nothing arrives.
        assertThat(device.run(left, left.newSend().from(device.memory, 0, 8)).status())
                .isEqualTo(WorkStatus.SUCCESS);
        assertThat(
                        device.run(
                                        left,
                                        left.newWrite()
                                                .from(device.memory, 0, 8)
                                                .to(device.memory.remote().address(), 0x7777))
                                .status())
                .isEqualTo(WorkStatus.SUCCESS);
        device.receive(right, 5, 1024, 64);
        device.put(0, "later");
        device.run(left, left.newSend().from(device.memory, 0, 5));
        assertThat(left.queryState()).isEqualTo(QueuePairState.READY_TO_SEND);
    }
}
