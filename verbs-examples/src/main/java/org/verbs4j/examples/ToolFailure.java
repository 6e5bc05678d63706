package org.verbs4j.examples;

import org.jspecify.annotations.Nullable;

/**
 * A tool cannot go on. The message is the one sentence that its user reads; the exit status is 1.
 */
public final class ToolFailure extends RuntimeException {
    private static final long serialVersionUID = 1L;

    public ToolFailure(String sentence) {
        this(sentence, null);
    }

    public ToolFailure(String sentence, @Nullable Throwable cause) {
        super(sentence, cause);
    }
}
