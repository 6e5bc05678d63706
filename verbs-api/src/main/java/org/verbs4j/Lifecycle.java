package org.verbs4j;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.IntSupplier;
import java.util.function.Supplier;
import java.util.stream.Collectors;

/**
 * The life of a native object: open until closed, children first.
 *
 * <p>What is open is reachable, with what it {@link #keep keeps}, whether the program still refers
 * to it or not: the device may use memory that nobody else remembers.
 *
 * <p>An object may be closed by any thread. Closing one that others are made from throws, names
 * them, and leaves it open; closing twice does nothing. Its lock also keeps control verbs and the
 * close of one object apart, so that a verb never sees a freed object. A locked child may lock a
 * parent, never the other way round.
 */
final class Lifecycle {
    private static final Logger LOG = LoggerFactory.getLogger(Lifecycle.class);

    /** More than that are counted, not named. */
    private static final int MOST_NAMED = 8;

    /** The open ones that have no parents, which lead to all others. */
    private static final Set<Lifecycle> ROOTS = ConcurrentHashMap.newKeySet();

    private volatile String name;
    private volatile List<Lifecycle> parents;
    private final Set<Lifecycle> children = new LinkedHashSet<>();
    private int beingMade;
    private volatile boolean closed;

    /** For the collector only. */
    @SuppressWarnings("unused")
    private volatile @Nullable Object kept;

    /**
     * An open object; call within {@link #make} of its parents, after the native object is there.
     */
    Lifecycle(String name, Lifecycle... parents) {
        this.name = name;
        this.parents = List.of(parents);
        for (Lifecycle parent : this.parents) {
            synchronized (parent) {
                parent.children.add(this);
            }
        }
        if (parents.length == 0) {
            ROOTS.add(this);
        }
        LOG.debug("opened {}", name);
    }

    /** Keeps an object from being collected, in the place of an earlier one, until the close. */
    void keep(@Nullable Object what) {
        kept = what;
    }

    /** Makes a child while no parent can be closed; none is locked meanwhile. */
    static <T> T make(Supplier<T> maker, Lifecycle... parents) {
        int held = 0;
        try {
            for (; held < parents.length; held++) {
                parents[held].hold();
            }
            return maker.get();
        } finally {
            while (held > 0) {
                parents[--held].release();
            }
        }
    }

    private synchronized void hold() {
        requireOpen();
        beingMade++;
    }

    private synchronized void release() {
        beingMade--;
    }

    /** Gives it another name, when what it is named after has changed. */
    void rename(String newName) {
        name = newName;
    }

    /** Moves it from one parent to another; both are held, so neither can be closed meanwhile. */
    void move(Lifecycle from, Lifecycle to) {
        parents = parents.stream().map(parent -> parent == from ? to : parent).toList();
        synchronized (to) {
            to.children.add(this);
        }
        synchronized (from) {
            from.children.remove(this);
        }
    }

    /** Runs a control verb while the object cannot be closed. */
    synchronized <T> T whileOpen(Supplier<T> verb) {
        requireOpen();
        return verb.get();
    }

    /** Runs a control verb without a result while the object cannot be closed. */
    synchronized void runWhileOpen(Runnable verb) {
        requireOpen();
        verb.run();
    }

    /** Throws unless the object is open. */
    void requireOpen() {
        if (closed) {
            throw new IllegalStateException(name + " is closed");
        }
    }

    boolean isOpen() {
        return !closed;
    }

    /**
     * Closes the object.
     *
     * @param destroy frees the native object; when it throws, the object stays open
     */
    void close(Runnable destroy) {
        synchronized (this) {
            if (closed) {
                return;
            }
            refuseWithChildren();
            destroy.run();
            closed = true;
            kept = null;
        }
        ROOTS.remove(this);
        for (Lifecycle parent : parents) {
            synchronized (parent) {
                parent.children.remove(this);
            }
        }
        LOG.debug("closed {}", name);
    }

    /**
     * Closes an object that one verb frees.
     *
     * @param failure what to say when the verb fails
     * @param destroy gives 0 or an error number
     * @throws VerbsException when the verb fails; the object stays open
     */
    void close(String verb, String failure, IntSupplier destroy) {
        close(
                () -> {
                    int errno = destroy.getAsInt();
                    if (errno != 0) {
                        throw new VerbsException(verb, errno, failure);
                    }
                });
    }

    private void refuseWithChildren() {
        if (!children.isEmpty()) {
            String named =
                    children.stream()
                            .limit(MOST_NAMED)
                            .map(Lifecycle::toString)
                            .collect(Collectors.joining(", "));
            String more =
                    children.size() > MOST_NAMED
                            ? " and " + (children.size() - MOST_NAMED) + " more"
                            : "";
            throw new IllegalStateException(
                    name + " is still used by " + named + more + ": close them first");
        }
        if (beingMade > 0) {
            throw new IllegalStateException(
                    name + " is being used by another thread to make an object");
        }
    }

    @Override
    public String toString() {
        return name;
    }
}
