package org.verbs4j.bindings;

import org.verbs4j.gcc.Gcc;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * What the preprocessor leaves of the rdma-core headers: their inline functions and the function
 * pointers of their structs. Nothing here knows a function's name, so that a newer header shows up
 * as a failing test.
 */
final class HeaderText {
    private static final Set<String> HEADERS =
            Set.of("verbs.h", "rdma_cma.h", "rdma_verbs.h", "ib.h");
    private static final List<String> STRUCTS =
            List.of(
                    "verbs_context",
                    "ibv_context_ops",
                    "ibv_qp_ex",
                    "ibv_cq_ex",
                    "ibv_wq",
                    "ibv_dm");
    private static final Pattern LINE_MARKER =
            Pattern.compile("# \\d+ \"(?:[^\"]*/)?([^\"/]*)\".*");
    private static final Pattern INLINE =
            Pattern.compile(
                    "static\\s+inline\\s+([\\w\\s*]+?)\\s*\\b(\\w+)\\s*\\(([^()]*)\\)\\s*\\{");
    private static final Pattern POINTER =
            Pattern.compile("([\\w\\s*]+?)\\s*\\(\\s*\\*\\s*(\\w+)\\s*\\)\\s*\\(([^()]*)\\)\\s*;");

    /** A parameter or a result: its C type, with single spaces and {@code *} set off. */
    record Type(String name) {
        static Type of(String text) {
            return new Type(
                    text.replace("*", " * ").strip().replaceAll("\\s+", " ").replace("* *", "**"));
        }

        boolean isPointer() {
            return name.endsWith("*");
        }

        boolean isVoid() {
            return name.equals("void");
        }
    }

    record Parameter(Type type, String name) {
        static Parameter of(String text) {
            Matcher matcher = Pattern.compile("(.*?)(\\w+)\\s*", Pattern.DOTALL).matcher(text);
            if (!matcher.matches()) {
                throw new IllegalStateException("not a parameter: " + text);
            }
            return new Parameter(Type.of(matcher.group(1)), matcher.group(2));
        }

        static List<Parameter> list(String text) {
            List<Parameter> parameters = new ArrayList<>();
            if (!text.isBlank() && !text.strip().equals("void")) {
                for (String one : text.split(",", -1)) {
                    parameters.add(of(one));
                }
            }
            return parameters;
        }
    }

    /** A function of a header, or a function pointer of a struct. */
    record Function(String owner, String name, Type result, List<Parameter> parameters) {
        @Override
        public String toString() {
            return name;
        }
    }

    private final List<Function> inlines = new ArrayList<>();
    private final List<Function> pointers = new ArrayList<>();

    private HeaderText(String preprocessed) {
        StringBuilder ours = new StringBuilder();
        String header = "";
        StringBuilder current = new StringBuilder();
        for (String line : preprocessed.lines().toList()) {
            Matcher marker = LINE_MARKER.matcher(line);
            if (marker.matches()) {
                if (!header.equals(marker.group(1))) {
                    addInlines(header, current);
                    current.setLength(0);
                    header = marker.group(1);
                }
            } else if (HEADERS.contains(header)) {
                current.append(line).append('\n');
                ours.append(line).append('\n');
            }
        }
        addInlines(header, current);
        long declared = Pattern.compile("\\binline\\b").matcher(ours).results().count();
        if (declared != inlines.size()) {
            throw new IllegalStateException(
                    declared + " inline functions in the headers, understood " + inlines.size());
        }
        for (String struct : STRUCTS) {
            addPointers(struct, bodyOf(struct, ours));
        }
    }

    static HeaderText preprocess() {
        return new HeaderText(
                Gcc.run(
                        "-E",
                        "-x",
                        "c",
                        Gcc.STATIC,
                        "-include",
                        "infiniband/ib.h",
                        "-include",
                        "rdma/rdma_verbs.h",
                        "/dev/null"));
    }

    List<Function> inlines() {
        return inlines;
    }

    List<Function> pointers() {
        return pointers;
    }

    private void addInlines(String header, CharSequence text) {
        Matcher matcher = INLINE.matcher(text);
        while (matcher.find()) {
            inlines.add(
                    new Function(
                            header,
                            matcher.group(2),
                            Type.of(matcher.group(1)),
                            Parameter.list(matcher.group(3))));
        }
    }

    private void addPointers(String struct, CharSequence body) {
        Matcher matcher = POINTER.matcher(body);
        while (matcher.find()) {
            List<Parameter> parameters = Parameter.list(matcher.group(3));
            // The _compat_ pointers and the placeholders take (void) or stand for nothing that a
            // program can call.
            if (!parameters.isEmpty() && !matcher.group(2).startsWith("_compat")) {
                pointers.add(
                        new Function(
                                struct, matcher.group(2), Type.of(matcher.group(1)), parameters));
            }
        }
    }

    private static CharSequence bodyOf(String struct, CharSequence text) {
        Matcher start = Pattern.compile("struct\\s+" + struct + "\\s*\\{").matcher(text);
        if (!start.find()) {
            throw new IllegalStateException("the headers have no struct " + struct);
        }
        int depth = 1;
        int at = start.end();
        while (depth > 0) {
            depth += text.charAt(at) == '{' ? 1 : text.charAt(at) == '}' ? -1 : 0;
            at++;
        }
        return text.subSequence(start.end(), at);
    }
}
