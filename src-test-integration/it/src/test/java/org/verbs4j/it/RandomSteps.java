package org.verbs4j.it;

import org.verbs4j.VerbsException;
import org.verbs4j.WorkCompletionException;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Random;

/**
 * Steps in random order. The same seed gives the same steps, as far as the device answers the same.
 * One thread takes them; another may ask for the last ones.
 */
class RandomSteps {
    private static final int REMEMBERED = 40;
    private static final boolean TRACE = System.getenv("VERBS4J_TRACE") != null;

    /** What a caller is told to expect. */
    private static final List<Class<? extends RuntimeException>> DOCUMENTED =
            List.of(
                    IllegalArgumentException.class,
                    IllegalStateException.class,
                    IndexOutOfBoundsException.class,
                    VerbsException.class,
                    WorkCompletionException.class);

    /** Something to do. */
    interface Step {
        void take() throws InterruptedException;
    }

    private record Named(String name, Step step) {}

    /** There is nothing yet to do it with, or too much already. */
    private static final class NotNow extends RuntimeException {
        private static final long serialVersionUID = 1L;
    }

    final Random random;
    private final List<Named> steps = new ArrayList<>();
    private final Deque<String> last = new ArrayDeque<>();
    private int done;
    private int refused;

    RandomSteps(long seed) {
        random = new Random(seed);
    }

    /** Adds something that may happen, more often with a higher weight. */
    final void add(int weight, String name, Step step) {
        for (int i = 0; i < weight; i++) {
            steps.add(new Named(name, step));
        }
    }

    /**
     * Takes steps.
     *
     * @throws AssertionError with the last ones when one ends as it must not
     */
    final void take(int count) {
        for (int i = 0; i < count; i++) {
            Named one = steps.get(random.nextInt(steps.size()));
            remember(i + " " + one.name());
            try {
                one.step().take();
                done++;
            } catch (NotNow e) {
                remember("  not now");
            } catch (RuntimeException e) {
                remember("  " + e);
                refused++;
                if (DOCUMENTED.stream().noneMatch(type -> type.isInstance(e))) {
                    throw new AssertionError("not a documented exception, after\n" + last(), e);
                }
            } catch (InterruptedException | Error e) {
                throw new AssertionError(e + " after\n" + last(), e);
            }
        }
    }

    /** How many steps did what they say. */
    final int done() {
        return done;
    }

    /** How many ended in an exception. */
    final int refused() {
        return refused;
    }

    /** The last steps, one a line. */
    final synchronized String last() {
        return String.join("\n", last);
    }

    /** Adds a line to the last steps. */
    final synchronized void remember(String step) {
        if (TRACE) {
            System.out.println(step);
        }
        last.add(step);
        if (last.size() > REMEMBERED) {
            last.remove();
        }
    }

    /** One of them; the step is left out when there is none. */
    final <T> T any(List<T> list) {
        if (list.isEmpty()) {
            throw new NotNow();
        }
        return list.get(random.nextInt(list.size()));
    }

    @SafeVarargs
    final <T> T any(T... array) {
        return array[random.nextInt(array.length)];
    }

    /** Leaves the step out when there are so many already. */
    final void room(List<?> list, int most) {
        if (list.size() >= most) {
            throw new NotNow();
        }
    }
}
