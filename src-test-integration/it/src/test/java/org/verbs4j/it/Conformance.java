package org.verbs4j.it;

import org.junit.platform.commons.support.AnnotationSupport;
import org.junit.platform.commons.support.HierarchyTraversalMode;
import org.junit.platform.commons.support.ReflectionSupport;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.lang.reflect.Method;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * The facts of {@code conformance.txt}, and the tests that hold them.
 *
 * <p>A line is {@code id | fact | before 6.12 | from 6.12 | others}; {@code =} repeats the column
 * before, {@code ##} begins a section, {@code #} a comment. An expectation that tests take from
 * here is {@code sender STATUS} and {@code receiver STATUS}, separated by {@code "; "}, where
 * {@code " or "} gives a choice.
 */
final class Conformance {
    private static final int COLUMNS = 5;
    private static final Map<String, Fact> FACTS = load();

    private Conformance() {}

    /** All facts, in order. */
    static List<Fact> facts() {
        return List.copyOf(FACTS.values());
    }

    /** A fact, such as {@code 65a}. */
    static Fact fact(String id) {
        Fact fact = FACTS.get(id);
        if (fact == null) {
            throw new IllegalArgumentException("conformance.txt has no fact " + id);
        }
        return fact;
    }

    /** The tests that hold each fact, {@code Class.method}, by its id. */
    static Map<String, List<String>> holders() {
        Map<String, List<String>> holders = new TreeMap<>();
        for (Class<?> type :
                ReflectionSupport.findAllClassesInPackage(
                        Conformance.class.getPackageName(),
                        _ -> true,
                        name -> name.endsWith("IT"))) {
            for (Method method :
                    AnnotationSupport.findAnnotatedMethods(
                            type, Holds.class, HierarchyTraversalMode.TOP_DOWN)) {
                for (String id : method.getAnnotation(Holds.class).value()) {
                    holders.computeIfAbsent(id, _ -> new ArrayList<>()).add(name(method));
                }
            }
        }
        holders.values().forEach(names -> names.sort(null));
        return holders;
    }

    /** How a test is called in results and in the table. */
    static String name(Method test) {
        return test.getDeclaringClass().getSimpleName() + "." + test.getName();
    }

    private static Map<String, Fact> load() {
        Map<String, Fact> facts = new LinkedHashMap<>();
        String section = "";
        for (String line : text().lines().toList()) {
            if (line.startsWith("## ")) {
                section = line.substring(3);
            } else if (!line.startsWith("#") && !line.isBlank()) {
                Fact fact = parse(section, line);
                if (facts.put(fact.id(), fact) != null) {
                    throw new IllegalStateException("conformance.txt has two facts " + fact.id());
                }
            }
        }
        return facts;
    }

    private static Fact parse(String section, String line) {
        String[] columns = line.split(" \\| ", -1);
        if (columns.length != COLUMNS) {
            throw new IllegalStateException("conformance.txt: not five columns: " + line);
        }
        String newer = columns[3].equals("=") ? columns[2] : columns[3];
        String others = columns[4].equals("=") ? newer : columns[4];
        return new Fact(columns[0], section, columns[1], columns[2], newer, others);
    }

    private static String text() {
        try (InputStream in = Conformance.class.getResourceAsStream("conformance.txt")) {
            if (in == null) {
                throw new IllegalStateException("conformance.txt is not beside its class");
            }
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
