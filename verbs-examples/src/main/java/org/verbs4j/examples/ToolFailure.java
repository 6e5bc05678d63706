package org.verbs4j.examples;

import org.jspecify.annotations.Nullable;

/**
 * A tool cannot go on. The message is the one sentence that its user reads; the exit status is 1.
 */
public final class ToolFailure extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private final boolean asInC;

    public ToolFailure(String sentence) {
        this(sentence, null);
    }

    public ToolFailure(String sentence, @Nullable Throwable cause) {
        this(sentence, cause, false);
    }

    private ToolFailure(String sentence, @Nullable Throwable cause, boolean asInC) {
        super(sentence, cause);
        this.asInC = asInC;
    }

    /** In the words of the C tool, which does not name itself. */
    static ToolFailure asInC(String line) {
        return new ToolFailure(line, null, true);
    }

    /** Whether the sentence is the whole line. */
    boolean isAsInC() {
        return asInC;
    }
}
