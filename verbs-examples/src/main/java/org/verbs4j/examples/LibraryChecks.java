package org.verbs4j.examples;

import org.verbs4j.bindings.NativeLibraries;

import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** What {@link Doctor} finds out about the C libraries. */
final class LibraryChecks {
    /** Such as {@code libibverbs.so.1.14.44.0}: ABI, and the version of rdma-core. */
    private static final Pattern VERSIONED =
            Pattern.compile("(/\\S*/(lib\\w+)\\.so\\.\\d+\\.\\d+\\.(\\d+)(?:\\.\\d+)?)$");

    private final Machine machine;

    LibraryChecks(Machine machine) {
        this.machine = machine;
    }

    List<Finding> all() {
        Optional<String> verbs = NativeLibraries.verbsProblem(); // loads them
        Optional<String> connections = NativeLibraries.rdmaCmProblem();
        return List.of(
                verbs.map(problem -> Finding.blocks("library", problem, ""))
                        .orElseGet(() -> Finding.ok("library", loaded("libibverbs"))),
                connections
                        .map(problem -> Finding.warning("library", problem, ""))
                        .orElseGet(() -> Finding.ok("library", loaded("librdmacm"))));
    }

    /** Which file of a library this process has, and of which rdma-core that is. */
    private String loaded(String library) {
        for (String mapping : machine.lines("/proc/self/maps")) {
            Matcher file = VERSIONED.matcher(mapping);
            if (file.find() && file.group(2).equals(library)) {
                return "%s of rdma-core %s (%s)".formatted(library, file.group(3), file.group(1));
            }
        }
        return library + " is loaded";
    }
}
