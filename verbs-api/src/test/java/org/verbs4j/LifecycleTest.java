package org.verbs4j;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;

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
