package org.verbs4j.examples.file;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileSystemException;
import java.nio.file.NoSuchFileException;

/** What the file system says, for a sentence. */
final class Reasons {
    private Reasons() {}

    static String of(IOException e) {
        @Nullable String reason =
                e instanceof FileSystemException f ? f.getReason() : e.getMessage();
        if (reason != null) {
            return reason;
        }
        return switch (e) {
            case AccessDeniedException _ -> "permission denied";
            case NoSuchFileException _ -> "no such file or directory";
            default -> e.toString();
        };
    }
}
