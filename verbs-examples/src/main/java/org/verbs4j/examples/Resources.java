package org.verbs4j.examples;

import java.util.ArrayDeque;
import java.util.Deque;

/**
 * What a program opens one upon the other, to be closed in the reverse order; also when only the
 * first of them could be opened. Belongs to one thread.
 */
public final class Resources implements AutoCloseable {
    private final Deque<AutoCloseable> open = new ArrayDeque<>();

    /** Takes something over. */
    public <T extends AutoCloseable> T keep(T resource) {
        open.push(resource);
        return resource;
    }

    /** After a failure that is on its way already. */
    public void closeAfter(Throwable cause) {
        try {
            close();
        } catch (RuntimeException e) {
            cause.addSuppressed(e);
        }
    }

    /** Closes all, and throws what the first that could not be closed has thrown. */
    @Override
    public void close() {
        RuntimeException first = null;
        while (!open.isEmpty()) {
            try {
                open.pop().close();
            } catch (RuntimeException e) {
                first = first == null ? e : first;
            } catch (Exception e) {
                first = first == null ? new IllegalStateException(e) : first;
            }
        }
        if (first != null) {
            throw first;
        }
    }
}
