package org.verbs4j;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.verbs4j.bindings.Verbs;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.reflect.Method;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Someone who knows verbs finds the way: what is public says what it is in C, by its right name.
 */
class JavadocTest {
    private static final Path SOURCES = Path.of("src/main/java/org/verbs4j");

    /** Public types that C has nothing for. */
    private static final Map<String, String> WITHOUT_C =
            Map.of(
                    "PooledBuffer", "a part of its pool's region",
                    "Reconnector", "a loop around connectors");

    private static final Pattern ANY_C = Pattern.compile("\\b(?:ibv_|rdma_|IBV_|RDMA_)|@code enum");

    private static final Pattern COMMENT =
            Pattern.compile("/\\*\\*(?:(?!\\*/).)*+\\*/", Pattern.DOTALL);

    private static final Pattern PUBLIC_TYPE =
            Pattern.compile(
                    "("
                            + COMMENT.pattern()
                            + ")\\n(?:@\\w+\\n)*public [\\w\\s-]*?"
                            + "\\b(?:class|record|enum|interface) (\\w+)",
                    Pattern.DOTALL);

    private static final Pattern C_NAME =
            Pattern.compile(
                    "(?<!enum )\\b(?:(?:ibv|rdma)_[a-z0-9_]+|(?:IBV|RDMA)_[A-Z0-9_]+)(?!\\w|\\*)");

    private static final Pattern MAN_PAGE = Pattern.compile("\\b((?:ibv|rdma)_\\w+)\\(3\\)");

    /** Described by the page of another function: {@code man} knows none by these names. */
    private static final Set<String> WITHOUT_PAGE =
            Set.of(
                    "ibv_reg_dmabuf_mr",
                    "ibv_reg_mr_iova",
                    "ibv_create_flow_action_esp",
                    "ibv_flow_action_esp",
                    "rdma_reject_ece");

    /** Neither a function nor a struct: a tool, a library, and pages about several functions. */
    private static final Set<String> OTHER_NAMES =
            Set.of("ibv_devinfo", "rdma_cm", "rdma_ucm", "ibv_create_flow_action", "ibv_wr_post");

    private static Map<Path, String> sources() {
        try (Stream<Path> files = Files.walk(SOURCES)) {
            return files.filter(file -> file.toString().endsWith(".java"))
                    .filter(file -> !file.startsWith(SOURCES.resolve("internal")))
                    .collect(Collectors.toMap(file -> file, JavadocTest::read));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static String read(Path file) {
        try {
            return Files.readString(file);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** The text of a comment, on one line. */
    private static String text(String comment) {
        return comment.replaceAll("\\n\\s*\\* ?", " ");
    }

    private static List<String> comments(String source) {
        return COMMENT.matcher(source)
                .results()
                .map(MatchResult::group)
                .map(JavadocTest::text)
                .toList();
    }

    @Test
    void everyPublicTypeNamesWhatItIsInC() {
        Set<String> silent = new TreeSet<>();
        int types = 0;
        for (String source : sources().values()) {
            Matcher type = PUBLIC_TYPE.matcher(source);
            if (type.find()) {
                types++;
                if (!ANY_C.matcher(type.group(1)).find()) {
                    silent.add(type.group(2));
                }
            }
        }
        assertThat(types).isGreaterThan(100);
        assertThat(silent).isEqualTo(new TreeSet<>(WITHOUT_C.keySet()));
    }

    @Test
    void everyNameOfCIsOneThatTheHeadersHave() {
        Set<String> known = new TreeSet<>(OTHER_NAMES);
        new BindingsUse()
                .functions()
                .forEach(function -> known.add(function.substring(function.indexOf('.') + 1)));
        Arrays.stream(Verbs.class.getMethods()).map(Method::getName).forEach(known::add);
        Map<String, String> unknown = new TreeMap<>();
        sources()
                .forEach(
                        (file, source) ->
                                comments(source).stream()
                                        .flatMap(comment -> C_NAME.matcher(comment).results())
                                        .map(MatchResult::group)
                                        .filter(name -> !known.contains(name) && !isStruct(name))
                                        .forEach(name -> unknown.put(name, file.toString())));
        assertThat(unknown).isEmpty();
    }

    private static boolean isStruct(String name) {
        try {
            Class.forName("org.verbs4j.bindings." + name, false, Verbs.class.getClassLoader());
            return true;
        } catch (ClassNotFoundException e) {
            return false;
        }
    }

    @Test
    void everyManPageIsOneThatRdmaCoreHas() {
        Map<String, String> wrong = new TreeMap<>();
        sources()
                .forEach(
                        (file, source) ->
                                comments(source).stream()
                                        .flatMap(comment -> MAN_PAGE.matcher(comment).results())
                                        .filter(page -> WITHOUT_PAGE.contains(page.group(1)))
                                        .forEach(page -> wrong.put(page.group(), file.toString())));
        assertThat(wrong).isEmpty();
    }
}
