package org.verbs4j.examples;

import org.jspecify.annotations.Nullable;

/**
 * A tool cannot go on. The message is the one sentence that its user reads; the exit status is 1.
 */
final class ToolFailure extends RuntimeException {
    private static final long serialVersionUID = 1L;

    ToolFailure(String sentence) {
        this(sentence, null);
    }

    ToolFailure(String sentence, @Nullable Throwable cause) {
        super(sentence, cause);
    }
}
