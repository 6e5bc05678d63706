package org.verbs4j.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.verbs4j.Access.LOCAL_WRITE;
import static org.verbs4j.Access.MEMORY_WINDOW_BIND;
import static org.verbs4j.Access.REMOTE_READ;
import static org.verbs4j.Access.REMOTE_WRITE;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.verbs4j.BindWindow;
import org.verbs4j.MemoryRegion;
import org.verbs4j.MemoryWindow;
import org.verbs4j.RemoteBuffer;
import org.verbs4j.VerbsException;
import org.verbs4j.WorkCompletions;
import org.verbs4j.WorkOpcode;
import org.verbs4j.WorkStatus;
import org.verbs4j.bindings.InlineVerbs;
import org.verbs4j.bindings.Posix;
import org.verbs4j.bindings.Verbs;
import org.verbs4j.bindings.ibv_wc;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/** Keys to a part of a region, given and taken back. The right side gives, the left side uses. */
class MemoryWindowIT {
    private static final int SIZE = 8192;

    private RdmaPair pair;
    private RdmaPair.Side left;
    private RdmaPair.Side right;
    private MemoryRegion region;
    private MemoryWindow window;

    @BeforeEach
    void connect() {
        pair = RdmaPair.onOneDevice();
        left = pair.left;
        right = pair.right;
        region =
                right.domain.allocate(
                        SIZE, LOCAL_WRITE, REMOTE_WRITE, REMOTE_READ, MEMORY_WINDOW_BIND);
    }

    @AfterEach
    void close() {
        if (window != null) {
            window.close();
        }
        region.close();
        pair.close();
    }

    private WorkStatus write(RemoteBuffer target) {
        return left.run(left.pair.newWrite().from(left.memory, 0, 100).to(target, 0)).status();
    }

    private RemoteBuffer bindType1() {
        window = right.domain.newMemoryWindow(MemoryWindow.Type.TYPE_1);
        RemoteBuffer granted = window.bind(right.pair, region.slice(1000, 500), 7, REMOTE_WRITE);
        Done done = right.next();
        assertThat(done.status()).isEqualTo(WorkStatus.SUCCESS);
        assertThat(done.opcode()).isEqualTo(WorkOpcode.BIND_WINDOW);
        assertThat(done.id()).isEqualTo(7);
        return granted;
    }

    private RemoteBuffer bindType2() {
        window = right.domain.newMemoryWindow(MemoryWindow.Type.TYPE_2);
        return bindAgain(MemoryWindow.nextKey(window.rkey()));
    }

    private RemoteBuffer bindAgain(int key) {
        BindWindow bind =
                right.pair
                        .newBindWindow()
                        .id(8)
                        .window(window, key)
                        .over(region.slice(1000, 500), REMOTE_WRITE);
        Done done = right.run(bind);
        assertThat(done.status()).isEqualTo(WorkStatus.SUCCESS);
        assertThat(done.opcode()).isEqualTo(WorkOpcode.BIND_WINDOW);
        return bind.remote();
    }

    private void assertArrives(RemoteBuffer granted) {
        left.fill(0, 100, 11);
        assertThat(write(granted)).isEqualTo(WorkStatus.SUCCESS);
        assertThat(
                        region.segment()
                                .asSlice(1000, 100)
                                .mismatch(left.memory.segment().asSlice(0, 100)))
                .isEqualTo(-1);
        assertThat(region.segment().get(ValueLayout.JAVA_BYTE, 999)).isZero();
    }

    @Test
    @Holds("17")
    void aWindowOfType1LetsAPeerWriteWhereItWasBound() {
        int first = region.rkey();
        RemoteBuffer granted = bindType1();
        assertThat(granted.address()).isEqualTo(region.address() + 1000);
        assertThat(granted.length()).isEqualTo(500);
        assertThat(granted.rkey()).isEqualTo(window.rkey()).isNotEqualTo(first);
        assertArrives(granted);
    }

    @Test
    void aBindingOfType1TakesThePlaceOfTheLast() {
        RemoteBuffer first = bindType1();
        RemoteBuffer second = window.bind(right.pair, region.slice(1000, 500), 9, REMOTE_WRITE);
        assertThat(right.next().status()).isEqualTo(WorkStatus.SUCCESS);
        assertThat(second.rkey()).isEqualTo(MemoryWindow.nextKey(first.rkey()));
        assertArrives(second);
        assertThat(write(first)).isEqualTo(WorkStatus.REMOTE_ACCESS_ERROR);
    }

    @Test
    @Holds("20")
    void aWindowOfType1ThatIsBoundToNothingLetsNobodyIn() {
        RemoteBuffer granted = bindType1();
        window.unbind(right.pair, 9);
        assertThat(right.next().status()).isEqualTo(WorkStatus.SUCCESS);
        assertThat(write(granted)).isEqualTo(WorkStatus.REMOTE_ACCESS_ERROR);
        assertThatThrownBy(() -> window.unbind(right.pair, 9))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("was never bound");
    }

    @Test
    @Holds("18")
    void aWindowOfType2LetsAPeerWriteWhereItWasBound() {
        RemoteBuffer granted = bindType2();
        assertThat(granted.rkey()).isEqualTo(window.rkey());
        assertArrives(granted);
    }

    @Test
    void aBindingInABatchComesBeforeWhatTellsThePeer() {
        window = right.domain.newMemoryWindow(MemoryWindow.Type.TYPE_2);
        left.receive(1, 0, 8);
        BindWindow bind =
                right.pair
                        .newBindWindow()
                        .window(window, MemoryWindow.nextKey(window.rkey()))
                        .over(region.slice(1000, 500), REMOTE_WRITE);
        right.pair.post(
                right.pair
                        .newSendBatch(2)
                        .add(bind)
                        .add(right.pair.newSend().from(right.memory, 0, 8)));
        assertThat(right.next(2))
                .extracting(Done::opcode)
                .containsExactly(WorkOpcode.BIND_WINDOW, WorkOpcode.SEND);
        left.next();
        assertArrives(bind.remote());
    }

    @Test
    @Holds("20")
    void aKeyInvalidatedHereLetsNobodyInAndCanBeBoundAgain() {
        RemoteBuffer granted = bindType2();
        Done done = right.run(right.pair.newLocalInvalidate().id(3).key(granted.rkey()));
        assertThat(done.status()).isEqualTo(WorkStatus.SUCCESS);
        assertThat(done.opcode()).isEqualTo(WorkOpcode.LOCAL_INVALIDATE);
        RemoteBuffer again = bindAgain(MemoryWindow.nextKey(granted.rkey()));
        assertArrives(again);
        assertThat(write(granted)).isEqualTo(WorkStatus.REMOTE_ACCESS_ERROR);
    }

    @Test
    @Holds("20")
    void aMessageTakesTheKeyBackAndTheReceiveTellsIt() {
        RemoteBuffer granted = bindType2();
        right.receive(5, 0, 8);
        left.run(left.pair.newSend().from(left.memory, 0, 8).invalidating(granted.rkey()));
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment wc = arena.allocate(ibv_wc.layout());
            long queue = right.queue.handle().address();
            Waits.until("the message", () -> InlineVerbs.ibv_poll_cq(queue, 1, wc.address()) == 1);
            assertThat(ibv_wc.status(wc)).isEqualTo(Verbs.IBV_WC_SUCCESS());
            assertThat(ibv_wc.opcode(wc)).isEqualTo(Verbs.IBV_WC_RECV());
            assertThat(ibv_wc.invalidated_rkey(wc)).isEqualTo(granted.rkey());
            // Soft-RoCE hands on the kernel's flag, which is another one for programs.
            assertThat(ibv_wc.wc_flags(wc) & ~Verbs.IBV_WC_GRH())
                    .isIn(Verbs.IBV_WC_WITH_INV(), Verbs.IBV_WC_IP_CSUM_OK());
        }
        assertThat(write(granted)).isEqualTo(WorkStatus.REMOTE_ACCESS_ERROR);
    }

    @Test
    void aMessageWithoutAKeyTellsNone() {
        right.receive(5, 0, 8);
        left.run(left.pair.newSend().from(left.memory, 0, 8).invalidating(1).plain());
        WorkCompletions completions = WorkCompletions.allocate(1);
        Waits.until("the message", () -> right.queue.poll(completions) == 1);
        assertThat(completions.get(0).hasInvalidatedRemoteKey()).isFalse();
    }

    @Test
    @Holds("20")
    void aClosedWindowLetsNobodyIn() {
        RemoteBuffer granted = bindType2();
        window.close();
        assertThat(write(granted)).isEqualTo(WorkStatus.REMOTE_ACCESS_ERROR);
    }

    @Test
    @Holds("19")
    void aRegionWithoutWindowAccessFailsTheBinding() {
        window = right.domain.newMemoryWindow(MemoryWindow.Type.TYPE_1);
        window.bind(right.pair, right.memory.slice(0, 100), 1, REMOTE_WRITE);
        Conformance.fact("19").requireStatus("sender", right.next().status());
    }

    @Test
    @Holds("21")
    void eachTypeIsBoundInItsOwnWay() {
        window = right.domain.newMemoryWindow(MemoryWindow.Type.TYPE_2);
        assertThatThrownBy(() -> window.bind(right.pair, region.slice(0, 8), 1, REMOTE_WRITE))
                .isInstanceOf(VerbsException.class)
                .hasMessageStartingWith("ibv_bind_mw: EINVAL")
                .hasMessageContaining("by a BindWindow request");
        try (MemoryWindow other = left.domain.newMemoryWindow(MemoryWindow.Type.TYPE_1)) {
            assertThatThrownBy(() -> other.bind(left.pair, region.slice(0, 8), 1, REMOTE_WRITE))
                    .isInstanceOf(VerbsException.class)
                    .hasMessageStartingWith("ibv_bind_mw: EPERM")
                    .hasMessageContaining("different protection domains");
            assertThatThrownBy(() -> other.bind(right.pair, region.slice(0, 8), 1, REMOTE_WRITE))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("is of another context than the memory window");
            assertThatThrownBy(() -> right.pair.newBindWindow().window(other, 1))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("another protection domain");
        }
    }

    @Test
    @Holds("22")
    void aRegionWithABoundWindowStaysOpen() {
        bindType2();
        assertThatThrownBy(region::close)
                .isInstanceOf(VerbsException.class)
                .hasMessageStartingWith("ibv_dereg_mr: EINVAL")
                .hasMessageContaining("a memory window is probably bound to it");
        assertThat(region.segment().get(ValueLayout.JAVA_BYTE, 0)).isZero();
        window.close();
        region.close();
    }

    @Test
    void aDomainWithAWindowStaysOpen() {
        try (RdmaPair other = RdmaPair.onOneDevice();
                var domain = other.left.context.newProtectionDomain();
                var only = domain.newMemoryWindow(MemoryWindow.Type.TYPE_1)) {
            assertThat(Verbs.ibv_dealloc_pd(domain.handle())).isEqualTo(Posix.EBUSY());
            assertThatThrownBy(domain::close)
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("is still used by " + only);
        }
    }

    @Test
    void whatAProviderWouldCrashOnIsRefused() {
        window = right.domain.newMemoryWindow(MemoryWindow.Type.TYPE_2);
        BindWindow empty = right.pair.newBindWindow();
        assertThatThrownBy(() -> right.pair.post(empty))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("not complete");
        assertThatThrownBy(() -> right.pair.post(empty.window(window, 5)))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("not complete");
        assertThatThrownBy(() -> right.pair.post(right.pair.newSendBatch(1).add(empty)))
                .isInstanceOf(IllegalStateException.class);
        BindWindow closed =
                right.pair.newBindWindow().window(window, 5).over(region.slice(0, 8), REMOTE_WRITE);
        window.close();
        assertThatThrownBy(() -> right.pair.post(closed))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("is closed");
        assertThatThrownBy(() -> right.pair.offer(closed))
                .isInstanceOf(IllegalStateException.class);
        assertThatThrownBy(() -> window.bind(right.pair, region.slice(0, 8), 1, REMOTE_WRITE))
                .isInstanceOf(IllegalStateException.class);
        try (RdmaPair early = RdmaPair.onOneDevice(builder -> {});
                MemoryRegion own = early.left.domain.allocate(SIZE, RdmaPair.ALL);
                MemoryWindow other = early.left.domain.newMemoryWindow(MemoryWindow.Type.TYPE_1)) {
            assertThatThrownBy(() -> other.bind(early.left.pair, own.slice(0, 8), 1, REMOTE_WRITE))
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("it can send from READY_TO_SEND on");
        }
    }
}
