package org.verbs4j.bindings;

import org.verbs4j.gcc.Gcc;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** A shared object made by a test to stand in for libibverbs. */
final class FakeLibrary {
    private FakeLibrary() {}

    /** Compiles C into {@code libibverbs.so.1} in a directory. */
    static Path compile(Path directory, String c) throws IOException {
        Path source = Files.writeString(directory.resolve("fake.c"), c);
        Path library = directory.resolve("libibverbs.so.1");
        Gcc.run(
                "-shared",
                "-fPIC",
                "-Wl,-soname,libibverbs.so.1",
                "-o",
                library.toString(),
                source.toString());
        return library;
    }
}
