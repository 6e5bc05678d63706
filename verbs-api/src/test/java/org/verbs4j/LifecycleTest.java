package org.verbs4j;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.ref.WeakReference;
import java.util.ArrayList;
import java.util.List;

class LifecycleTest {
    private final List<String> destroyed = new ArrayList<>();

    private void close(Lifecycle life) {
        life.close(() -> destroyed.add(life.toString()));
    }

    @Test
    void childrenAreClosedFirst() {
        Lifecycle parent = new Lifecycle("parent");
        Lifecycle child = new Lifecycle("child", parent);
        assertThatThrownBy(() -> close(parent))
                .isInstanceOf(IllegalStateException.class)
                .hasMessage("parent is still used by child: close them first");
        assertThat(parent.isOpen()).isTrue();
        close(child);
        close(child);
        close(parent);
        assertThat(destroyed).containsExactly("child", "parent");
    }

    private static WeakReference<Object> keptBy(Lifecycle life) {
        Object kept = new Object();
        life.keep(kept);
        return new WeakReference<>(kept);
    }

    /** Nobody refers to the objects any more. */
    private static WeakReference<Object> keptByAForgottenOne() {
        return keptBy(new Lifecycle("child", new Lifecycle("parent")));
    }

    private static boolean isCollected(WeakReference<Object> kept) throws InterruptedException {
        for (int i = 0; i < 10 && kept.get() != null; i++) {
            System.gc();
            Thread.sleep(10);
        }
        return kept.get() == null;
    }

    @Test
    void whatIsOpenIsKeptThoughItIsForgotten() throws InterruptedException {
        WeakReference<Object> forgotten = keptByAForgottenOne();
        Lifecycle closing = new Lifecycle("closing");
        WeakReference<Object> closed = keptBy(closing);
        assertThat(isCollected(forgotten)).isFalse();
        close(closing);
        assertThat(isCollected(closed)).isTrue();
    }

    /** Else a peer would write to memory that has become somebody else's. */
    @Test
    void theMemoryOfARegionThatIsForgottenIsKept() throws InterruptedException {
        WeakReference<Object> memory = memoryOfAForgottenRegion();
        assertThat(isCollected(memory)).isFalse();
    }

    private static WeakReference<Object> memoryOfAForgottenRegion() {
        FakeDevice device = new FakeDevice();
        AnyOperation.provide(device.provider, arguments -> device.provider.newObject().address());
        MemorySegment memory = Arena.ofAuto().allocate(64);
        device.domain.register(memory, Access.LOCAL_WRITE);
        return new WeakReference<>(memory);
    }

    @Test
    void manyChildrenAreCounted() {
        Lifecycle parent = new Lifecycle("parent");
        for (int i = 0; i < 10; i++) {
            new Lifecycle("child " + i, parent);
        }
        assertThatThrownBy(() -> close(parent)).hasMessageContaining("child 7 and 2 more");
    }

    @Test
    void whatCannotBeDestroyedStaysOpen() {
        Lifecycle life = new Lifecycle("thing");
        assertThatThrownBy(
                        () ->
                                life.close(
                                        () -> {
                                            throw new VerbsException("ibv_dereg_mr", 16, "busy");
                                        }))
                .isInstanceOf(VerbsException.class)
                .hasMessage("ibv_dereg_mr: EBUSY (Device or resource busy): busy");
        life.requireOpen();
        close(life);
        assertThatThrownBy(life::requireOpen)
                .isInstanceOf(IllegalStateException.class)
                .hasMessage("thing is closed");
    }

    @Test
    void aParentIsNotClosedWhileAChildIsBeingMade() {
        Lifecycle parent = new Lifecycle("parent");
        Lifecycle child =
                Lifecycle.make(
                        () -> {
                            assertThatThrownBy(() -> close(parent))
                                    .isInstanceOf(IllegalStateException.class)
                                    .hasMessageContaining("to make an object");
                            return new Lifecycle("child", parent);
                        },
                        parent);
        close(child);
        close(parent);
        assertThatThrownBy(() -> Lifecycle.make(() -> new Lifecycle("late", parent), parent))
                .isInstanceOf(IllegalStateException.class);
    }

    @Test
    void aFailedMakingHoldsNothing() {
        Lifecycle open = new Lifecycle("open");
        Lifecycle closed = new Lifecycle("closed");
        close(closed);
        assertThatThrownBy(() -> Lifecycle.make(() -> "never", open, closed))
                .isInstanceOf(IllegalStateException.class)
                .hasMessage("closed is closed");
        close(open);
    }
}
