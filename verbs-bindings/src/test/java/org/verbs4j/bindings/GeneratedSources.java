package org.verbs4j.bindings;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;

/**
 * The generated sources and the lists that they were generated from, as files of the repository.
 */
final class GeneratedSources {
    static final Path MODULE = Path.of("").toAbsolutePath();
    static final Path NATIVE_HEADERS = MODULE.resolveSibling("native-headers");
    static final Path GENERATED = MODULE.resolve("src/generated/java/org/verbs4j/bindings");
    static final List<Class<?>> HEADER_CLASSES = List.of(Verbs.class, Posix.class);

    private GeneratedSources() {}

    /** The structs and unions that have a generated class of their own. */
    static Set<String> structs() {
        try (Stream<Path> files = Files.list(GENERATED)) {
            Set<String> names = new TreeSet<>();
            files.map(file -> file.getFileName().toString().replace(".java", ""))
                    .filter(name -> !name.startsWith("Verbs") && !name.startsWith("Posix"))
                    .forEach(names::add);
            return names;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /**
     * The names that the include lists ask for with one of these options, such as {@code
     * --include-constant}.
     */
    static Set<String> included(String list, String... options) {
        try (Stream<String> lines = Files.lines(NATIVE_HEADERS.resolve(list))) {
            Set<String> names = new TreeSet<>();
            lines.map(line -> line.split(" ", 2))
                    .filter(words -> List.of(options).contains(words[0]))
                    .forEach(words -> names.add(words[1]));
            return names;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
