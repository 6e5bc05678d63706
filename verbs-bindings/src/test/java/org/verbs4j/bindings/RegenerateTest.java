package org.verbs4j.bindings;

import static org.assertj.core.api.Assertions.assertThat;

import static java.nio.file.StandardCopyOption.COPY_ATTRIBUTES;
import static java.nio.file.StandardCopyOption.REPLACE_EXISTING;
import static java.nio.file.StandardOpenOption.APPEND;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.verbs4j.gcc.Forked;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

/**
 * The script native-headers/regenerate, on a copy of what it reads, with a jextract that gives back
 * the committed sources as they were before the script edited them. What the real jextract gives is
 * checked where there is one: {@code native-headers/regenerate --check JEXTRACT}.
 */
class RegenerateTest {
    /**
     * Like jextract it writes what it is asked for and is silent about names that it does not know.
     */
    private static final String FAKE_JEXTRACT =
            """
            #!/usr/bin/env bash
            set -eu
            if [ "$1" = --version ]; then
                printf 'jextract 25\\nLibClang version Debian clang version %s\\n' "$LIBCLANG"
                exit
            fi
            while [ $# -gt 1 ]; do
                case $1 in
                    --output) out=$2 ;;
                    --target-package) out=$out/${2//./\\/} ;;
                    --header-class-name) class=$2 ;;
                    @*) includes=${1#@} ;;
                esac
                shift
            done
            mkdir -p "$out"
            written=("$COMMITTED/$class.java" "$COMMITTED/$class\\$shared.java")
            while read -r option name; do
                case $option in
                    --include-struct | --include-union | --include-typedef)
                        if [ -f "$COMMITTED/$name.java" ]; then
                            written+=("$COMMITTED/$name.java")
                        elif [[ $name == *pthread_* || $name == __atomic_wide_counter ]]; then
                            touch "$out/$name.java"
                        fi ;;
                esac
            done <"$includes"
            cp "${written[@]}" "$out"
            sed -i -e 's/NativeLibraries\\.downcall(/Linker.nativeLinker().downcallHandle(/' \\
                -e 's/NativeLibraries\\.[a-z]*Lookup()/SymbolLookup.loaderLookup().or(Linker.nativeLinker().defaultLookup())/' \\
                "$out"/*.java
            """;

    @TempDir Path copy = Path.of("");
    private Path lists = copy;
    private Path sources = copy;
    private Path jextract = copy;

    @BeforeEach
    void copyWhatTheScriptReads() throws IOException {
        lists = copyFiles(GeneratedSources.NATIVE_HEADERS, copy.resolve("native-headers"));
        sources =
                copyFiles(
                        GeneratedSources.GENERATED,
                        copy.resolve("verbs-bindings/src/generated/java/org/verbs4j/bindings"));
        jextract = Files.writeString(copy.resolve("jextract"), FAKE_JEXTRACT);
        assertThat(jextract.toFile().setExecutable(true)).isTrue();
    }

    @Test
    void checkPassesOnTheCommittedSources() throws IOException {
        Forked script = regenerate("14.0.6", "--check");

        assertThat(script.err()).isEmpty();
        assertThat(script.status()).isZero();
        assertThat(script.out())
                .contains("the committed sources are what jextract gives (130 files)");
    }

    @Test
    void checkSaysWhatDiffersAndWritesNothing() throws IOException {
        Path struct = sources.resolve("ibv_gid.java");
        String edited = Files.readString(struct).replace("sequenceLayout(16", "sequenceLayout(12");
        // The jextract of this test reads the original; only the copy that is checked is edited.
        Files.writeString(struct, edited);

        Forked script = regenerate("14.0.6", "--check");

        assertThat(script.status()).isEqualTo(1);
        assertThat(script.err())
                .contains("ibv_gid.java")
                .contains("sequenceLayout(12")
                .contains("sequenceLayout(16")
                .contains(
                        "the committed sources are not what these headers and this jextract give");
        assertThat(struct).hasContent(edited);
    }

    @Test
    void regeneratingWithTheSameToolsChangesOnlyTheRecordOfThem() throws IOException {
        Files.delete(sources.resolve("ibv_gid.java"));
        Files.writeString(sources.resolve("left_over.java"), "no longer generated");

        Forked script = regenerate("14.0.6", "--jextract-commit", "abc1234");

        assertThat(script.status()).as(script.err()).isZero();
        assertThat(names(sources)).isEqualTo(names(GeneratedSources.GENERATED));
        assertThat(sources.resolve("ibv_gid.java"))
                .hasSameTextualContentAs(GeneratedSources.GENERATED.resolve("ibv_gid.java"));
        assertThat(lists.resolve("GENERATED-BY"))
                .content()
                .contains("jextract  abc1234")
                .contains("libclang  Debian clang version 14.0.6")
                .contains("rdma-core ");
    }

    @Test
    void aLibclangOf16IsRefused() throws IOException {
        assertRefused(
                regenerate("16.0.6"),
                "libclang 16: jextract emits Java that does not compile from 16 on; use 14");
    }

    @Test
    void aJextractThatNamesNoLibclangIsRefused() throws IOException {
        assertRefused(regenerate("of the distribution"), "names no libclang version");
    }

    @Test
    void aNameThatMatchesNothingIsRefused() throws IOException {
        for (String option :
                List.of("struct ibv_no_such", "constant IBV_NO_SUCH", "function ibv_no_such")) {
            Files.copy(
                    GeneratedSources.NATIVE_HEADERS.resolve("includes-verbs.txt"),
                    lists.resolve("includes-verbs.txt"),
                    REPLACE_EXISTING);
            Files.writeString(
                    lists.resolve("includes-verbs.txt"), "--include-" + option + "\n", APPEND);

            assertRefused(
                    regenerate("14.0.6"),
                    "--include-" + option + " matched nothing in the headers (rdma-core ");
        }
    }

    @Test
    void aMissingPthreadTypeIsRefused() throws IOException {
        Path list = lists.resolve("includes-verbs.txt");
        Files.writeString(
                list, Files.readString(list).replace("--include-typedef pthread_mutex_t\n", ""));

        assertRefused(regenerate("14.0.6"), "pthread_mutex_t was not generated");
    }

    @Test
    void aJextractThatWritesItsCallsDifferentlyIsRefused() throws IOException {
        Files.writeString(jextract, FAKE_JEXTRACT.replace(".downcallHandle(/'", ".newDowncall(/'"));

        assertRefused(regenerate("14.0.6"), "this jextract writes its code differently");
    }

    private void assertRefused(Forked script, String reason) throws IOException {
        assertThat(script.err()).startsWith("regenerate: ").contains(reason);
        assertThat(script.status()).isEqualTo(1);
        assertThat(names(sources)).isEqualTo(names(GeneratedSources.GENERATED));
    }

    private Forked regenerate(String libclang, String... options) throws IOException {
        ProcessBuilder builder = new ProcessBuilder(lists.resolve("regenerate").toString());
        builder.command().addAll(List.of(options));
        builder.command().add(jextract.toString());
        builder.environment().put("LIBCLANG", libclang);
        builder.environment().put("COMMITTED", GeneratedSources.GENERATED.toString());
        return Forked.of(builder);
    }

    private static Path copyFiles(Path from, Path to) throws IOException {
        Files.createDirectories(to);
        for (String name : names(from)) {
            Files.copy(from.resolve(name), to.resolve(name), COPY_ATTRIBUTES);
        }
        return to;
    }

    private static List<String> names(Path directory) throws IOException {
        try (Stream<Path> files = Files.list(directory)) {
            return files.map(file -> file.getFileName().toString()).sorted().toList();
        }
    }
}
